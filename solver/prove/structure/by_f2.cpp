// Rung 2b: maps that are affine over F2 (powers of two, shifts, masks, xor): microseconds at any size.
//
// Injective if and only if the columns of all axes, stacked, are independent; a kernel vector v gives f(0) == f(v).
// Cover: the image is c + span(columns), so a power-of-two codomain is covered if and only if the rank is its bit
// count. Pointwise: equal matrices are equal functions; a differing constant or column gives a point where they differ.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/arith.h"
#include "solver/prove/obligation.h"
#include "solver/prove/structure/bits.h"

namespace tessera::prover {

namespace {

constexpr const char* kName = "F2 rank";
constexpr const char* kOutside = "not affine over F2";

struct Stacked {
  std::vector<int> digitBits;
  std::vector<std::vector<u64>> columns;  // one per input bit, one word per axis
  std::vector<u64> constant;
};

std::optional<Stacked> stacked(const Map& map) {
  const auto bits = bitsOf(map.digits());
  if (!bits) return std::nullopt;
  const std::size_t inputs = inputsOf(*bits);
  Stacked s{*bits, std::vector<std::vector<u64>>(inputs), {}};
  for (const Axis& axis : map.axes()) {
    const auto m = bitMatrix(axis.value, *bits);
    if (!m) return std::nullopt;
    for (std::size_t k = 0; k < inputs; ++k) s.columns[k].push_back(m->columns[k]);
    s.constant.push_back(m->constant);
  }
  return s;
}

bool real(const Map& map, const std::vector<i64>& point) {
  return map.guards().empty() || map.isReal(point, lowestParams(map.params()));
}

}  // namespace

Answer byF2(const Map& pairs) {
  const auto s = stacked(pairs);
  if (!s) return unknown(kName, kOutside);
  const F2Echelon<F2Words> e(s->columns);
  if (e.kernel().empty()) return proved(kName, fmt::format("rank {} of {} input bits", e.rank(), s->columns.size()));
  const std::vector<i64> x(s->digitBits.size(), 0), y = digitsFromBits(e.kernel()[0], s->digitBits);
  if (!real(pairs, x) || !real(pairs, y)) return unknown(kName, "guards exclude the colliding points");
  return refuted(kName, {x, y}, lowestParams(pairs.params()));
}

Answer byF2Cover(const Map& map) {
  if (!map.guards().empty()) return unknown(kName, "guards remove points");
  const auto s = stacked(map);
  if (!s) return unknown(kName, kOutside);
  // Restrict to the codomain: every bit above an axis's extent must be constant 0.
  int bits = 0;
  for (std::size_t a = 0; a < map.axes().size(); ++a) {
    const i64 extent = *map.axes()[a].extent;
    if (!isPowerOfTwo(extent)) return unknown(kName, "an extent of the codomain is not a power of two");
    bits += std::countr_zero(static_cast<u64>(extent));
    u64 above = s->constant[a];
    for (const auto& column : s->columns) above |= column[a];
    if (above >= static_cast<u64>(extent)) return unknown(kName, "the image leaves the codomain");
  }
  const F2Echelon<F2Words> e(s->columns);
  const int rank = e.rank();
  if (rank == bits) return proved(kName, fmt::format("rank {} is all {} bits of the codomain", rank, bits));
  // Some place is not in the image: 0, or the first single bit whose difference from the constant is outside the span.
  std::vector<u64> place(map.axes().size(), 0);
  const auto hit = [&] {
    std::vector<u64> v = s->constant;
    for (std::size_t a = 0; a < v.size(); ++a) v[a] ^= place[a];
    return e.solve(v).has_value();
  };
  for (std::size_t a = 0; hit() && a < place.size(); ++a) {
    for (i64 bit = 1; bit < *map.axes()[a].extent; bit *= 2) {
      place[a] = static_cast<u64>(bit);
      if (!hit()) break;
      place[a] = 0;
    }
  }
  std::vector<i64> hole(place.begin(), place.end());
  return uncovered(kName, std::move(hole), lowestParams(map.params()));
}

Answer byF2(const Pointwise& p) {
  const auto bits = bitsOf(p.digits);
  if (!bits) return unknown(kName, kOutside);
  const std::size_t inputs = inputsOf(*bits);
  for (const Goal& g : p.goals) {
    const auto left = bitMatrix(g.left, *bits);
    if (!left) return unknown(kName, kOutside);
    std::optional<F2Words> at;
    if (g.right) {
      const auto right = bitMatrix(*g.right, *bits);
      if (!right) return unknown(kName, kOutside);
      if (left->constant != right->constant) at.emplace();
      for (std::size_t k = 0; k < inputs && !at; ++k)
        if (left->columns[k] != right->columns[k]) at = f2_detail::unit<F2Words>(static_cast<int>(k));
    } else {
      // Values are in [0, highest reachable]: build that maximum greedily from the reduced basis.
      const std::vector<u64> basis = spanBasis(left->columns);
      u64 most = left->constant;
      for (auto b = basis.rbegin(); b != basis.rend(); ++b) most = std::max(most, most ^ *b);
      if (g.lo > 0 || most > static_cast<u64>(std::max<i64>(g.hi, -1))) return unknown(kName, "a bound is exceeded");
      if (g.hi < 0) return unknown(kName, "a bound is exceeded");
    }
    if (!at) continue;
    if (!p.assume.empty() || !p.params.empty()) return unknown(kName, "guards or symbolic sizes");
    return refuted(kName, {digitsFromBits(*at, *bits)});
  }
  return proved(kName, "the bit matrices agree");
}

}  // namespace tessera::prover
