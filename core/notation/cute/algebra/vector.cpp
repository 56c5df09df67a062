#include "core/notation/cute/algebra/vector.h"

#include <algorithm>
#include <numeric>

#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/index_function.h"
#include "core/notation/cute/algebra/inverse.h"

namespace tessera::cute {

namespace {

// The first i with A(R(i)) != i, or size(R). Used when A o R is not a layout, so CuTe's way is closed.
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

// R on its first n' <= n elements, the most for which that is a layout.
Result<Layout> truncated(const Layout& r, i64 n) {
  i64 whole = 1;
  for (const LayoutLeaf& l : flatLeaves(r)) {
    if (whole * l.extent > n) return composition(r, *Layout::make(IntTuple(whole * (n / whole)), IntTuple(1)));
    whole *= l.extent;
  }
  return r;
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
  if (n <= 1) return Layout();
  return truncated(inverse, n);
}

Result<i64> maxCommonVector(const Layout& a, const Layout& b) {
  TESSERA_TRY(const Layout common, maxCommonLayout(a, b));
  return common.size();
}

Result<i64> maxCommonVector(const ComposedLayout& a, const Layout& b) {
  TESSERA_TRY(const i64 n, maxCommonVector(a.inner(), b));
  if (a.outerLayout() != nullptr) return Diag{"max_common_vector of an affine composed layout", "a swizzle", "", {}};
  const Swizzle s = a.elementSwizzle();
  if (s.isIdentity()) return n;
  return std::min(n, i64{1} << s.base());
}

Result<i64> maxCommonVector(const ComposedLayout& a, const ComposedLayout& b) {
  TESSERA_TRY(const i64 n, maxCommonVector(a, b.inner()));
  const Swizzle s = b.elementSwizzle();
  return s.isIdentity() ? n : std::min(n, i64{1} << s.base());
}

Result<i64> maxAlignment(const Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "max_alignment"));
  TESSERA_TRY(const Layout flat, coalesce(layout));
  TESSERA_TRY(const Layout inverse, rightInverse(flat));
  i64 n = inverse.size();
  i64 run = 1;
  // The modes that the run chained have strides below it; the others must start vectors at multiples.
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
