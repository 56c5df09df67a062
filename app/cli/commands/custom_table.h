// The table of --custom-calls: rules for custom calls that the user states (core/hlo/ops/custom_calls.h).
#pragma once

#include <optional>
#include <string>

#include "app/cli/io/report.h"
#include "core/hlo/ops/custom_calls.h"

namespace tessera {

// The rules in that file; without rows if there is no file. nullopt: it could not be read; `wrong` has said why.
[[nodiscard]] std::optional<hlo::CustomCalls> customCallsIn(const std::string& file, const Complaints& wrong);

}  // namespace tessera
