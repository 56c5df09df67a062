#include "core/notation/axe/map.h"

#include <fmt/format.h>

#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/axes.h"

namespace tessera::axe {

namespace {

// Adds sum of digit * stride for iters that split `index` (slowest first), 0 <= index < product of their extents.
void addBlock(std::map<std::string, Expr>& values, const std::vector<Iter>& block, const Expr& index) {
  i64 below = 1;
  for (std::size_t k = block.size(); k-- > 0;) {
    const Iter& it = block[k];
    Expr digit = floorDiv(index, below);
    if (k > 0) digit = mod(digit, it.extent);  // the slowest digit takes the rest
    values[it.axis] = values[it.axis] + digit * it.stride;
    below *= it.extent;
  }
}

std::optional<i64> codomain(const Layout& layout, const std::string& axis) {
  const auto [least, most] = rangeOn(layout, axis);
  const AxisInfo* info = findAxis(axis);
  if (info != nullptr && info->bound && least >= 0 && most < *info->bound) return *info->bound;
  if (least < 0) return std::nullopt;
  return most + 1;
}

}  // namespace

Result<Map> toMap(const Layout& layout, const std::vector<i64>& shape) {
  auto bound = layout.over(shape);
  if (!bound) return bound.error();
  std::vector<Digit> digits;
  for (std::size_t k = 0; k < shape.size(); ++k)
    digits.push_back({shape.size() == 1 ? std::string("x") : fmt::format("d{}", k), shape[k], DigitKind::Index});
  std::map<std::string, Expr> values;
  for (const std::string& axis : layout.axes()) values[axis] = Expr::constant(layout.offsetOn(axis));
  if (const auto grouping = group(layout.withoutShape(), shape, false)) {
    for (std::size_t k = 0; k < shape.size(); ++k)
      addBlock(values, grouping->block(k), Expr::digit(static_cast<int>(k)));
  } else {
    Expr linear;
    for (std::size_t k = 0; k < shape.size(); ++k) linear = linear * shape[k] + Expr::digit(static_cast<int>(k));
    addBlock(values, layout.shard(), linear);
  }
  for (std::size_t t = 0; t < layout.replica().size(); ++t) {
    const Iter& it = layout.replica()[t];
    values[it.axis] = values[it.axis] + Expr::digit(static_cast<int>(digits.size())) * it.stride;
    digits.push_back({fmt::format("r{}", t), it.extent, DigitKind::Fan});
  }
  std::vector<Axis> axes;
  for (const auto& [axis, value] : values) axes.push_back({axis, value, codomain(layout, axis)});
  return Map::create(std::move(digits), std::move(axes));
}

Result<Map> toMap(const Layout& layout) { return toMap(layout, layout.domain()); }

}  // namespace tessera::axe
