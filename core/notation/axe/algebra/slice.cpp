// Slice: the layout of a box (paper, appendix E, with a corrected capacity test and an exact fallback).
//
// For one dimension: given a block of iters, a begin b and a length T, find iters for g(y) = f(b+y) - f(b), 0 <= y < T.
// The fast rules start at the fastest digit: a digit that starts at 0 and whose extent divides the remaining length is
// kept; then the pivot either does not wrap, or wraps once in the middle. Otherwise g is tabulated if T is at most
// 2^20. Canonical iters are unique, so the fastest one has stride g(1) and exactly the extent of the linear run at 0;
// the rest is the same problem for g at multiples of that extent.
#include <fmt/format.h>

#include "core/base/arith.h"
#include "core/notation/axe/algebra/algebra.h"

namespace tessera::axe {

namespace {

using detail::placeAt;
using detail::sum;

constexpr i64 kMostEnumerated = i64{1} << 20;

// The iters (slowest first) by the fast rules; nullopt if they do not apply.
std::optional<std::vector<Iter>> byRules(const std::vector<Iter>& block, i64 begin, i64 length) {
  std::vector<Iter> tail;
  i64 left = length;
  std::size_t k = block.size();
  i64 rest = begin;
  while (k > 0 && left > 1 && rest % block[k - 1].extent == 0 && left % block[k - 1].extent == 0) {
    left /= block[k - 1].extent;
    rest /= block[k - 1].extent;
    tail.insert(tail.begin(), block[--k]);
  }
  if (left == 1) return tail;
  if (k == 0) return std::nullopt;
  const Iter& pivot = block[k - 1];
  const i64 digit = rest % pivot.extent;
  if (digit + left <= pivot.extent) {
    tail.insert(tail.begin(), {left, pivot.stride, pivot.axis});
    return tail;
  }
  // One wrap, in the middle: c elements, a carry into the next iter, c elements. The next digit must not carry.
  const i64 half = left / 2;
  if (left % 2 != 0 || digit + half != pivot.extent || k < 2) return std::nullopt;
  const Iter& next = block[k - 2];
  const i64 nextDigit = rest / pivot.extent % next.extent;
  if (next.axis != pivot.axis || nextDigit + 1 >= next.extent) return std::nullopt;
  const std::optional<i64> back = checkedMul(pivot.extent - half, pivot.stride);
  const std::optional<i64> delta = back ? checkedSub(next.stride, *back) : std::nullopt;
  if (!delta) return std::nullopt;
  tail.insert(tail.begin(), {half, pivot.stride, pivot.axis});
  tail.insert(tail.begin(), {2, *delta, pivot.axis});
  return tail;
}

// The iters of the table g; a Diag names where it is not linear.
Result<std::vector<Iter>> byTable(std::vector<Place> g) {
  std::vector<Iter> iters;
  i64 scale = 1;  // elements per step of this level
  while (g.size() > 1) {
    const Place step = g[1];
    if (step.size() > 1)
      return Diag{fmt::format("element {} moves on {} axes at once, which no iter can do", scale, step.size())};
    i64 run = 2;
    while (run < static_cast<i64>(g.size()) && g[static_cast<std::size_t>(run)] == sum({}, step, run)) ++run;
    if (static_cast<i64>(g.size()) % run != 0)
      return Diag{fmt::format("a run of {} steps does not divide the {} elements", run, g.size())};
    std::vector<Place> coarse;
    for (std::size_t z = 0; z < g.size(); z += static_cast<std::size_t>(run)) {
      for (i64 y = 1; y < run; ++y)
        if (sum(g[z + static_cast<std::size_t>(y)], g[z], -1) != sum({}, step, y))
          return Diag{fmt::format("the run that starts at element {} is broken at element {}",
                                  static_cast<i64>(z) * scale, (static_cast<i64>(z) + y) * scale)};
      coarse.push_back(g[z]);
    }
    iters.insert(iters.begin(), {run, step.empty() ? 0 : step.begin()->second,
                                 step.empty() ? std::string(kMemoryAxis) : step.begin()->first});
    scale *= run;
    g = std::move(coarse);
  }
  return iters;
}

// For a layout that does not group by the shape: tabulates the elements of the box in row-major order.
Result<Layout> sliceOfBox(const Layout& layout, const std::vector<i64>& shape, const Region& region,
                          const Diag& ungrouped) {
  i64 size = 1, all = 1;
  for (std::size_t j = 0; j < shape.size(); ++j) {
    const bool fits = mulInto(size, region[j].second - region[j].first) && mulInto(all, shape[j]);
    if (!fits || size > kMostEnumerated) return ungrouped;
  }
  if (all != layout.size()) return ungrouped;
  const auto indexOf = [&](i64 y) {  // index in the whole of the box's element y
    i64 index = 0, rest = y, place = 1;
    for (std::size_t j = shape.size(); j-- > 0;) {
      const i64 extent = region[j].second - region[j].first;
      index += (region[j].first + rest % extent) * place;
      rest /= extent;
      place *= shape[j];
    }
    return index;
  };
  const Place start = placeAt(layout.shard(), indexOf(0));
  std::vector<Place> table;
  for (i64 y = 0; y < size; ++y) table.push_back(sum(placeAt(layout.shard(), indexOf(y)), start, -1));
  auto iters = byTable(std::move(table));
  if (!iters) return Diag{fmt::format("this box is not a layout: {}", iters.error().message)};
  return detail::built(*std::move(iters), layout.replica(), sum(layout.offset(), start));
}

}  // namespace

Result<Layout> slice(const Layout& layout, const std::vector<i64>& shape, const Region& region) {
  if (region.size() != shape.size())
    return Diag{fmt::format("the region has {} intervals, but shape {} has {} dimensions", region.size(),
                            printShape(shape), shape.size())};
  for (std::size_t j = 0; j < shape.size(); ++j) {
    const auto [begin, end] = region[j];
    if (begin < 0 || begin >= end || end > shape[j])
      return Diag{fmt::format("the interval [{}, {}) of dimension {} is not inside [0, {})", begin, end, j, shape[j])};
  }
  const Result<Grouping> grouped = group(layout, shape);
  if (!grouped) return sliceOfBox(layout, shape, region, grouped.error());
  const Grouping& grouping = *grouped;
  std::vector<Iter> shard;
  Place offset = grouping.layout.offset();
  for (std::size_t j = 0; j < shape.size(); ++j) {
    const auto [begin, end] = region[j];
    const std::vector<Iter> block = detail::canonicalIters(grouping.block(j));
    const i64 length = end - begin;
    const Place start = placeAt(block, begin);
    offset = sum(std::move(offset), start);
    if (auto iters = byRules(block, begin, length)) {
      shard.insert(shard.end(), iters->begin(), iters->end());
      continue;
    }
    if (length > kMostEnumerated)
      return Diag{
          fmt::format("[{}, {}) of dimension {} is not a slice by the sufficient rules, and too long to decide "
                      "by enumeration",
                      begin, end, j)};
    std::vector<Place> table;
    for (i64 y = 0; y < length; ++y) table.push_back(sum(placeAt(block, begin + y), start, -1));
    auto iters = byTable(std::move(table));
    if (!iters)
      return Diag{fmt::format("[{}, {}) of dimension {} is not a layout: {}", begin, end, j, iters.error().message)};
    shard.insert(shard.end(), iters->begin(), iters->end());
  }
  return detail::built(std::move(shard), grouping.layout.replica(), std::move(offset));
}

}  // namespace tessera::axe
