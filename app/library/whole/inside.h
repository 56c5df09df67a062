// The front door's values of the program's own: verdicts, answers.
#pragma once

#include <tessera/tessera.h>

#include <string_view>

#include "app/engine/engine.h"
#include "app/library/layout/inside.h"

namespace tessera::api {

[[nodiscard]] Verdict verdictOf(const tessera::Verdict& verdict);
[[nodiscard]] EngineOptions engineOptions(const Options& options, EngineOptions::Figures figures);

}  // namespace tessera::api
