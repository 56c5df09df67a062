#include "core/paste/python/einops.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/cursor.h"

namespace tessera::paste::python {
namespace {

struct Axis {
  std::string name;  // "" for a 1
  i64 extent = -1;
  i64 stride = 0;
};
using AxisGroup = std::vector<Axis>;

// b (h d) 1 s
Result<std::vector<AxisGroup>> groupsOf(std::string_view side) {
  Cursor in(side);
  std::vector<AxisGroup> out;
  while (!in.atEnd()) {
    AxisGroup group;
    const bool bracket = in.accept('(');
    do {
      if (bracket && in.accept(')')) break;
      if (in.accept("...")) return in.fail("an ellipsis in a pattern is not read", "a name for each dimension");
      if (in.atInteger()) {
        TESSERA_TRY(const i64 one, in.integer());
        if (one != 1) return in.fail("a number other than 1 in a pattern", "a name");
        group.push_back({"", 1, 0});
        continue;
      }
      TESSERA_TRY(std::string name, in.identifier("an axis"));
      group.push_back({std::move(name), -1, 0});
    } while (bracket && !in.accept(')'));
    out.push_back(std::move(group));
  }
  return out;
}

// The extents of one group of the left side, from that of its dimension.
Result<void> solve(AxisGroup& group, i64 extent, i64 stride, const std::vector<std::pair<std::string, i64>>& sizes) {
  i64 known = 1;
  Axis* open = nullptr;
  for (Axis& axis : group) {
    for (const auto& [name, size] : sizes)
      if (name == axis.name) axis.extent = size;
    if (axis.extent < 0) {
      if (open != nullptr)
        return Diag{fmt::format("the sizes of {} and {} are not given", open->name, axis.name), axis.name + "=8"};
      open = &axis;
    } else if (!mulInto(known, axis.extent)) {
      return Diag{"more than 2^63 elements", "a smaller shape"};
    }
  }
  if (known <= 0 || extent % known != 0)
    return Diag{fmt::format("an extent of {} is no multiple of {}", extent, known)};
  if (open != nullptr) open->extent = extent / known;
  if (open == nullptr && known != extent) return Diag{fmt::format("an extent of {} is not {}", extent, known)};
  for (std::size_t k = group.size(); k-- > 0;) {
    group[k].stride = stride;
    if (!mulInto(stride, std::max<i64>(group[k].extent, 1))) return Diag{"strides beyond 64 bits", "a smaller array"};
  }
  return {};
}

}  // namespace

Result<Rearranged> rearranged(const Strided& a, std::string_view pattern,
                              const std::vector<std::pair<std::string, i64>>& sizes) {
  const std::size_t arrow = pattern.find("->");
  if (arrow == std::string_view::npos) return Diag{"the pattern has no ->", "'b (h d) s -> b h s d'"};
  TESSERA_TRY(std::vector<AxisGroup> left, groupsOf(pattern.substr(0, arrow)));
  TESSERA_TRY(std::vector<AxisGroup> right, groupsOf(pattern.substr(arrow + 2)));
  if (left.size() != a.rank())
    return Diag{fmt::format("the pattern has {} dimensions, the array {}", left.size(), a.rank()),
                "one for each dimension"};
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < left.size(); ++k) {
    TESSERA_CHECKED(solve(left[k], a.shape[k], a.stride[k], sizes));
    axes.insert(axes.end(), left[k].begin(), left[k].end());
  }
  Strided split{{}, {}, a.offset};
  std::vector<i64> shape;
  std::size_t used = 0;
  for (AxisGroup& group : right) {
    i64 extent = 1;
    for (const Axis& axis : group) {
      const auto at = std::ranges::find(axes, axis.name, &Axis::name);
      if (!axis.name.empty() && at == axes.end())
        return Diag{fmt::format("{} is not on the left of the pattern", axis.name), "an axis of the left side"};
      const Axis found = axis.name.empty() ? axis : *at;
      used += axis.name.empty() ? 0 : 1;
      split.shape.push_back(found.extent);
      split.stride.push_back(found.stride);
      if (!mulInto(extent, found.extent)) return Diag{"more than 2^63 elements", "a smaller shape"};
    }
    shape.push_back(extent);
  }
  const auto named = std::ranges::count_if(axes, [](const Axis& x) { return !x.name.empty(); });
  if (used != static_cast<std::size_t>(named))
    return Diag{"an axis of the left side is missing on the right, or is there twice", "each axis once on each side"};
  TESSERA_TRY(auto view, viewed(split, shape));
  if (view) return Rearranged{*std::move(view), false};
  TESSERA_TRY(Strided copy, contiguous(shape));
  return Rearranged{std::move(copy), true};
}

}  // namespace tessera::paste::python
