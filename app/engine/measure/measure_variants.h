// measuredVariants: compiles, runs and checks a program and its variants (core/graphene/variants.h) in sequence, into
// one table.
//
//     kernel   gemm                                    right  41.2 us  29 %   96 registers
//     variant  stages=2                                right  48.0 us
//     variant  without swizzle                         right  77.0 us
//     variant  BM=256            shared memory ...                            a reason instead of a result
//     roofline bound by memory                                12.0 us
//
// Laws: a variant that cannot be read, generated, compiled or run is a row with the reason; only the program itself or
// cancellation ends the whole. A row whose tensors have other sizes than the program's says so, since its time is for
// another problem; with `reshaped`, equal element counts in another shape do not count as other sizes. All rows use the
// inputs of one seed. Without a device no row has a time, and all are emulated.
#pragma once

#include <string>
#include <vector>

#include "app/engine/measure/measure_program.h"
#include "core/graphene/reader/sized.h"
#include "core/graphene/variants.h"
#include "solver/measure/report/comparison.h"

namespace tessera {

// `chosen`: "stages=4 BM=64", one variant each; `automatic` appends those of variantsOf.
struct VariantChoice {
  std::vector<std::string> chosen;
  bool automatic = true;
  std::vector<std::string> sizes = {};  // "BM*M=5120": an M for each, to solve the same problem; empty: the request's
};
[[nodiscard]] Result<measure::ComparisonTable> measuredVariants(const MeasureRequest& request,
                                                                const VariantChoice& choice,
                                                                const measure::RunOptions& options);

// The variants' rows, for a table whose program was measured (`onDevice`: on a device). Fails only if cancelled.
[[nodiscard]] Result<std::vector<measure::ComparisonRow>> variantRows(const MeasureRequest& request,
                                                                      const std::vector<graphene::Variant>& variants,
                                                                      const measure::RunOptions& options, bool onDevice,
                                                                      const std::vector<std::string>& sizes = {});

// The program's row and the head of its table, of the device or the emulator. `why`: the reason for having no device.
[[nodiscard]] measure::ComparisonRow rowOf(const MeasuredProgram& m, measure::RowKind kind, const std::string& name,
                                           const std::string& settings = "");
[[nodiscard]] measure::ComparisonTable headOf(const std::string& name, const MeasuredProgram& m,
                                              const std::string& why);
// Progress that names the row being measured.
[[nodiscard]] measure::RunOptions namedProgress(measure::RunOptions options, const std::string& name);

// The tensors of other sizes, "another size: %A is 64x8 instead of 32x8", so that times are not comparable; or "".
[[nodiscard]] std::string otherSizes(const MeasureRequest& program, const MeasureRequest& other, bool reshaped = false);

// The program's row is right, and no other row is wrong.
[[nodiscard]] bool allRight(const measure::ComparisonTable& table);

// baselineRow: the baseline of a fused program (core/graphene/reader/sized.h) as a row of its comparison table.
//
//     unfused  mlp_unfused    right  61.0 us    8 kernels
//
// Laws: the baseline is measured with the sizes and the seed of the program. If it cannot be read, is for other sizes
// or fails, its row gives the reason and has no time. A row whose tensors have other sizes than the program's says so.

// `unfused`: the baseline's program, or why there is none. `onDevice`: measure on the device.
[[nodiscard]] measure::ComparisonRow baselineRow(const MeasureRequest& request, const graphene::Baseline& baseline,
                                                 const Result<graphene::Listing>& unfused,
                                                 const measure::RunOptions& options, bool onDevice);

}  // namespace tessera
