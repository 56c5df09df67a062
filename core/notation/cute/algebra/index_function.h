// IndexFunction: a layout as a function of one integer, with an exact test of where it is linear.
//
// A layout with modes (a_k, D_k) and periods P_0 = 1, P_{k+1} = a_k * P_k is, for every integer y,
//
//     f(y) = sum_k D_k * digit_k(y) = sum_k Delta_k * trunc(y / P_k),   Delta_k = D_k - a_{k-1} * D_{k-1}
//
// (the last digit unreduced, truncation towards zero, as C++ evaluates). For (6,2):(1,7): f(y) = y + 1 * trunc(y / 6).
//
// The laws of the algebra depend on whether f is linear on a box: f(sum_t w_t z_t) == sum_t z_t f(w_t) for 0 <= z_t <
// n_t. The difference of the two sides is sum_k Delta_k * carry_k(z), with carry_k(z) = trunc(y/P_k) - sum_t z_t *
// trunc(w_t/P_k): the carry into place k when the digits are added. Without carries, f is linear at any size. Carries
// that always cancel are found by merging places with equal fractions, and by bisection of the box in colex order,
// which also yields the first coordinate where linearity fails. No domain is enumerated.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

__extension__ typedef __int128 i128;

// One result mode: extent n and the step w it takes in the function's domain.
struct StepMode {
  i64 extent = 1;
  i64 step = 0;
  bool operator==(const StepMode&) const = default;
};

class IndexFunction {
 public:
  // Requires layout.isKnown().
  explicit IndexFunction(const Layout& layout);

  // f(y), one number per basis path (one for plain strides); nullopt on 64-bit overflow.
  [[nodiscard]] std::optional<std::vector<i64>> at(i64 y) const;
  // f(y) as a stride leaf; a Diag if it has parts in two bases, or overflows.
  [[nodiscard]] Result<IntTuple> strideAt(i64 y) const;
  [[nodiscard]] std::string textAt(i64 y) const;  // "8", "(1,2)"

  // The colex-first z in the box with f(sum w z) != sum z f(w); Linear if there is none. Undecided only if carries
  // cancel in a pattern too large to search (seen only in constructed examples).
  struct Linearity {
    enum class Answer : unsigned char { Linear, Breaks, Undecided };
    Answer answer = Answer::Linear;
    std::vector<i64> at;  // Breaks: one z per mode
  };
  [[nodiscard]] Linearity linearity(std::span<const StepMode> box) const;

  // The coarsest modes (n, w) with product of n == extent on which x -> f(step * x) is a layout. They are unique: the
  // first extent is where f first leaves its tangent, and must divide. `exact` false: no layout exists, and the modes
  // are the attempt up to the first failure.
  struct Split {
    std::vector<StepMode> modes;
    bool exact = true;
  };
  [[nodiscard]] Split split(i64 extent, i64 step) const;

 private:
  struct Term {
    i64 period = 1;
    std::vector<i128> delta;  // one per axis
  };
  [[nodiscard]] i128 along(std::size_t axis, i64 y) const;

  std::vector<LayoutLeaf> leaves_;
  std::vector<std::vector<int>> axes_;  // basis paths
  std::vector<Term> terms_;             // periods > 1 with a nonzero delta
};

}  // namespace tessera::cute
