#include "core/map/forms/shift_xor.h"

#include <algorithm>
#include <bit>
#include <map>

#include "core/base/lanes.h"
#include "core/map/forms/recognise.h"

namespace tessera {

std::optional<ShiftXor> ShiftXor::of(const Expr& e, i64 top) {
  constexpr std::size_t kMostTerms = 4;
  const int bits = static_cast<int>(std::bit_width(static_cast<u64>(std::max<i64>(top, 1))));
  if (top < 0 || bits > 62) return std::nullopt;
  const auto map = Map::create({{"x", i64{1} << bits, DigitKind::Index}}, {{"y", e, std::nullopt}});
  if (!map) return std::nullopt;
  const auto form = asF2(*map);
  if (!form) return std::nullopt;
  std::map<int, u64> diagonals;  // shift distance -> the bits that move by it
  for (std::size_t column = 0; column < form->matrix.columns.size(); ++column) {
    for (u64 rest = form->matrix.columns[column]; rest != 0; rest &= rest - 1)
      diagonals[std::countr_zero(rest) - static_cast<int>(column)] |= u64{1} << column;
  }
  if (diagonals.size() > kMostTerms) return std::nullopt;
  ShiftXor made;
  made.constant_ = form->constant;
  for (const auto& [up, mask] : diagonals) made.terms_.push_back({mask, std::max(up, 0), std::max(-up, 0)});
  return made;
}

i64 ShiftXor::at(i64 x) const {
  u64 y = constant_;
  for (const Term& t : terms_) y ^= (static_cast<u64>(x) & t.mask) << t.left >> t.right;
  return static_cast<i64>(y);
}

// A swizzle has two terms, the bits themselves and those that move down (or up): two lanes at a time, with the masks
// and the shift in registers.
void ShiftXor::ofSums(i64* to, const i64* from, std::size_t count, i64 base) const {
  std::size_t i = 0;
  const auto two = [&](const Term& moved, auto shift) {
    const auto start = static_cast<u64>(base);
    const u64 still = (&moved == &terms_[0] ? terms_[1] : terms_[0]).mask;
    const ULanes c = {constant_, constant_}, keep = {still, still}, move = {moved.mask, moved.mask},
                 first = {start, start};
    for (; i + 4 <= count; i += 4) {
      const ULanes x = first + (ULanes)loadLanes(from + i);
      const ULanes y = first + (ULanes)loadLanes(from + i + 2);
      storeLanes(to + i, (Lanes)(c ^ (x & keep) ^ shift(x & move)));
      storeLanes(to + i + 2, (Lanes)(c ^ (y & keep) ^ shift(y & move)));
    }
  };
  if (terms_.size() == 2) {
    const auto stays = [](const Term& t) { return t.left == 0 && t.right == 0; };
    const Term& moved = stays(terms_[0]) ? terms_[1] : terms_[0];
    const int by = moved.left + moved.right;
    if (stays(&moved == &terms_[0] ? terms_[1] : terms_[0])) {
      if (moved.right > 0) {
        two(moved, [by](ULanes v) { return v >> by; });
      } else {
        two(moved, [by](ULanes v) { return v << by; });
      }
    }
  }
  for (; i < count; ++i) to[i] = at(base + from[i]);
}

}  // namespace tessera
