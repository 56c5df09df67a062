// run_pictures: a run's result as its picture: bars of what was timed, or without a device of what can be compared without one.
//
//     device       time: this kernel, its variants, cuBLASLt, unfused steps; the roofline as a line
//     emulator     wavefronts of shared memory and sectors of global memory, beside what they would be without conflicts
//
// Views: bars (the first), table. Law: nothing is drawn as a time that was not measured.
#pragma once

#include <string_view>

#include "app/engine/run_program.h"
#include "render/draw/measure/measured.h"

namespace tessera {

[[nodiscard]] MeasuredPicture pictureOf(const RanProgram& ran);
// view: "", "bars", "table"; the first of options.arguments, where there is one, instead.
[[nodiscard]] Result<Figure> drawRun(const RanProgram& ran, std::string_view view, const DrawOptions& options = {});

// "22 Nov 2026, 10:00 UTC" of "2026-11-22T10:00:00Z"; other texts as they are.
[[nodiscard]] std::string readableDate(const std::string& date);

}  // namespace tessera
