#include "core/notation/cute/from_map.h"

#include <fmt/format.h>

#include "core/map/forms/swizzled.h"

namespace tessera::cute {

Result<std::variant<Layout, ComposedLayout>> fromMap(const Map& map) {
  using Either = std::variant<Layout, ComposedLayout>;
  if (const auto fans = map.fanDigits(); !fans.empty())
    return Diag{fmt::format("{} is ranged over: an element has several places, and in CuTe it has one",
                            map.digit(fans[0]).name),
                "a map without replicas"};
  if (!map.guards().empty())
    return Diag{"some of its coordinates are padding, and a CuTe layout has none", "a map without guards"};
  TESSERA_TRY(const Swizzled form, asSwizzled(map));
  std::vector<IntTuple> shape, stride;
  for (const std::vector<SwizzleLeaf>& leaves : form.digits) {
    std::vector<IntTuple> extents, strides;
    for (const SwizzleLeaf& leaf : leaves) {
      extents.emplace_back(leaf.extent);
      strides.emplace_back(leaf.extent == 1 ? 0 : leaf.stride);
    }
    shape.push_back(leaves.size() == 1 ? extents[0] : IntTuple::tuple(extents));
    stride.push_back(leaves.size() == 1 ? strides[0] : IntTuple::tuple(strides));
  }
  const bool one = shape.size() == 1;
  if (shape.empty()) shape.emplace_back(1), stride.emplace_back(0);
  TESSERA_TRY(Layout inner, Layout::make(one || map.digits().empty() ? shape[0] : IntTuple::tuple(shape),
                                         one || map.digits().empty() ? stride[0] : IntTuple::tuple(stride)));
  if (form.bits == 0 && form.offset == 0) return Either(std::move(inner));
  TESSERA_TRY(const Swizzle swizzle, Swizzle::make(form.bits, form.base, form.shift));
  TESSERA_TRY(ComposedLayout composed, ComposedLayout::make(swizzle, IntTuple(form.offset), std::move(inner)));
  return Either(std::move(composed));
}

}  // namespace tessera::cute
