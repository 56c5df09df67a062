// Reductions: translate a Claim about one or two maps into obligations over one box of digits, and points of that box
// back to coordinates of the claim's own maps.
//
// Equal, with Index extents that differ but have the same product, reads both maps through their linear index (colex,
// or lex if the claim says so), over the common refinement of the two radix systems: (4,8) against (2,16) becomes
// digits (2,2,8).
//
// Partial maps (with guards, or coordinates that do not start at 0) with equally many Index digits are compared
// coordinate by coordinate over the union of their boxes: d0 in [0, 2] against d0 in [1, 2] becomes a digit of extent 3
// for both, and the second map gets a guard that excludes 0.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "solver/prove/obligation.h"

namespace tessera::prover {

// Two maps over the same Index digits, and the translation of a point to each original map (outside its box where only
// the other map has the coordinate).
struct Aligned {
  Map f, g;
  std::vector<Expr> toF, toG;      // Index digit k of the original, over the common Index digits
  std::vector<std::size_t> axesG;  // axis k of f is this axis of the original g
};

struct SizesDiffer {
  i64 sizeF = 0;
  i64 sizeG = 0;
};
struct AxesDiffer {};
using Alignment = std::variant<Aligned, SizesDiffer, AxesDiffer, std::string>;  // string: why it does not apply
[[nodiscard]] Alignment align(const Map& f, const Map& g, LinearOrder order = LinearOrder::Colex);

// Common parameters of two maps: equal lists with ranges joined, or one list if the other is empty. nullopt: different
// names.
[[nodiscard]] std::optional<std::vector<Param>> commonParams(const std::vector<Param>& f, const std::vector<Param>& g);

// Turns the Fan digits into further coordinates, over the ranges of both maps. If these maps are equal pointwise, the
// sets are equal at every index. nullopt: the numbers of Fan digits differ.
[[nodiscard]] std::optional<Aligned> fansAsIndex(const Aligned& a);

// For aligned maps without Fan digits (or with equal Fan digits, as a sufficient condition).
[[nodiscard]] std::vector<Pointwise> equalObligations(const Aligned& a);

// The goals of in_bounds; axes without an extent are left out.
[[nodiscard]] Pointwise boundsObligation(const Map& f);

// g(f(x)) == x and g is defined at f(x). A point's digits are f's digits, then g's Fan digits.
struct Roundtrip {
  Pointwise obligation;
  std::vector<Expr> arguments;   // g's Index digits over f's digits
  std::vector<i64> backExtents;  // extents of the colex linear index that g returns; empty if it returns coordinates
};
[[nodiscard]] std::variant<Roundtrip, std::string> roundtripObligation(const Map& f, const Map& g);

}  // namespace tessera::prover
