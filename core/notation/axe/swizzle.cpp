#include "core/notation/axe/swizzle.h"

#include <fmt/format.h>

#include "core/base/arith.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/eval.h"

namespace tessera::axe {

Result<Swizzle> Swizzle::create(i64 perElement, i64 swizzleLen, i64 atomLen, bool inner) {
  if (perElement < 0 || swizzleLen < 0 || atomLen < 0)
    return Diag{fmt::format("swizzle ({}, {}, {}) has a negative number of bits", perElement, swizzleLen, atomLen)};
  if (atomLen < swizzleLen)
    return Diag{fmt::format("atom_len {} is less than swizzle_len {}: the bits would overlap", atomLen, swizzleLen),
                "atom_len >= swizzle_len"};
  if (perElement > 60 || atomLen > 60 || perElement + swizzleLen + atomLen > 60)
    return Diag{fmt::format("swizzle ({}, {}, {}) is wider than 60 bits", perElement, swizzleLen, atomLen)};
  return Swizzle{perElement, swizzleLen, atomLen, inner};
}

i64 Swizzle::apply(i64 address) const {
  const i64 low = address & ((i64{1} << perElement) - 1);
  const i64 x = address >> perElement;
  const i64 mask = (i64{1} << swizzleLen) - 1;
  const i64 y = inner ? x ^ ((x >> atomLen) & mask) : x ^ ((x & mask) << atomLen);
  return (y << perElement) + low;
}

i64 Swizzle::period() const { return i64{1} << (perElement + swizzleLen + atomLen); }

Expr Swizzle::apply(const Expr& address) const {
  if (swizzleLen == 0) return address;
  const i64 element = i64{1} << perElement, atom = i64{1} << atomLen, count = i64{1} << swizzleLen;
  // The moved bits, at their targets. Nothing changes below 2^M, so the xor can apply to the address itself.
  if (inner) return address ^ (mod(floorDiv(address, element * atom), count) * element);
  return address ^ (mod(floorDiv(address, element), count) * (atom * element));
}

std::string print(const Swizzle& s) {
  return fmt::format("Swizzle({}, {}, {}{})", s.perElement, s.swizzleLen, s.atomLen, s.inner ? "" : ", outer");
}

Result<Composed> Composed::create(Swizzle swizzle, Layout tile) {
  TESSERA_TRY(const Swizzle checked,
              Swizzle::create(swizzle.perElement, swizzle.swizzleLen, swizzle.atomLen, swizzle.inner));
  for (const std::string& axis : tile.axes())
    if (axis != kMemoryAxis)
      return Diag{fmt::format("a swizzle permutes memory: the tile {} also uses axis {}", print(tile), axis)};
  const i64 least = rangeOn(tile, kMemoryAxis).first;
  if (least < 0) return Diag{fmt::format("the tile {} goes down to address {}", print(tile), least)};
  return Composed{checked, std::move(tile)};
}

Result<i64> addressOf(const Composed& layout, const std::vector<i64>& shape, const std::vector<i64>& coordinate) {
  TESSERA_TRY(const auto places, forward(layout.tile, shape, coordinate));
  if (places.size() != 1) return Diag{fmt::format("{} addresses: the tile has replicas", places.size())};
  const auto m = places[0].find(kMemoryAxis);
  return layout.swizzle.apply(m == places[0].end() ? 0 : m->second);
}

Result<Map> toMap(const Composed& layout, const std::vector<i64>& shape) {
  TESSERA_TRY(const Map base, toMap(layout.tile, shape));
  std::vector<Axis> axes = base.axes();
  for (Axis& axis : axes) {
    axis.value = layout.swizzle.apply(axis.value);
    // A swizzle permutes whole periods, so it reaches at most the end of the last one.
    if (axis.extent) axis.extent = roundUp(*axis.extent, layout.swizzle.period());
  }
  return Map::create(base.digits(), std::move(axes), base.guards(), base.params());
}

std::string print(const Composed& layout) { return print(layout.swizzle) + " o " + print(layout.tile); }

}  // namespace tessera::axe
