#include "core/notation/cute/algebra/moved_swizzle.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/index_function.h"

namespace tessera::cute {

std::vector<i64> valuesOf(const Layout& layout) {
  LAYOUT_CHECK(layout.isPlain() && layout.size() <= kTableLimit, "a table of a plain layout within the limit");
  std::vector<i64> out = {0};
  out.reserve(static_cast<std::size_t>(layout.size()));
  for (const LayoutLeaf& l : flatLeaves(layout)) {
    const std::size_t count = out.size();
    for (i64 digit = 1; digit < l.extent; ++digit) {
      for (std::size_t k = 0; k < count; ++k) out.push_back(out[k] + digit * l.stride.value());
    }
  }
  return out;
}

std::optional<Swizzle> masksThrough(const Layout& layout, const Swizzle& s) {
  const Result<Layout> wide = coalesceUnbounded(layout);
  if (!wide) return std::nullopt;
  const IndexFunction f(*wide);
  const auto from = f.at(s.yyyMask());
  const auto to = f.at(s.zzzMask());
  if (!from || !to || from->size() != 1 || to->size() != 1) return std::nullopt;
  const Result<Swizzle> moved = Swizzle::fromMasks((*from)[0], (*to)[0]);
  if (!moved) return std::nullopt;
  return *moved;
}

MovedSwizzle movedSwizzle(const std::vector<i64>& from, const std::vector<i64>& to,
                          const std::optional<Swizzle>& first) {
  const i64 size = static_cast<i64>(from.size());
  MovedSwizzle best{Swizzle(), -1};
  // True if the whole table agrees, so nothing better exists.
  const auto whole = [&](const Swizzle& s) {
    i64 prefix = 0;
    while (prefix < size && s(from[static_cast<std::size_t>(prefix)]) == to[static_cast<std::size_t>(prefix)]) ++prefix;
    if (prefix > best.prefix) best = {s, prefix};
    return prefix == size;
  };
  if (first && whole(*first)) return best;
  if (whole(Swizzle())) return best;
  i64 most = 1;
  for (const std::vector<i64>* table : {&from, &to}) {
    for (const i64 v : *table) most = std::max(most, v);
  }
  const int width = static_cast<int>(std::bit_width(static_cast<u64>(most)));
  for (int bits = 1; 2 * bits <= width; ++bits) {
    for (int base = 0; base + 2 * bits <= width; ++base) {
      for (int shift = bits; base + bits + shift <= width; ++shift) {
        for (const int signedShift : {shift, -shift}) {
          const Result<Swizzle> s = Swizzle::make(bits, base, signedShift);
          if (s && whole(*s)) return best;
        }
      }
    }
  }
  return best;
}

}  // namespace tessera::cute
