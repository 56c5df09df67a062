// A baseline: what a fused program is compared with, the same computation as several plain kernels in a file of its own.
//
//     // baseline: mlp_unfused.graphene (L = 4)        in mlp.graphene; the sizes for which the two are the same
//
//     unfused  mlp_unfused    right  61.0 us           a row of the comparison table (solver/measure/comparison.h)
//
// Laws: it is measured with the sizes and the seed of the program; what cannot be read, is for other sizes or fails is a row that
// says why, never a row with a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/engine/measure_program.h"
#include "core/graphene/sized.h"
#include "solver/measure/comparison.h"

namespace tessera {

struct Baseline {
  std::string file;       // "mlp_unfused.graphene"
  graphene::Sizes sizes;  // that the program must have
};
// Of the first comment line "// baseline: FILE".
[[nodiscard]] std::optional<Baseline> baselineOf(std::string_view program);

// `text`: what stands in the file. On a device: `onDevice`.
[[nodiscard]] measure::ComparisonRow baselineRow(const MeasureRequest& request, const Baseline& baseline,
                                                 const Result<std::string>& text, const measure::RunOptions& options,
                                                 bool onDevice);

}  // namespace tessera
