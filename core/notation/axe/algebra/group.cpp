// Group by a shape, common refinements, permutation of dimensions, size and span (paper, appendix B and lemma C.1).
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/axes.h"

namespace tessera::axe {

namespace {

// Appends to `block` the iters of `rest`, from position `at` on, whose product is `want`, and advances `at`.
Result<void> takeBlock(std::vector<Iter>& rest, std::size_t& at, i64 want, const std::vector<i64>& shape,
                       std::vector<Iter>& block) {
  i64 left = want;
  while (left > 1) {
    Iter& it = rest[at];  // products agree, so there is one
    if (left % it.extent == 0) {
      left /= it.extent;
      block.push_back(it);
      ++at;
    } else if (it.extent % left == 0) {
      const i64 keep = it.extent / left;
      const std::optional<i64> stride = checkedMul(keep, it.stride);
      if (!stride) return Diag{fmt::format("splitting {}:{} overflows", it.extent, it.stride)};
      block.push_back({left, *stride, it.axis});
      it.extent = keep;
      left = 1;
    } else {
      return Diag{
          fmt::format("the layout does not group by {}: {} more elements are needed and the next iter has {}; "
                      "neither divides the other",
                      printShape(shape), left, it.extent)};
    }
  }
  return {};
}

}  // namespace

std::vector<Iter> Grouping::block(std::size_t j) const {
  const auto begin = layout.shard().begin();
  return {begin + static_cast<std::ptrdiff_t>(separators[j]), begin + static_cast<std::ptrdiff_t>(separators[j + 1])};
}

Result<Grouping> group(const Layout& layout, const std::vector<i64>& shape, bool canonicalizeFirst) {
  TESSERA_CHECKED(layout.over(shape));
  const Layout source = canonicalizeFirst ? canonicalize(layout.withoutShape()) : layout.withoutShape();
  std::vector<Iter> rest;
  for (const Iter& it : source.shard())
    if (it.extent > 1) rest.push_back(it);
  Grouping result;
  result.separators = {0};
  std::vector<Iter> all;
  std::size_t at = 0;
  for (const i64 extent : shape) {
    TESSERA_CHECKED(takeBlock(rest, at, extent, shape, all));
    result.separators.push_back(all.size());
  }
  if (all.empty()) {  // one element: the unit iter belongs to the last block
    all.push_back(Iter{});
    if (shape.size() + 1 == result.separators.size()) result.separators.back() = 1;
  }
  TESSERA_TRY(result.layout, detail::build(std::move(all), source.replica(), source.offset()));
  return result;
}

Result<GroupingMany> groupMany(const Layout& layout, const std::vector<std::vector<i64>>& shapes) {
  // Boundaries from the slow end: the number of elements inside one step of the dimensions before the cut.
  std::vector<i64> inner = {1, layout.size()};
  for (const auto& shape : shapes) {
    TESSERA_CHECKED(layout.over(shape));
    i64 p = 1;
    for (std::size_t k = shape.size(); k-- > 0;) inner.push_back(p *= shape[k]);
  }
  std::ranges::sort(inner, std::greater<>());
  inner.erase(std::unique(inner.begin(), inner.end()), inner.end());
  std::vector<i64> refined;
  for (std::size_t k = 0; k + 1 < inner.size(); ++k) {
    if (inner[k] % inner[k + 1] != 0)
      return Diag{
          fmt::format("the shapes have no common refinement: boundaries after {} and {} of {} elements, and {} "
                      "does not divide {}",
                      inner[k + 1], inner[k], layout.size(), inner[k + 1], inner[k])};
    refined.push_back(inner[k] / inner[k + 1]);
  }
  if (refined.empty()) refined.push_back(1);
  TESSERA_TRY(Grouping grouping, group(layout, refined));
  GroupingMany many;
  for (const auto& shape : shapes) {
    std::vector<std::size_t> cuts = {0};
    std::size_t at = 0, block = 0;
    for (const i64 extent : shape) {
      i64 left = extent;
      while (left > 1) {
        left /= refined[block];
        at = grouping.separators[++block];
      }
      cuts.push_back(at);
    }
    cuts.back() = grouping.layout.shard().size();
    many.separators.push_back(std::move(cuts));
  }
  many.layout = std::move(grouping.layout);
  return many;
}

Result<Layout> permute(const Layout& layout, const std::vector<i64>& shape, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> identity(shape.size());
  std::iota(identity.begin(), identity.end(), std::size_t{0});
  if (!std::is_permutation(order.begin(), order.end(), identity.begin(), identity.end()))
    return Diag{
        fmt::format("the order is not a permutation of the {} dimensions of {}", shape.size(), printShape(shape))};
  TESSERA_TRY(const Grouping grouping, group(layout, shape));
  std::vector<Iter> shard;
  for (const std::size_t k : order) {
    const std::vector<Iter> block = grouping.block(k);
    shard.insert(shard.end(), block.begin(), block.end());
  }
  return detail::built(std::move(shard), grouping.layout.replica(), grouping.layout.offset());
}

i64 sizeOn(const Layout& layout, const std::string& axis) {
  i64 p = 1;
  for (const Iter& it : layout.shard())
    if (it.axis == axis) p *= it.extent;
  return p;
}

i64 span(const Layout& layout, const std::string& axis) {
  const auto [least, most] = rangeOn(layout, axis);
  return most - least + 1;
}

std::pair<i64, i64> rangeOn(const Layout& layout, const std::string& axis) {
  i64 least = layout.offsetOn(axis), most = least;
  for (const auto* list : {&layout.shard(), &layout.replica()}) {
    for (const Iter& it : *list) {
      if (it.axis != axis) continue;
      const i64 reach = it.stride * (it.extent - 1);
      (reach < 0 ? least : most) += reach;
    }
  }
  return {least, most};
}

// Packed elements, and the storage of one thread.

namespace {

bool onMemory(const std::string& axis) { return axisKind(axis) == AxisKind::Memory; }

}  // namespace

Result<Layout> unpack(const Layout& layout, i64 n) {
  if (n < 1) return Diag{fmt::format("an element cannot become {} elements", n)};
  detail::Scales scales;
  for (const std::string& axis : layout.axes())
    if (onMemory(axis)) scales[axis] = n;
  TESSERA_TRY(std::vector<Iter> shard, detail::scaled(layout.shard(), scales));
  TESSERA_TRY(std::vector<Iter> replica, detail::scaled(layout.replica(), scales));
  TESSERA_TRY(Place offset, detail::scaled(layout.offset(), scales));
  // The new digit goes on the memory axis of the last iter, else m.
  std::string axis = kMemoryAxis;
  for (const Iter& it : layout.shard())
    if (onMemory(it.axis) && it.extent > 1) axis = it.axis;
  shard.push_back({n, 1, axis});
  return detail::built(std::move(shard), std::move(replica), std::move(offset));
}

Result<Layout> pack(const Layout& layout, i64 n) {
  if (n < 1) return Diag{fmt::format("{} elements cannot become one", n)};
  const Layout canonical = canonicalize(layout.withoutShape());
  if (n == 1) return canonical;
  std::vector<Iter> shard = canonical.shard();
  Iter& last = shard.back();
  if (last.stride != 1 || !onMemory(last.axis) || last.extent % n != 0)
    return Diag{fmt::format("the fastest iter {}:{}@{} is not {} neighbours in memory", last.extent, last.stride,
                            last.axis, n)};
  last.extent /= n;
  std::vector<Iter> replica = canonical.replica();
  Place offset = canonical.offset();
  for (std::size_t k = 0; k < shard.size() + replica.size(); ++k) {
    Iter& it = k < shard.size() ? shard[k] : replica[k - shard.size()];
    if (!onMemory(it.axis) || it.extent == 1) continue;
    if (&it == &last) continue;  // n elements of stride 1 are now one element of stride 1
    if (it.stride % n != 0) return Diag{fmt::format("the stride {}@{} is not a multiple of {}", it.stride, it.axis, n)};
    it.stride /= n;
  }
  for (auto& [axis, value] : offset) {
    if (!onMemory(axis)) continue;
    if (value % n != 0) return Diag{fmt::format("the offset {}@{} is not a multiple of {}", value, axis, n)};
    value /= n;
  }
  return detail::built(std::move(shard), std::move(replica), std::move(offset));
}

Layout storage(const Layout& layout) {
  const auto keep = [](const std::vector<Iter>& iters) {
    std::vector<Iter> kept;
    for (const Iter& it : iters)
      if (axisKind(it.axis) != AxisKind::Thread) kept.push_back(it);
    return kept;
  };
  Place offset = layout.offset();
  std::erase_if(offset, [](const auto& entry) { return axisKind(entry.first) == AxisKind::Thread; });
  auto made = detail::build(keep(layout.shard()), keep(layout.replica()), std::move(offset));
  return made ? *std::move(made) : layout;  // parts of a valid layout are valid
}

}  // namespace tessera::axe
