// measuredVariants: a program and its variants (core/graphene/variants.h), compiled, run and checked one after the other: one table.
//
//     kernel   gemm                                    right  41.2 us  29 %   96 registers
//     variant  stages=2                                right  48.0 us
//     variant  without swizzle                         right  77.0 us
//     variant  BM=256            shared memory ...                            a reason instead of a result
//     roofline bound by memory                                12.0 us
//
// Laws: a variant that cannot be read, written as CUDA, compiled or run is a row that says why; only the program itself, or somebody
// who cancels, ends the whole. A row whose tensors have other sizes than the program's says so: its time is that of another problem.
// `reshaped`: as many elements in another shape are none.
// Every row has the inputs of one seed. Without a device no row has a time, and all are emulated.
#pragma once

#include <string>
#include <vector>

#include "app/engine/measure_program.h"
#include "core/graphene/variants.h"
#include "solver/measure/comparison.h"

namespace tessera {

// `chosen`: "stages=4 BM=64", each a variant; with `automatic` also those of variantsOf, behind them.
struct VariantChoice {
  std::vector<std::string> chosen;
  bool automatic = true;
  std::vector<std::string> sizes =
      {};  // "BM*M=5120": for each its own M, so that all are one problem; empty: the request's
};
[[nodiscard]] Result<measure::ComparisonTable> measuredVariants(const MeasureRequest& request,
                                                                const VariantChoice& choice,
                                                                const measure::RunOptions& options);

// The rows of the variants alone, for a table whose program was measured (on a device: `onDevice`). A Diag: cancelled.
[[nodiscard]] Result<std::vector<measure::ComparisonRow>> variantRows(const MeasureRequest& request,
                                                                      const std::vector<graphene::Variant>& variants,
                                                                      const measure::RunOptions& options, bool onDevice,
                                                                      const std::vector<std::string>& sizes = {});

// What `other` has of another size than the program, "another size: %A is 64x8 instead of 32x8": its time is that of another problem.
[[nodiscard]] std::string otherSizes(const MeasureRequest& program, const MeasureRequest& other, bool reshaped = false);

// The program's row is right, and no other one is wrong.
[[nodiscard]] bool allRight(const measure::ComparisonTable& table);

}  // namespace tessera
