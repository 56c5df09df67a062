#include "core/notation/cute/algebra/vector.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composed.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/modes.h"

namespace tessera::cute {

namespace {

// The first i with A(R(i)) != i, or size(R). Used if A o R is not a layout, so that CuTe's method does not apply.
Result<i64> agreement(const Layout& a, const Layout& r) {
  constexpr i64 kLimit = i64{1} << 20;
  if (r.size() <= kLimit) {
    const Layout flat = *coalesceUnbounded(a);
    for (i64 i = 0; i < r.size(); ++i)
      if (flat(r(i)) != i) return i;
    return r.size();
  }
  // One mode of R at a time: within mode 0 the agreement is a linear run.
  const IndexFunction f(a);
  const LayoutLeaf first = flatLeaves(r)[0];
  const StepMode mode{first.extent, first.stride.value()};
  const auto unit = f.at(mode.step);
  if (!unit || (*unit)[0] != 1) return 1;
  const auto line = f.linearity(std::span(&mode, 1));
  return line.answer == IndexFunction::Linearity::Answer::Breaks ? line.at[0] : first.extent;
}

// The largest n such that R(i) < limit for every i < n. Requires strides >= 0 and n <= size.
i64 withinDomain(const Layout& r, i64 n, i64 limit) {
  const std::vector<LayoutLeaf> leaves = flatLeaves(r);
  // The largest R(i) with i < count: some digit one less than in count - 1, and all digits below it maximal.
  const auto largest = [&](i64 count) {
    i64 rest = count - 1;
    i64 best = 0;       // of the digits so far, for any value up to count - 1
    i64 belowMost = 0;  // of the digits so far, all maximal
    for (const LayoutLeaf& l : leaves) {
      const i64 digit = rest % l.extent;
      rest /= l.extent;
      const i64 exact = best + digit * l.stride.value();
      best = digit > 0 ? std::max(exact, belowMost + (digit - 1) * l.stride.value()) : exact;
      belowMost += (l.extent - 1) * l.stride.value();
    }
    return best;
  };
  i64 lo = 1, hi = n;
  while (lo < hi) {
    const i64 middle = lo + (hi - lo + 1) / 2;
    (largest(middle) < limit ? lo : hi) = largest(middle) < limit ? middle : middle - 1;
  }
  return lo;
}

// The largest power of two, at most `most`, that divides the offset, so that an aligned vector stays aligned.
i64 alignmentOf(i64 offset, i64 most) { return offset == 0 ? most : std::min(most, offset & -offset); }

// The number of elements of `a` that stay together in every aligned vector.
Result<i64> vectorOf(const ComposedLayout& a, i64 n) {
  if (a.outerLayout() != nullptr) return Diag{"an affine composed layout has no vectors", "a swizzle"};
  TESSERA_TRY(const i64 offset, a.elementOffset());
  const Swizzle s = a.elementSwizzle();
  if (!s.isIdentity()) n = std::min(n, i64{1} << s.base());
  return alignmentOf(offset, n);
}

}  // namespace

Result<Layout> maxCommonLayout(const Layout& a, const Layout& b) {
  TESSERA_CHECKED(requirePlain(a, "max_common_layout"));
  TESSERA_TRY(const Layout inverse, rightInverse(b));
  i64 n = 1;
  if (const Result<Layout> through = composition(a, inverse)) {
    TESSERA_TRY(const Layout common, coalesce(*through));
    const LayoutLeaf first = flatLeaves(common)[0];
    if (first.stride.value() == 1) n = first.extent;
  } else {
    TESSERA_TRY(n, agreement(a, inverse));
  }
  n = std::min(n, withinDomain(inverse, inverse.size(), a.size()));
  if (n <= 1) return unitBeside(a);
  return prefixOf(inverse, n);
}

Result<i64> maxCommonVector(const Layout& a, const Layout& b) {
  TESSERA_TRY(const Layout common, maxCommonLayout(a, b));
  return common.size();
}

Result<i64> maxCommonVector(const ComposedLayout& a, const Layout& b) {
  TESSERA_TRY(const i64 n, maxCommonVector(a.inner(), b));
  return vectorOf(a, n);
}

Result<i64> maxCommonVector(const ComposedLayout& a, const ComposedLayout& b) {
  TESSERA_TRY(i64 n, maxCommonVector(a.inner(), b.inner()));
  TESSERA_TRY(const i64 ofA, a.elementOffset());
  TESSERA_TRY(const i64 ofB, b.elementOffset());
  // The same swizzle on both sides moves the same elements: A o right_inverse(B) is the identity below n.
  const Swizzle s = a.elementSwizzle();
  const bool both = a.outerLayout() == nullptr && b.outerLayout() == nullptr && s == b.elementSwizzle();
  if (both && ofA == 0 && ofB == 0 && n <= kTableLimit) {
    i64 i = 0;
    while (i < n && s(i) < n) ++i;
    if (i == n) return n;
  }
  TESSERA_TRY(n, vectorOf(a, n));
  return vectorOf(b, n);
}

Result<Layout> maxCommonLayout(const ComposedLayout& a, const Layout& b) {
  TESSERA_TRY(const i64 n, maxCommonVector(a, b));
  if (n <= 1) return unitBeside(a.inner());
  TESSERA_TRY(const Layout inverse, rightInverse(b));
  return prefixOf(inverse, n);
}

Result<i64> maxAlignment(const ComposedLayout& layout) {
  TESSERA_TRY(const i64 n, maxAlignment(layout.inner()));
  // The swizzle and the offset keep at most the largest power of two that divides n together.
  if (layout.outerLayout() == nullptr && layout.elementSwizzle().isIdentity()) {
    TESSERA_TRY(const i64 offset, layout.elementOffset());
    return std::gcd(n, offset);
  }
  return vectorOf(layout, n & -n);
}

Result<i64> maxAlignment(const Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "max_alignment"));
  TESSERA_TRY(const Layout flat, coalesce(layout));
  i64 n = 1;  // the contiguous run from 0
  // The chained modes form the run; all other modes must start vectors at multiples of n.
  std::vector<LayoutLeaf> rest = flatLeaves(flat);
  while (true) {
    const auto it =
        std::ranges::find_if(rest, [&](const LayoutLeaf& l) { return l.extent > 1 && l.stride.value() == n; });
    if (it == rest.end()) break;
    n *= it->extent;
    rest.erase(it);
  }
  for (const LayoutLeaf& l : rest)
    if (l.extent > 1) n = std::gcd(n, l.stride.value());
  return n;
}

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
  std::vector<std::vector<LayoutLeaf>> leaves;
  Remainders remainders;
  for (const LayoutLeaf& l : flatLeaves(layout)) {
    const i64 d = l.stride.value();
    const i64 width = d < 0 ? -d : d;
    if (d == 0 || width % n == 0) {
      leaves.push_back({{l.extent, d / n}});
      if (l.extent > 1 && d > 0) remainders.positiveQuotient = true;
      if (l.extent > 1 && d < 0) remainders.negativeQuotient = true;
      continue;
    }
    if (n % width != 0)
      return Diag{fmt::format("upcast by {}: stride {} is neither a multiple nor a divisor of {}", n, d, n),
                  "strides that fit the new element"};
    const i64 share = n / width;
    leaves.push_back({{ceilDiv(l.extent, share), d < 0 ? -1 : 1}});
    const i128 most = static_cast<i128>(width) * (std::min(l.extent, share) - 1);
    (d > 0 ? remainders.positive : remainders.negative) += most;
    if (l.extent > share) (d > 0 ? remainders.positiveQuotient : remainders.negativeQuotient) = true;
  }
  TESSERA_CHECKED(checkNoCarry(remainders, n));
  return refined(layout.shape(), leaves, layout.isStatic());
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
  if (unit == leaves.size() || moving > 1)
    return Diag{fmt::format("downcast by {}: {} has {} modes of stride 1", n, print(layout),
                            unit == leaves.size() ? "no" : std::to_string(moving)),
                "exactly one mode of stride 1, which takes the new elements"};
  std::vector<std::vector<LayoutLeaf>> out;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const i64 d = leaves[k].stride.value();
    const auto wide = checkedMul(d, n);
    const auto extent = checkedMul(leaves[k].extent, n);
    if (!wide || (k == unit && !extent)) return Diag{"downcast: sizes do not fit in 64 bits", "a smaller factor"};
    if (k != unit) {
      out.push_back({{leaves[k].extent, *wide}});
    } else if (d == 1) {
      out.push_back({{*extent, 1}});
    } else {  // descending: the parts of an element still ascend, so (n, s):(1, -n)
      out.push_back({{n, 1}, {leaves[k].extent, *wide}});
    }
  }
  return refined(layout.shape(), out, layout.isStatic());
}

Result<Layout> recastLayout(const Layout& layout, i64 oldBits, i64 newBits) {
  if (oldBits < 1 || newBits < 1)
    return Diag{fmt::format("recast from {} to {} bits", oldBits, newBits), "at least 1 bit"};
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
