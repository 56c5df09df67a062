// composition(A, B): the layout R with R(c) = A(B(c)). B selects elements of A, and R gives their values.
//
//     A = (6,2):(8,2), B = (4,3):(3,1)      B steps through A by 3:  0 3 6 9
//     R = ((2,2),3):((24,2),8)              A(0) A(3) A(6) A(9) = 0 24 2 26 = (2,2):(24,2)
//
// Law: R(i) == A(B(i)) for every i, and shape(R) refines shape(B) (size(R) == size(B), each mode of B split).
// CuTe's result is returned whenever it satisfies the law, so that the text matches CuTe. Where CuTe refuses or is
// wrong, the exact result is searched among all layouts whose shape refines B's: each leaf of B splits in at most one
// coarsest way (IndexFunction::split), and the leaves add up iff the joint box is linear:
//
//     composition((6,2):(1,7), (3,2):(2,3))   CuTe, pycute and others: (3,2):(2,3), wrong at i = 5 (7, not 8). Refused:
//     no layout of this shape satisfies R(i) = A(B(i)): at i = 5, A(B(5)) = A(7) = 8, but strides 2, 3 give 7
//
// B's modes are not regrouped: refused if R(c) is a layout only after regrouping.
// A mode of extent 1 keeps the stride that CuTe prints: 2:1 o 1:4 = 1:4.
// A's last mode is unbounded, as in CuTe: (4,3):(3,1) o 24:1 = (4,6):(3,1).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

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
// trunc(w_t/P_k), the carry into place k when the digits are added. Without carries, f is linear at any size. Carries
// that always cancel are found by merging places with equal fractions, and by bisecting the box in colex order, which
// also yields the first coordinate at which linearity fails. No domain is enumerated.
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
  // f(y) as a stride leaf; a Diag if it is a sum of two bases, or overflows.
  [[nodiscard]] Result<IntTuple> strideAt(i64 y) const;
  [[nodiscard]] std::string textAt(i64 y) const;  // "8", "(1,2)"

  // The first z of the box, in colex order, with f(sum w z) != sum z f(w); Linear if there is none. Undecided only if
  // carries cancel in a pattern too large to search (seen only in constructed examples).
  struct Linearity {
    enum class Answer : unsigned char { Linear, Breaks, Undecided };
    Answer answer = Answer::Linear;
    std::vector<i64> at;  // Breaks: one z per mode
  };
  [[nodiscard]] Linearity linearity(std::span<const StepMode> box) const;

  // The coarsest modes (n, w) with product of n == extent on which x -> f(step * x) is a layout. They are unique: the
  // first extent is where f first leaves its tangent, and must divide. If `exact` is false, no layout exists, and the
  // modes are those up to the first failure.
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

[[nodiscard]] Result<Layout> composition(const Layout& a, const Layout& b);
// Mode by mode; modes of A beyond the tiler are dropped (C++; pycute keeps them). `_` keeps its mode.
[[nodiscard]] Result<Layout> composition(const Layout& a, const Tiler& b);

// Applies the operation to each mode of A and its entry of the tiler; modes beyond the tiler are kept or dropped.
using ByLayout = Result<Layout> (*)(const Layout&, const Layout&);
[[nodiscard]] Result<Layout> modeWise(const Layout& a, const Tiler& b, ByLayout operation, bool keepRest);

// One mode that CuTe derives for a leaf of B, before any check (shown by explain).
struct Step {
  StepMode mode;
  int leafOfA = 0;  // position among the leaves of coalesceUnbounded(A)
};
// CuTe's algorithm on one leaf extent:step of B; a Diag if its divisibility condition fails.
[[nodiscard]] Result<std::vector<Step>> stepsOf(const std::vector<LayoutLeaf>& coalescedA, i64 extent, i64 step);

}  // namespace tessera::cute
