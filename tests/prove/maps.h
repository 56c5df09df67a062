// Small maps for the proof tests, built directly from expressions: strided layouts, swizzles, and a reader of verdicts.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "solver/prove/prove.h"

namespace tessera::testing {

inline std::string digitName(std::size_t k) { return std::string(1, static_cast<char>('i' + static_cast<char>(k))); }

inline Map made(Result<Map> r) {
  if (!r) FAIL(r.error().message);
  return *std::move(r);
}

inline Expr stridedExpr(const std::vector<i64>& strides) {
  Expr e;
  for (std::size_t k = 0; k < strides.size(); ++k) e = e + Expr::digit(static_cast<int>(k)) * strides[k];
  return e;
}

inline std::vector<Digit> box(const std::vector<i64>& extents) {
  std::vector<Digit> digits;
  for (std::size_t k = 0; k < extents.size(); ++k) digits.push_back({digitName(k), extents[k], DigitKind::Index});
  return digits;
}

// extents:strides on one axis "offset".
inline Map strided(const std::vector<i64>& extents, const std::vector<i64>& strides,
                   std::optional<i64> extent = std::nullopt) {
  return made(Map::create(box(extents), {{"offset", stridedExpr(strides), extent}}));
}

// Sw<B,M,S> with S >= 0: x xor (bits [M+S, M+S+B) of x, moved down by S).
inline Expr swizzle(int b, int m, int s, const Expr& x) {
  const i64 unit = i64{1} << m;
  return x ^ (mod(floorDiv(x, unit << s), i64{1} << b) * unit);
}

inline Map swizzled(int b, int m, int s, const std::vector<i64>& extents, const std::vector<i64>& strides,
                    std::optional<i64> extent = std::nullopt) {
  return made(Map::create(box(extents), {{"offset", swizzle(b, m, s, stridedExpr(strides)), extent}}));
}

inline Verdict ask(ClaimKind kind, std::vector<Map> maps, Method method = Method::Auto, ProveOptions options = {}) {
  Verdict v = prove({claimAbout(kind, std::move(maps)), method, "test"}, options);
  if (v.truth == Truth::Refuted) REQUIRE(v.counterexample.has_value());
  if (v.truth == Truth::Unknown) REQUIRE_FALSE(v.detail.empty());
  return v;
}

inline const std::vector<Method>& everyMethod() {
  static const std::vector<Method> kAll = {Method::Simplify, Method::Strided, Method::F2, Method::Exhaustive,
                                           Method::Z3};
  return kAll;
}

}  // namespace tessera::testing
