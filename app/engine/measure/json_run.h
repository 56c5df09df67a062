// The result of a run statement as JSON: a one-line summary, the device, and the comparison table.
//
//     {"ok":true,"kind":"measurement","text":"move on the emulator, ...: right","on":"emulator","right":true,...}
#pragma once

#include "app/engine/json_writer.h"
#include "app/engine/measure/run_program.h"

namespace tessera {

void addRun(JsonWriter& json, const RanProgram& ran);
// The members of a comparison table; unknown values are omitted.
void addTable(JsonWriter& json, const measure::ComparisonTable& table);

}  // namespace tessera
