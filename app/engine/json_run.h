// The result of a run statement in JSON: what it is in one line, on what it ran, and the comparison table.
//
//     {"ok":true,"kind":"measurement","text":"move on the emulator, ...: right","on":"emulator","right":true,"program":"move",...,"rows":[...]}
#pragma once

#include "app/engine/json_writer.h"
#include "app/engine/run_program.h"

namespace tessera {

void addRun(JsonWriter& json, const RanProgram& ran);

}  // namespace tessera
