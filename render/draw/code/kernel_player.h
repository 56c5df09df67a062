// Views of the run of a compiled kernel: its steps, and how two threads come to a finding.
//
//     show K as player, step 41, block 0, thread 33     one step: the line, the lanes of every warp, the memories
//     show K as player, finding 1                       the step at which the first finding is made
//
// The trace is recorded when the first of these pictures is drawn (code::RunFacts::trace).
//
// Law (tests/render/kernel_player_test.cpp): step n of the picture is step n of the trace: the lanes that are coloured
// are its mask, the cells that are coloured are the bytes of its accesses.
#pragma once

#include "core/code/run_trace.h"
#include "core/layout/layout.h"
#include "render/draw/draw.h"

namespace tessera {

// Requires isRun(layout).
[[nodiscard]] Result<Figure> drawKernelPlayer(const Layout& layout, const DrawOptions& options);

// "0-15,31"; "none"
[[nodiscard]] std::string lanesText(std::uint32_t mask);

}  // namespace tessera
