// A comparison table as JSON: the head's members, then "rows", one object each. Unknown values are omitted.
//
//     {"program":"gemm","device":"NVIDIA H100","sizes":{"M":8},...,
//      "rows":[{"kind":"kernel","name":"gemm","answer":"right","median_us":41.2,...}]}
//
// Law: readComparisonJson(jsonOf(t)) == t for finite numbers and UTF-8. Unknown members are ignored; a member of the
// wrong type is a Diag that names it.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "solver/measure/report/comparison.h"

namespace tessera {

[[nodiscard]] std::string jsonOf(const measure::ComparisonTable& table);
[[nodiscard]] Result<measure::ComparisonTable> readComparisonJson(std::string_view text);

}  // namespace tessera
