// Operations that build maps from maps. All of them are substitutions; none depends on a notation.
//
//     inner: i in [0,4) -> x = i*2          outer: x in [0,8) -> offset = x xor 1
//     then(inner, outer): i in [0,4) -> offset = (i*2) xor 1
//
// Laws: then(f, g)(p) == g(f(p)) for every real p of f whose image lies in g's domain;
//       linearized(f, order)(linearize(p)) == f(p); splitDim and fuseDims keep the value at every point.
// Digits that these operations create count from lo 0; digits that they do not touch keep their lo.
#pragma once

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

// The values of axes or guards with their digits, and their parameters if given, replaced (substitute in expr.h).
template <typename Valued>
[[nodiscard]] std::vector<Valued> substituted(std::vector<Valued> all, std::span<const Expr> byDigit,
                                              std::span<const Expr> byParam = {}) {
  for (Valued& v : all) v.value = substitute(v.value, byDigit, byParam);
  return all;
}

// A map over other digits, while these are listed. made() has the map's axes and guards over them.
struct Redigited {
  explicit Redigited(const Map& map) : of(map), byDigit(map.digits().size()) {}
  // Digit k of the map is the next one; the result may be changed.
  Digit& keep(int k);
  [[nodiscard]] Result<Map> made() const;

  const Map& of;
  std::vector<Digit> digits;
  std::vector<Expr> byDigit;  // what each digit of the map is over the new ones; 0 at first
};

// Simplifies every axis and guard over the map's box and drops guards that always hold. The digits are unchanged.
[[nodiscard]] Map withSimplerValues(const Map& map);
// The same points and values in simplest form: values and guards simplified in coordinates; guards on one variable
// tighten its range (including lo), guards on one value are joined, and an empty domain is detected by bounds, and by
// enumeration up to 2^16 points (simplify.cpp). Every step is exact, unlike some rules of XLA's simplifier.
[[nodiscard]] Map simplified(const Map& map);
// The same digits and axes, without a real point.
[[nodiscard]] Map emptied(const Map& map);
// The box: ranges of digits (from 0) and parameters. coordinates.h has the ranges with lo added.
[[nodiscard]] Environment environmentOf(const Map& map);

}  // namespace tessera
