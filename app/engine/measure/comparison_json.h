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

#include "app/engine/json_writer.h"
#include "app/engine/measure/run_program.h"
#include "core/base/result.h"
#include "solver/measure/report/comparison.h"

namespace tessera {

[[nodiscard]] std::string jsonOf(const measure::ComparisonTable& table);
[[nodiscard]] Result<measure::ComparisonTable> readComparisonJson(std::string_view text);

// The result of a run statement as JSON: a one-line summary, the device, and the comparison table.
//
//     {"ok":true,"kind":"measurement","text":"move on the emulator, ...: right","on":"emulator","right":true,...}

void addRun(JsonWriter& json, const RanProgram& ran);
// The members of a comparison table; unknown values are omitted.
void addTable(JsonWriter& json, const measure::ComparisonTable& table);

}  // namespace tessera
