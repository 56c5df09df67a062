#include "core/notation/axe/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/map/map.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/algebra/search.h"

namespace tessera::axe {

namespace {

constexpr std::size_t kMostAnswers = std::size_t{1} << 20;
constexpr i64 kSearchBudget = i64{1} << 24;

Result<i64> flatten(const Layout& layout, const std::vector<i64>& shape, const std::vector<i64>& coordinate) {
  auto bound = layout.over(shape);
  if (!bound) return bound.error();
  if (coordinate.size() != shape.size())
    return Diag{fmt::format("the coordinate {} has {} entries, shape {} has {}", printShape(coordinate),
                            coordinate.size(), printShape(shape), shape.size())};
  i64 linear = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (coordinate[k] < 0 || coordinate[k] >= shape[k])
      return Diag{fmt::format("coordinate {} is out of range in dimension {}: {} is not in [0, {})",
                              printShape(coordinate), k, coordinate[k], shape[k]),
                  fmt::format("a coordinate inside {}", printShape(shape))};
    linear = linear * shape[k] + coordinate[k];
  }
  return linear;
}

std::vector<i64> digitsOf(const std::vector<Iter>& shard, i64 linear) {
  std::vector<i64> digits(shard.size());
  for (std::size_t k = shard.size(); k-- > 0;) {
    digits[k] = linear % shard[k].extent;
    linear /= shard[k].extent;
  }
  return digits;
}

// All combinations of one replica value per axis, as places (only axes named in R).
Result<std::vector<Place>> replicaPlaces(const Layout& layout) {
  std::set<std::string> axes;
  for (const Iter& it : layout.replica()) axes.insert(it.axis);
  std::vector<Place> places = {Place{}};
  for (const std::string& axis : axes) {
    const auto values = detail::replicaValues(layout.replica(), axis);
    if (!values || values->size() * places.size() > kMostAnswers)
      return Diag{fmt::format("each element has {} replicas, more than 2^20 places to list", layout.replicaCount())};
    std::vector<Place> next;
    for (const Place& place : places) {
      for (const i64 v : *values) {
        Place p = place;
        p[axis] = v;
        next.push_back(std::move(p));
      }
    }
    places = std::move(next);
  }
  return places;
}

}  // namespace

Place basePlace(const Layout& layout, i64 linear) {
  Place place = layout.offset();
  const std::vector<i64> digits = digitsOf(layout.shard(), linear);
  for (std::size_t k = 0; k < digits.size(); ++k) place[layout.shard()[k].axis] += digits[k] * layout.shard()[k].stride;
  return place;
}

Result<Steps> forwardSteps(const Layout& layout, const std::vector<i64>& shape, const std::vector<i64>& coordinate) {
  Steps steps;
  TESSERA_TRY(steps.linear, flatten(layout, shape, coordinate));
  steps.digits = digitsOf(layout.shard(), steps.linear);
  for (std::size_t k = 0; k < steps.digits.size(); ++k)
    steps.shard[layout.shard()[k].axis] += steps.digits[k] * layout.shard()[k].stride;
  steps.offset = layout.offset();
  TESSERA_TRY(steps.replicas, replicaPlaces(layout));
  for (const Place& replica : steps.replicas) {
    Place place = steps.shard;
    for (const auto& [axis, value] : steps.offset) place[axis] += value;
    for (const auto& [axis, value] : replica) place[axis] += value;
    steps.places.push_back(std::move(place));
  }
  std::sort(steps.places.begin(), steps.places.end());
  return steps;
}

Result<std::vector<Place>> forward(const Layout& layout, const std::vector<i64>& shape,
                                   const std::vector<i64>& coordinate) {
  TESSERA_TRY(Steps steps, forwardSteps(layout, shape, coordinate));
  return std::move(steps.places);
}

Result<std::vector<Place>> forward(const Layout& layout, const std::vector<i64>& coordinate) {
  return forward(layout, layout.domain(), coordinate);
}

namespace {

// The digit tuples of the D iters on one axis from which some replica reaches `target`.
Result<std::set<std::vector<i64>>> axisDigits(const Layout& layout, const std::vector<Iter>& replicas,
                                              const std::string& axis, i64 target, i64& budget) {
  std::vector<detail::DigitIter> iters;
  for (const Iter& it : layout.shard())
    if (it.axis == axis) iters.push_back({it.extent, it.stride, 0});
  const std::size_t shardIters = iters.size();
  for (const Iter& it : replicas)
    if (it.axis == axis) iters.push_back({it.extent, it.stride, 0});
  std::set<std::vector<i64>> digits;
  const bool complete = detail::searchDigits(iters, target, budget, [&](const std::vector<i64>& solution) {
    digits.insert({solution.begin(), solution.begin() + static_cast<std::ptrdiff_t>(shardIters)});
    return digits.size() <= kMostAnswers;
  });
  if (!complete || digits.size() > kMostAnswers)
    return Diag{fmt::format("too many ways to reach {} on axis {} to list them all", target, axis)};
  return digits;
}

}  // namespace

Result<std::vector<std::vector<i64>>> backward(const Layout& layout, const std::vector<i64>& shape,
                                               const Place& place) {
  auto bound = layout.over(shape);
  if (!bound) return bound.error();
  const detail::Replicas replicas = detail::canonicalReplicas(layout.replica());
  std::set<std::string> axes;
  for (const std::string& axis : layout.axes()) axes.insert(axis);
  for (const auto& [axis, value] : place) axes.insert(axis);

  i64 budget = kSearchBudget;
  std::vector<i64> linears = {0};  // sums of digit * weight over the axes done so far
  for (const std::string& axis : axes) {
    const auto given = place.find(axis);
    i64 target = (given == place.end() ? 0 : given->second);
    if (target > (i64{1} << 62) || target < -(i64{1} << 62)) return std::vector<std::vector<i64>>{};
    target -= layout.offsetOn(axis);
    const auto shift = replicas.shift.find(axis);
    if (shift != replicas.shift.end()) target -= shift->second;
    TESSERA_TRY(const auto digits, axisDigits(layout, replicas.iters, axis, target, budget));
    std::vector<i64> weights;
    i64 weight = 1;
    for (std::size_t k = layout.shard().size(); k-- > 0;) {
      if (layout.shard()[k].axis == axis) weights.insert(weights.begin(), weight);
      weight *= layout.shard()[k].extent;
    }
    if (linears.size() * digits.size() > kMostAnswers) return Diag{"more than 2^20 coordinates live at this place"};
    std::vector<i64> next;
    for (const i64 base : linears) {
      for (const auto& tuple : digits) {
        i64 sum = base;
        for (std::size_t k = 0; k < tuple.size(); ++k) sum += tuple[k] * weights[k];
        next.push_back(sum);
      }
    }
    linears = std::move(next);
  }
  std::sort(linears.begin(), linears.end());
  std::vector<std::vector<i64>> coordinates;
  coordinates.reserve(linears.size());
  for (const i64 linear : linears) coordinates.push_back(delinearize(linear, shape, LinearOrder::Lex));
  return coordinates;
}

}  // namespace tessera::axe
