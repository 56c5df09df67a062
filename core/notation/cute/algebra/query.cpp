#include "core/notation/cute/algebra/query.h"

#include <algorithm>

#include "core/base/mapped.h"

namespace tessera::cute {

Result<i64> size(const Layout& layout) { return product(layout.shape()); }
Result<i64> size(const ComposedLayout& layout) { return product(layout.shape()); }

namespace {

IntTuple plusOne(const IntTuple& t) {
  if (t.isLeaf()) return t.value() + 1;
  auto out = mapped<IntTuple>(t.children(), [&](const IntTuple& c) { return plusOne(c); });
  return IntTuple::tuple(std::move(out));
}

}  // namespace

Result<IntTuple> cosize(const Layout& layout) {
  TESSERA_CHECKED(requireKnown(layout, "cosize"));
  if (!layout.hasBasis()) return IntTuple(layout.cosize());
  std::vector<IntTuple> last;
  std::vector<IntTuple> strides;
  for (const LayoutLeaf& l : flatLeaves(layout)) {
    last.emplace_back(l.extent - 1);
    const i64 d = l.stride.value();
    strides.push_back(IntTuple::scaledBasis(d < 0 ? -d : d, l.stride.basis()));
  }
  TESSERA_TRY(const IntTuple top,
              crd2idx(withLeaves(layout.shape(), last), layout.shape(), withLeaves(layout.shape(), strides)));
  return plusOne(top);
}

Result<IntTuple> cosize(const ComposedLayout& layout) { return cosize(layout.inner()); }

}  // namespace tessera::cute
