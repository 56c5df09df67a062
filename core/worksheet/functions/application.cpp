// Application and composition of values: L(c) and f o g for each kind.
#include <fmt/format.h>

#include "core/worksheet/functions/calls.h"

namespace tessera {
namespace {

Diag outside(i64 value, i64 lo, i64 extent, const std::string& of) {
  const std::string range = lo == 0 ? fmt::format("[0, {})", extent) : fmt::format("[{}, {}]", lo, lo + (extent - 1));
  return Diag{fmt::format("{} is outside {}, the range of {}", value, range, of), "a point inside"};
}

// The coordinate as one number per mode. Accepts one number per mode, one per digit, or one linear index in the
// layout's own order.
Result<std::vector<i64>> digitsFor(const Arrow& arrow, const cute::IntTuple& coord) {
  const std::vector<Mode>& modes = arrow.from.modes;
  TESSERA_TRY(std::vector<i64> point, pointOf(coord));
  if (point.size() == 1 && modes.size() != 1) {
    const auto size = sizeOf(arrow);
    if (point[0] < 0 || (size && point[0] >= *size)) {
      return Diag{fmt::format("{} is not an index of the {} points of {}", point[0],
                              size ? std::to_string(*size) : "2^63", print(arrow)),
                  "an index inside"};
    }
    point = delinearize(point[0], extentsOf(arrow.from), arrow.from.order);
    for (std::size_t k = 0; k < point.size(); ++k) point[k] += modes[k].lo;
  }
  const std::vector<int> index = arrow.map.indexDigits();
  if (point.size() == index.size() && point.size() != modes.size()) {  // one number per leaf
    std::vector<i64> digits(arrow.map.digits().size(), 0);
    for (std::size_t k = 0; k < index.size(); ++k) {
      const Digit& d = arrow.map.digits()[static_cast<std::size_t>(index[k])];
      if (point[k] < 0 || point[k] >= d.extent) return outside(point[k], 0, d.extent, d.name);
      digits[static_cast<std::size_t>(index[k])] = point[k];
    }
    return digits;
  }
  if (point.size() != modes.size()) {
    return Diag{fmt::format("the layout has {} dimension{}, but the point has {}", modes.size(),
                            modes.size() == 1 ? "" : "s", point.size()),
                "one integer for each dimension"};
  }
  for (std::size_t k = 0; k < point.size(); ++k) {
    if (point[k] < modes[k].lo || point[k] - modes[k].lo >= modes[k].extent())
      return outside(point[k], modes[k].lo, modes[k].extent(),
                     modes[k].name.empty() ? fmt::format("dimension {}", k) : modes[k].name);
  }
  return digitsAt(arrow, point);
}

// Every value at the coordinate: a number for one axis, a tuple for several; a list of them if there are replicas.
Result<Value> applyArrow(const Arrow& arrow, const cute::IntTuple& coord) {
  if (!arrow.map.params().empty())
    return Diag{"this map has parameters, and their values are not known", "a map without parameters"};
  TESSERA_TRY(const std::vector<i64> digits, digitsFor(arrow, coord));
  const auto found = imagesAt(arrow, digits, 4096);
  if (!found) return Diag{"this point has more than 4096 values", "a map with fewer replicas"};
  std::vector<cute::IntTuple> images;
  for (const std::vector<i64>& image : *found) {
    std::vector<cute::IntTuple> values(image.begin(), image.end());
    images.push_back(values.size() == 1 ? values.front() : cute::IntTuple::tuple(std::move(values)));
  }
  if (images.empty()) return Diag{fmt::format("{} is outside the map's constraints", print(coord)), "a point inside"};
  return normalised(images.size() == 1 ? images.front() : cute::IntTuple::tuple(std::move(images)));
}

}  // namespace

Result<std::vector<i64>> pointOf(const cute::IntTuple& coord) {
  std::vector<i64> point;
  for (const cute::IntTuple& leaf : coord.leaves()) {
    if (!leaf.isPlain()) return Diag{fmt::format("{} is not a point", print(coord)), "integers"};
    point.push_back(leaf.value());
  }
  return point;
}

Result<Value> applyValue(const Value& function, const cute::IntTuple& coord) {
  if (coord.hasWildcard()) return sliceValue(function, coord);
  const auto* layout = std::get_if<Layout>(&function);
  if (layout == nullptr) {
    return Diag{fmt::format("{} is not a function and cannot be applied to {}", nounOf(function), print(coord)),
                "a layout, a swizzle or a map before the parenthesis"};
  }
  if (const FamilyRow* row = familyRowOf(function); row != nullptr && row->apply != nullptr) {
    if (auto own = row->apply(*layout, coord)) return *std::move(own);
  }
  TESSERA_TRY(const Arrow arrow, layout->arrow());
  return applyArrow(arrow, coord);
}

Result<Value> composeValues(const Value& outer, const Value& inner) {
  for (const Value* side : {&outer, &inner}) {
    const FamilyRow* row = familyRowOf(*side);
    if (row == nullptr || row->compose == nullptr) continue;
    if (auto own = row->compose(outer, inner)) return *std::move(own);
  }
  return composeCute(outer, inner);
}

}  // namespace tessera
