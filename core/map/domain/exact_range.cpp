#include "core/map/domain/exact_range.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/map/compose.h"
#include "core/map/forms/recognise.h"
#include "core/map/tabulate.h"

namespace tessera {
namespace {

constexpr i64 kMostPoints = i64{1} << 20;
constexpr i64 kMostGuarded = i64{1} << 17;  // each is checked against the guards

// A sum of strides has its extremes at corners of the box.
std::optional<Range> ofStrides(const Map& map) {
  const auto form = asStrided(map);
  if (!form) return std::nullopt;
  Range range{form->offset, form->offset};
  for (std::size_t k = 0; k < form->strides.size(); ++k) {
    const auto reach = checkedMul(form->strides[k], map.digits()[k].extent - 1);
    i64& end = *(form->strides[k] < 0 ? &range.lo : &range.hi);
    const auto next = reach ? checkedAdd(end, *reach) : std::nullopt;
    if (!next) return std::nullopt;
    end = *next;
  }
  return range;
}

// The extremes of constant xor span(columns). In a reduced basis the highest bit of a vector is in no other one, so
// each vector is used exactly if it makes the value larger (or smaller).
Range ofSpan(const std::vector<u64>& columns, u64 constant) {
  u64 least = constant, most = constant;
  for (const u64 b : spanBasis(columns)) {
    least = std::min(least, least ^ b);
    most = std::max(most, most ^ b);
  }
  return {static_cast<i64>(least), static_cast<i64>(most)};
}

std::optional<Range> ofBits(const Map& map) {
  const auto form = asF2(map);
  if (!form) return std::nullopt;
  return ofSpan(form->matrix.columns, form->constant);
}

// Whether the sum of strides attains every value between its extremes.
bool isRun(const Strided& form, const Map& map) {
  std::vector<std::pair<i64, i64>> steps;  // |stride|, extent
  for (std::size_t k = 0; k < form.strides.size(); ++k)
    if (map.digits()[k].extent > 1 && form.strides[k] != 0)
      steps.emplace_back(std::abs(form.strides[k]), map.digits()[k].extent);
  std::sort(steps.begin(), steps.end());
  i64 reach = 0;
  for (const auto& [stride, extent] : steps) {
    if (stride > reach + 1) return false;
    reach += stride * (extent - 1);  // below the largest value, which fits
  }
  return true;
}

// post(inner), post a bit matrix: splits inner's run of integers into blocks [a, a + 2^k), a a multiple of 2^k; on each
// block post is an affine map of k bits.
std::optional<Range> ofOuter(const Map& map) {
  const auto outer = outerOf(map, 0);
  if (!outer) return std::nullopt;
  const auto cut = Map::create(map.digits(), {{"x", outer->inner, std::nullopt}});
  if (!cut) return std::nullopt;
  Map under = *cut;
  if (!asStrided(under)) {
    const auto parts = refined(under);
    if (!parts || !parts->even) return std::nullopt;
    under = parts->map;
  }
  const auto form = asStrided(under);
  const auto run = ofStrides(under);
  if (!form || !run || run->lo < 0 || !isRun(*form, under)) return std::nullopt;
  const int width = static_cast<int>(std::bit_width(static_cast<u64>(run->hi)));
  if (width > 61) return std::nullopt;
  const auto matrix = asF2(outer->post, width);
  if (!matrix) return std::nullopt;
  Range range{INT64_MAX, INT64_MIN};
  for (i64 a = run->lo; a <= run->hi;) {
    int k = a == 0 ? width : std::countr_zero(static_cast<u64>(a));
    while (a + ((i64{1} << k) - 1) > run->hi) --k;
    const std::vector<u64>& columns = matrix->matrix.columns;
    const u64 at = matrix->matrix.apply(static_cast<u64>(a)) ^ matrix->constant;
    const Range block = ofSpan({columns.begin(), columns.begin() + k}, at);
    range = {std::min(range.lo, block.lo), std::max(range.hi, block.hi)};
    a += i64{1} << k;
  }
  return range;
}

// The interval, if the first or the last corner of the box attains each of its ends.
std::optional<Range> ofCorners(const Map& map) {
  const Facts facts = factsOf(map.axes()[0].value, environmentOf(map));
  if (!facts.fits) return std::nullopt;
  std::vector<i64> first(map.digits().size(), 0), last;
  for (const Digit& d : map.digits()) last.push_back(d.extent - 1);
  const i64 a = map.at(first)[0], b = map.at(last)[0];
  if (std::min(a, b) != facts.interval.lo || std::max(a, b) != facts.interval.hi) return std::nullopt;
  return facts.interval;
}

std::optional<Range> ofPoints(const Map& map) {
  const auto points = map.pointCount();
  if (!points || *points > (map.guards().empty() ? kMostPoints : kMostGuarded)) return std::nullopt;
  spend(*points);
  Range range{INT64_MAX, INT64_MIN};
  const auto take = [&](i64 v) { range = {std::min(range.lo, v), std::max(range.hi, v)}; };
  if (map.guards().empty()) {
    std::vector<i64> values(static_cast<std::size_t>(*points));
    if (!tabulate(map, 0, LinearOrder::Colex, values)) return std::nullopt;
    for (const i64 v : values) take(v);
    return range;
  }
  std::vector<int> all(map.digits().size());
  std::iota(all.begin(), all.end(), 0);
  eachPoint(map, all, std::vector<i64>(all.size()), [&](std::span<const i64> at) {
    if (map.isReal(at)) take(map.at(at)[0]);
  });
  if (range.lo > range.hi) return std::nullopt;  // no real point
  return range;
}

}  // namespace

std::optional<Range> exactRange(const Map& map, std::size_t axis) {
  if (!map.params().empty() || map.isEmpty() || axis >= map.axes().size()) return std::nullopt;
  const auto made = Map::create(map.digits(), {map.axes()[axis]}, map.guards());
  if (!made) return std::nullopt;
  const Map one = withSimplerValues(*made);
  if (!one.guards().empty()) return ofPoints(one);
  if (auto range = ofStrides(one)) return range;
  if (const auto parts = refined(one); parts && parts->even)
    if (auto range = ofStrides(parts->map)) return range;
  if (auto range = ofBits(one)) return range;
  if (auto range = ofOuter(one)) return range;
  if (auto range = ofCorners(one)) return range;
  return ofPoints(one);
}

}  // namespace tessera
