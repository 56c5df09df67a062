// KernelReads: what a kernel reads for all of its outputs together.
//
//     fusion with the outputs x * 2 and x + y        x once: both outputs read it by the same map
//     reduction of x, with exp(x) as a second output x once: the reduction's threads also write exp(x)
//     reduction of x and its transposition           x twice: two maps
//
// Every output has a plan (plan.h). An output of the shape that a reduction runs over is written by the threads of the
// reduction. Equal maps of two outputs are one load.
//
// Law: of a kernel with one output, `reads` is readsThrough, and `planned` is readsOfPlan of its plan.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/cost/plan.h"

namespace tessera::hlo {

struct KernelReads {
  std::string plan = {};                   // of the outputs, each once: "a row reduction"
  std::vector<Reach> reads = {};           // one per operand; those of further elements follow
  std::vector<PlannedReads> planned = {};  // one per operand; empty: `unplanned` has the reason
  std::string unplanned = {};
};
// A Diag: the instruction contradicts itself. Outputs that are no arrays, and workspaces of custom calls, read nothing.
[[nodiscard]] Result<KernelReads> readsOfKernel(const Module& module, Where where);

}  // namespace tessera::hlo
