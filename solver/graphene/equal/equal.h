// equalPrograms: whether two programs compute the same outputs from the same inputs.
//
//     fused      %Y <- Spec<mlp>(%X, %W, %bias) { one kernel }
//     unfused    %Z <- ...  %H <- ...  %Y <- ...     eight kernels; %Z and %H are neither inputs nor outputs
//
//     equalPrograms({fused, unfused, "", {{"M", 1}, {"L", 4}}})
//         proved     16384 elements of %Y are equal over the real numbers (sums and products in any order) at L=4, M=1;
//                    in their types the relative difference is 7.1e-04 (random inputs, seed 1)
//         refuted    %Y[0,3] is 0.25 in fused and 0.5 in unfused (random inputs, seed 1)
//         unknown    and the reason
//
// Inputs and outputs are matched by name and shape; floating types may differ, integers may not. A tensor that one
// kernel writes and a later one reads belongs to the program, unless both programs have it as an output. `where` states
// the inputs of the second program by those of the first, in the manner of NumPy: "Wx = W[:64].reshape(64, 256)".
//
// Instead of a second program there may be a reference, as in solver/kernel/reference/evaluate.h:
// "Y = relu(A @ B + bias)", or equations, "Y[i,j] = sum(k < 64) A[i,k] * B[k,j]".
//
// With `within` the question is about the outputs in their types: |first - second| <= within for every element, for all
// inputs in their ranges (by_bounds.h). Proved if both are equal over the real numbers and the bounds of their rounding
// errors add to no more; refuted by a run in their types that differs by more; else unknown, with the bound.
//
// Three methods (README.md): numbers, which refute; specifications, which prove for every size; terms,
// which prove at the given sizes. Without sizes for its symbols a program is proved by its specifications or not at
// all; then the sizes of the lines `// small:` are tried, since a difference there refutes.
//
// Laws: proved means equal over the real numbers, wherever both are defined, without rounding and overflow; a constant
// stands for the number that its fp32 rounds (0.18033688 for log2(e) / 8). Refuted means that a run of both programs on
// the same inputs left different values (tests/equal). equal(a, b) and equal(b, a) have the same truth.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/graphene/reader/input_ranges.h"
#include "core/graphene/reader/sized.h"
#include "solver/emulate/format.h"
#include "solver/graphene/check.h"

namespace tessera::graphene {

struct EqualQuestion {
  Listing first;
  std::optional<Listing> second = {};
  std::string reference = {};     // if there is no second
  Sizes sizes = {};               // by symbol, of both
  Sizes secondSizes = {};         // of the second only; take precedence
  bool small = false;             // the lines `// small:` give the other sizes
  std::string where = {};         // "Wx = W[:64].reshape(64, 256); ..."; may name sizes
  std::string architecture = {};  // empty: that of each program's line `// arch:`, else sm_80
  std::optional<double> within = {};
  InputRanges ranges = {};  // for `within`
};

struct EqualVerdict {
  Standing standing = Standing::Unknown;
  std::string method;  // "numbers", "specifications", "terms", "bounds"
  std::string reason;  // proved: what and why; refuted: the difference in one sentence; unknown: the cause
  // Refuted: the element, and its value in each.
  std::string output = {};
  std::vector<i64> coordinate = {};
  double first = 0, second = 0;
  int seed = 0;            // the inputs are comparedInput(seed, ...); 0: others
  double error = -1;       // largest relative difference of an output in the programs' types; below 0: not measured
  double bound = -1;       // of |first - second|, with `within`; below 0: not known
  Sizes sizes = {};        // at which it was run
  bool everySize = false;  // proved for every size
};

// The number that an element of an input has in the runs on random inputs, before it is rounded to the narrower of the
// two types: uniform in [-1, 1], integers in -8 to 7.
[[nodiscard]] double comparedInput(int seed, std::string_view name, i64 element, const NumberFormat& type);

// A Diag: a size or a text is wrong, or the ports do not match; its span is in no text. Of the options, `architecture`
// is not used.
[[nodiscard]] Result<EqualVerdict> equalPrograms(const EqualQuestion& question, const CheckOptions& options = {});

}  // namespace tessera::graphene
