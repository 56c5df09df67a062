#include "core/notation/cute/algebra/vector.h"

#include <algorithm>
#include <numeric>

#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/index_function.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/moved_swizzle.h"
#include "core/notation/cute/algebra/slice.h"

namespace tessera::cute {

namespace {

// The first i with A(R(i)) != i, or size(R). Used if A o R is not a layout, so that CuTe's method does not apply.
Result<i64> agreement(const Layout& a, const Layout& r) {
  constexpr i64 kLimit = i64{1} << 20;
  if (r.size() <= kLimit) {
    const Layout flat = *coalesceUnbounded(a);
    for (i64 i = 0; i < r.size(); ++i) {
      if (flat(r(i)) != i) return i;
    }
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
  i64 lo = 1;
  i64 hi = n;
  while (lo < hi) {
    const i64 middle = lo + (hi - lo + 1) / 2;
    (largest(middle) < limit ? lo : hi) = largest(middle) < limit ? middle : middle - 1;
  }
  return lo;
}

// The largest power of two, at most `most`, that divides the offset: then an aligned vector stays aligned after it.
i64 alignmentOf(i64 offset, i64 most) { return offset == 0 ? most : std::min(most, offset & -offset); }

// The number of elements of `a` that stay together in every aligned vector.
Result<i64> vectorOf(const ComposedLayout& a, i64 n) {
  if (a.outerLayout() != nullptr) return Diag{"vectors of an affine composed layout", "a swizzle"};
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
  // The same swizzle on both sides moves the same elements: A o
  // right_inverse(B) is the identity while it stays below n.
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
  // The swizzle and the offset can keep at most the largest power of two in n together.
  if (layout.outerLayout() == nullptr && layout.elementSwizzle().isIdentity()) {
    TESSERA_TRY(const i64 offset, layout.elementOffset());
    return std::gcd(n, offset);
  }
  return vectorOf(layout, n & -n);
}

Result<i64> maxAlignment(const Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "max_alignment"));
  TESSERA_TRY(const Layout flat, coalesce(layout));
  TESSERA_TRY(const Layout inverse, rightInverse(flat));
  i64 n = inverse.size();
  i64 run = 1;
  // Modes chained by the run have smaller strides; the others must start vectors at multiples.
  std::vector<LayoutLeaf> rest = flatLeaves(flat);
  while (true) {
    const auto it = std::find_if(rest.begin(), rest.end(),
                                 [&](const LayoutLeaf& l) { return l.extent > 1 && l.stride.value() == run; });
    if (it == rest.end()) break;
    run *= it->extent;
    rest.erase(it);
  }
  for (const LayoutLeaf& l : rest) {
    if (l.extent > 1) n = std::gcd(n, l.stride.value());
  }
  return n;
}

}  // namespace tessera::cute
