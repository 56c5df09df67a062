#include "core/notation/cute/algebra/recast.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/index_function.h"

namespace tessera::cute {

namespace {

Result<void> checkFactor(i64 n, std::string_view operation) {
  if (n >= 1) return {};
  return Diag{fmt::format("{} by {}", operation, n), "a factor of at least 1"};
}

struct Remainders {
  i128 positive = 0;  // largest sum of the remainders mod n, over leaves of stride > 0
  i128 negative = 0;
  bool positiveQuotient = false;  // some leaf of stride > 0 spans a whole element
  bool negativeQuotient = false;
};

// Truncating division distributes over the leaves iff the remainders never carry (see the law in the header).
Result<void> checkNoCarry(const Remainders& r, i64 n) {
  if (r.positive < n && r.negative < n && !(r.positive > 0 && r.negativeQuotient) &&
      !(r.negative > 0 && r.positiveQuotient)) {
    return {};
  }
  return Diag{
      fmt::format("upcast by {}: elements of several modes would share a new element (their offsets below {} add "
                  "up to {})",
                  n, n, static_cast<i64>(std::max(r.positive, r.negative))),
      "one contiguous mode below the new element's size"};
}

}  // namespace

Result<Layout> upcast(const Layout& layout, i64 n) {
  TESSERA_CHECKED(checkFactor(n, "upcast"));
  TESSERA_CHECKED(requirePlain(layout, "upcast"));
  std::vector<IntTuple> shape;
  std::vector<IntTuple> stride;
  Remainders remainders;
  for (const LayoutLeaf& l : flatLeaves(layout)) {
    const i64 d = l.stride.value();
    const i64 width = d < 0 ? -d : d;
    if (d == 0 || width % n == 0) {
      shape.emplace_back(l.extent);
      stride.emplace_back(d / n);
      if (l.extent > 1 && d > 0) remainders.positiveQuotient = true;
      if (l.extent > 1 && d < 0) remainders.negativeQuotient = true;
      continue;
    }
    if (n % width != 0) {
      return Diag{fmt::format("upcast by {}: stride {} is neither a multiple of {} nor divides it", n, d, n),
                  "strides that fit the new element"};
    }
    const i64 share = n / width;
    shape.emplace_back(ceilDiv(l.extent, share));
    stride.emplace_back(d < 0 ? -1 : 1);
    const i128 most = static_cast<i128>(width) * (std::min(l.extent, share) - 1);
    (d > 0 ? remainders.positive : remainders.negative) += most;
    if (l.extent > share) (d > 0 ? remainders.positiveQuotient : remainders.negativeQuotient) = true;
  }
  TESSERA_CHECKED(checkNoCarry(remainders, n));
  return Layout::make(withLeaves(layout.shape(), shape).withStatic(layout.isStatic()),
                      withLeaves(layout.shape(), stride).withStatic(layout.isStatic()));
}

Result<Layout> downcast(const Layout& layout, i64 n) {
  TESSERA_CHECKED(checkFactor(n, "downcast"));
  TESSERA_CHECKED(requirePlain(layout, "downcast"));
  if (n == 1) return layout;
  const std::vector<LayoutLeaf> leaves = flatLeaves(layout);
  // The leaf that receives the new elements: of |stride| 1, preferably a moving one.
  std::size_t unit = leaves.size();
  int moving = 0;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    if (leaves[k].stride.value() != 1 && leaves[k].stride.value() != -1) continue;
    if (leaves[k].extent > 1) ++moving;
    if (unit == leaves.size() || (leaves[k].extent > 1 && leaves[unit].extent == 1)) unit = k;
  }
  if (unit == leaves.size() || moving > 1) {
    return Diag{fmt::format("downcast by {}: {} has {} modes of stride 1", n, print(layout),
                            unit == leaves.size() ? "no" : std::to_string(moving)),
                "exactly one mode of stride 1, which takes the new elements"};
  }
  std::vector<IntTuple> shape;
  std::vector<IntTuple> stride;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const i64 d = leaves[k].stride.value();
    const auto wide = checkedMul(d, n);
    const auto extent = checkedMul(leaves[k].extent, n);
    if (!wide || (k == unit && !extent)) return Diag{"downcast: sizes do not fit in 64 bits", "a smaller factor"};
    if (k != unit) {
      shape.emplace_back(leaves[k].extent);
      stride.emplace_back(*wide);
    } else if (d == 1) {
      shape.emplace_back(*extent);
      stride.emplace_back(1);
    } else {  // descending: the parts of an element still ascend, so (n, s):(1, -n)
      shape.push_back(IntTuple::tuple({n, leaves[k].extent}));
      stride.push_back(IntTuple::tuple({1, *wide}));
    }
  }
  return Layout::make(withLeaves(layout.shape(), shape).withStatic(layout.isStatic()),
                      withLeaves(layout.shape(), stride).withStatic(layout.isStatic()));
}

Result<Layout> recastLayout(const Layout& layout, i64 oldBits, i64 newBits) {
  if (oldBits < 1 || newBits < 1) {
    return Diag{fmt::format("recast from {} to {} bits", oldBits, newBits), "at least 1 bit"};
  }
  const i64 common = std::gcd(oldBits, newBits);
  if (oldBits == newBits) return layout;
  Layout out = layout;
  if (oldBits != common) {
    TESSERA_TRY(out, downcast(out, oldBits / common));
  }
  if (newBits != common) {
    TESSERA_TRY(out, upcast(out, newBits / common));
  }
  return out;
}

}  // namespace tessera::cute
