// Operations that build maps from maps. All of them are substitutions; none depends on a notation.
//
//     inner: i in [0,4) -> x = i*2          outer: x in [0,8) -> offset = x xor 1
//     then(inner, outer): i in [0,4) -> offset = (i*2) xor 1
//
// Laws: then(f, g)(p) == g(f(p)) for every real p of f whose image lies in g's domain;
//       linearized(f, order)(linearize(p)) == f(p); splitDim and fuseDims keep the value at every point.
// Digits that these operations create count from lo 0; digits that they do not touch keep their lo.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

// outer after inner. inner's axes bind to outer's Index digits, as coordinates: by name if every digit has an axis of
// its name, else by position if the counts agree, else, if inner has one axis, by splitting its value
// colexicographically over outer's digits (the last digit takes the unreduced rest, as in CuTe). Refused if inner's
// values can leave a digit's range (the message has both ranges), except above the last digit of a colexicographic
// split and if `extend` allows outer's formula beyond its box. Fan digits and guards of both are kept; equal parameter
// names are one parameter, and a Fan digit of outer whose name inner has is renamed. A guard of inner on exactly the
// bound value narrows its range.
[[nodiscard]] Result<Map> then(const Map& inner, const Map& outer, bool extend = false);

// outer after inner, where points outside outer's box are dropped (XLA's composition). Binds by position. Digits:
// inner's Index digits, outer's Fan digits, inner's Fan digits; parameters: outer's, then inner's, kept separate
// (renamed s0.. and rt0.. on name clashes). Ensures: the real points are those p of inner with inner(p) a real
// coordinate of outer, and the values there are outer's. The result is simplified.
[[nodiscard]] Result<Map> thenInside(const Map& inner, const Map& outer);

// Digits 0, 1 ... count - 1.
[[nodiscard]] inline std::vector<Expr> identityDigits(std::size_t count) {
  std::vector<Expr> digits;
  for (std::size_t k = 0; k < count; ++k) digits.push_back(Expr::digit(static_cast<int>(k)));
  return digits;
}
// Expressions for the digits of a map: its Index digits are `index`, its Fan digits are numbered from `fans` on.
[[nodiscard]] std::vector<Expr> placed(const Map& map, const std::vector<Expr>& index, std::size_t fans);
// A number as digits of these extents, the first fastest; the last digit takes the unreduced rest.
[[nodiscard]] std::vector<Expr> splitDigits(const Expr& number, std::span<const i64> extents);
// The values of axes or guards with their digits, and their parameters if given, replaced (substitute in expr.h).
template <typename Valued>
[[nodiscard]] std::vector<Valued> substituted(std::vector<Valued> all, std::span<const Expr> byDigit,
                                              std::span<const Expr> byParam = {}) {
  for (Valued& v : all) v.value = substitute(v.value, byDigit, byParam);
  return all;
}

// Builds a map over other digits: keep() appends them, made() returns the map's axes and guards over them.
struct Redigited {
  explicit Redigited(const Map& map) : of(map), byDigit(map.digits().size()) {}
  // Appends digit k of the map; the caller may change the result.
  Digit& keep(int k);
  [[nodiscard]] Result<Map> made() const;

  const Map& of;
  std::vector<Digit> digits;
  std::vector<Expr> byDigit;  // each digit of the map over the new ones; initially 0
};

// Simplifies every axis and guard over the map's box and drops guards that always hold. The digits are unchanged.
[[nodiscard]] Map withSimplerValues(const Map& map);
// The same points and values in simplest form; `steps` receives the steps, if given (MapRewrite below): values and
// guards simplified in coordinates; guards on one variable tighten its range (including lo), guards on one value are
// joined, and an empty domain is detected by bounds, and by enumeration up to 2^16 points (simplify.cpp). Every step is
// exact, unlike some rules of XLA's simplifier.
struct MapRewrite;
[[nodiscard]] Map simplified(const Map& map, std::vector<MapRewrite>* steps = nullptr);
// The map with the same digits and axes and no real point.
[[nodiscard]] Map emptied(const Map& map);
// The box: ranges of digits (from 0) and parameters. coordinateBox adds lo.
[[nodiscard]] Environment environmentOf(const Map& map);

// Digits and coordinates: a digit counts from 0; the coordinate shown to users counts from the digit's lo.
//
//     d0 in [3, 9]:  lo = 3, digit = d0 - 3     digit * 8 + 24   is   d0 * 8
//
// Laws: overDigits(inCoordinates(e)) has e's value at every digit; inCoordinates(overDigits(e)) == e unless e adds
// constants to a shifted variable that fold. Both are the identity if every lo is 0.

// The same value with digit k denoting its coordinate; constants left by the shifts are folded into their sum, so digit
// + lo becomes the bare variable.
[[nodiscard]] Expr inCoordinates(const Expr& e, std::span<const Digit> digits);
// The inverse: coordinate k becomes digit k + lo.
[[nodiscard]] Expr overDigits(const Expr& e, std::span<const Digit> digits);
// Ranges of the coordinates and the parameters.
[[nodiscard]] Environment coordinateBox(const Map& map);
// The range of a digit or parameter.
[[nodiscard]] inline Range& rangeOf(Environment& box, const Expr& variable) {
  const auto k = static_cast<std::size_t>(variable.index());
  return variable.op() == Op::Digit ? box.digits[k] : box.params[k];
}

// Rewrites: the steps of simplified(Map), as recorded by the simplifier.
//
//     (d0, d1) -> ((d0 * 4 + d1) floordiv 4), domain: d0 in [0, 15], d1 in [0, 3], d0 * 2 in [0, 20]
//         constraint   constraint-undone      d0 * 2 in [0, 20]          d0 in [0, 10]
//         constraint   constraint-is-a-range  d0 in [0, 10]              the range of d0
//         result 0     div-of-multiple        (d0 * 4 + d1) floordiv 4   d0 + d1 floordiv 4
//         result 0     known-constant         d1 floordiv 4              0
//
// All in coordinates: digit k is the coordinate of the map's digit k.
//
// Laws: for a value, before and after are equal at every coordinate of `box`. For constraints, every point of the map
// satisfies `kept`. The resulting map is the same as without recording. A simplified map has no steps.

struct MapRewrite {
  std::string rule;  // a name of expr/rules.h's lawOf, or of lawOfConstraint below
  std::string of;    // "result 0", "constraint"
  Expr before, after;
  Environment box;                  // where they are equal
  std::optional<Guard> held, kept;  // of a constraint step, which has no `before`: the old and new constraint
};

// "a constraint on one variable is its range"; "" for an unknown name.
[[nodiscard]] std::string_view lawOfConstraint(std::string_view rule);

}  // namespace tessera
