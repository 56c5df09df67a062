// run_pictures: the picture of a run's result: bars of times, or without a device of the emulator's counts.
//
//     device       time: this kernel, its variants, cuBLASLt, unfused steps; the roofline as a line
//     emulator     shared-memory wavefronts and global-memory sectors, beside their conflict-free values
//
// Views: bars (default), table. Law: only measured times are drawn as times.
#pragma once

#include <string_view>

#include "app/engine/measure/run_program.h"
#include "render/draw/measure/measured.h"

namespace tessera {

[[nodiscard]] MeasuredPicture pictureOf(const RanProgram& ran);
// view: "", "bars", "table"; the first of options.arguments overrides it.
[[nodiscard]] Result<Figure> drawRun(const RanProgram& ran, std::string_view view, const DrawOptions& options = {});

// "22 Nov 2026, 10:00 UTC" for "2026-11-22T10:00:00Z"; other texts unchanged.
[[nodiscard]] std::string readableDate(const std::string& date);

}  // namespace tessera
