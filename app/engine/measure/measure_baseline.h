// baselineRow: the baseline of a fused program (core/graphene/reader/sized.h) as a row of its comparison table.
//
//     unfused  mlp_unfused    right  61.0 us    8 kernels
//
// Laws: the baseline is measured with the sizes and the seed of the program. If it cannot be read, is for other sizes
// or fails, its row gives the reason and has no time. A row whose tensors have other sizes than the program's says so.
#pragma once

#include "app/engine/measure/measure_program.h"
#include "core/graphene/reader/sized.h"
#include "solver/measure/report/comparison.h"

namespace tessera {

// `unfused`: the baseline's program, or why there is none. `onDevice`: measure on the device.
[[nodiscard]] measure::ComparisonRow baselineRow(const MeasureRequest& request, const graphene::Baseline& baseline,
                                                 const Result<graphene::Listing>& unfused,
                                                 const measure::RunOptions& options, bool onDevice);

}  // namespace tessera
