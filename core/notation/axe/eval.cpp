#include "core/notation/axe/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/mapped.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/axes.h"
#include "core/notation/axe/text/text.h"

namespace tessera::axe {

namespace {

constexpr std::size_t kMostAnswers = std::size_t{1} << 20;
constexpr i64 kSearchBudget = i64{1} << 24;

Result<i64> flatten(const Layout& layout, const std::vector<i64>& shape, const std::vector<i64>& coordinate) {
  TESSERA_CHECKED(layout.over(shape));
  if (coordinate.size() != shape.size())
    return Diag{fmt::format("the coordinate {} has {} entries, but shape {} has {}", printShape(coordinate),
                            coordinate.size(), printShape(shape), shape.size())};
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (coordinate[k] < 0 || coordinate[k] >= shape[k])
      return Diag{fmt::format("coordinate {} is out of range in dimension {}: {} is not in [0, {})",
                              printShape(coordinate), k, coordinate[k], shape[k]),
                  fmt::format("a coordinate inside {}", printShape(shape))};
  return linearize(coordinate, shape, LinearOrder::Lex);
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
  Place place = detail::placeAt(layout.shard(), linear);
  for (const auto& [axis, value] : layout.offset()) place[axis] += value;
  return place;
}

Result<Steps> forwardSteps(const Layout& layout, const std::vector<i64>& shape, const std::vector<i64>& coordinate) {
  Steps steps;
  TESSERA_TRY(steps.linear, flatten(layout, shape, coordinate));
  steps.digits = delinearize(steps.linear, mapped<i64>(layout.shard(), &Iter::extent), LinearOrder::Lex);
  steps.shard = detail::placeAt(layout.shard(), steps.linear);
  steps.offset = layout.offset();
  TESSERA_TRY(steps.replicas, replicaPlaces(layout));
  for (const Place& replica : steps.replicas) {
    Place place = steps.shard;
    for (const auto& [axis, value] : steps.offset) place[axis] += value;
    for (const auto& [axis, value] : replica) place[axis] += value;
    steps.places.push_back(std::move(place));
  }
  std::ranges::sort(steps.places);
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
  for (const Iter& it : detail::onAxis(layout.shard(), axis)) iters.push_back({it.extent, it.stride, 0});
  const std::size_t shardIters = iters.size();
  for (const Iter& it : detail::onAxis(replicas, axis)) iters.push_back({it.extent, it.stride, 0});
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
  TESSERA_CHECKED(layout.over(shape));
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
    if (linears.size() * digits.size() > kMostAnswers) return Diag{"more than 2^20 coordinates share this place"};
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
  std::ranges::sort(linears);
  std::vector<std::vector<i64>> coordinates;
  coordinates.reserve(linears.size());
  for (const i64 linear : linears) coordinates.push_back(delinearize(linear, shape, LinearOrder::Lex));
  return coordinates;
}

std::string print(const Places& places) {
  const auto text = [](const Place& place) { return print(place); };
  return fmt::format("[{}]", fmt::join(mapped<std::string>(places.places, text), ", "));
}

std::string print(const Coords& coords) {
  return fmt::format("[{}]", fmt::join(mapped<std::string>(coords.coords, printShape), ", "));
}

Result<std::optional<Place>> parsePlacePrefix(Cursor& cursor) {
  spelling::Scanner in(cursor.text(), cursor.position());
  if (!in.accept("{") || (in.peek() != '}' && in.peekWord().empty())) return std::optional<Place>();
  Place place;
  while (in.peek() != '}') {
    const std::size_t begin = in.position();
    TESSERA_TRY(const std::string axis, in.identifier("an axis name"));
    if (!in.accept(":")) TESSERA_CHECKED(in.expect("=", "after the axis name"));
    TESSERA_TRY(const i64 value, in.integer());
    if (!place.emplace(axis, value).second) return in.failFrom(begin, fmt::format("the axis {} appears twice", axis));
    if (!in.accept(",")) break;
  }
  TESSERA_CHECKED(in.expect("}", "at the end of a place"));
  cursor.seek(in.position());
  return std::optional(std::move(place));
}

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
  if (least < 0) return std::nullopt;
  const AxisInfo* info = findAxis(axis);
  return info != nullptr && info->bound && most < *info->bound ? *info->bound : most + 1;
}

}  // namespace

Result<Map> toMap(const Layout& layout, const std::vector<i64>& shape) {
  TESSERA_CHECKED(layout.over(shape));
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
