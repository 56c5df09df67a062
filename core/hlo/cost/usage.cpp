#include "core/hlo/cost/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/expr/compile.h"
#include "core/expr/facts.h"
#include "core/expr/linear_sum.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/hlo/compose/map_parts.h"
#include "core/hlo/cost/read_counts.h"
#include "core/map/compose.h"
#include "core/map/domain/domain_size.h"

namespace tessera::hlo {
namespace {

constexpr i64 kMostPart = i64{1} << 22;  // per part; a part needs a set of its elements

using Sizes = std::vector<i64>;

// c * d + k with c != 0: injective in d.
bool keepsApart(const Expr& e) {
  if (e.op() == Op::Digit) return true;
  if (e.op() == Op::Add && e.rhs().isConstant()) return keepsApart(e.lhs());
  return e.op() == Op::Mul && e.rhs().isConstant() && !e.rhs().isConstant(0) && keepsApart(e.lhs());
}

struct Counts {
  i64 distinct = 1, reads = 1;
};

// The number of values of d, d floordiv c or d mod c, from 0 up, for a digit of that extent; nullopt: any other form.
struct DigitValues {
  std::size_t digit = 0;
  i64 count = 1;
};
std::optional<DigitValues> valuesOf(const Expr& e, const std::vector<Digit>& digits) {
  const bool part = e.op() == tessera::Op::FloorDiv || e.op() == tessera::Op::Mod;
  const Expr& d = part ? e.lhs() : e;
  if (d.op() != tessera::Op::Digit || (part && (!e.rhs().isConstant() || e.rhs().value() < 1))) return std::nullopt;
  const auto k = static_cast<std::size_t>(d.index());
  const i64 n = digits[k].extent;
  if (!part) return DigitValues{k, n};
  return DigitValues{k, e.op() == tessera::Op::Mod ? std::min(n, e.rhs().value()) : (n - 1) / e.rhs().value() + 1};
}

class MapCounter {
 public:
  MapCounter(const Map& map, const Sizes& sizes, i64 most)
      : map_(map), sizes_(sizes), most_(std::min(most, kMostPart)) {
    for (const Axis& a : map.axes()) axes_.push_back(Program::compile(a.value));
    for (const Guard& g : map.guards()) guards_.push_back(Program::compile(g.value));
  }

  // nullopt: a part is too large.
  std::optional<Counts> count() const {
    Counts all;
    for (const MapPart& part : partsOf(map_)) {
      const auto one = countPart(part);
      if (!one) return std::nullopt;
      const auto distinct = checkedMul(all.distinct, one->distinct), reads = checkedMul(all.reads, one->reads);
      if (!distinct || !reads) return std::nullopt;
      all = {*distinct, *reads};
    }
    return all;
  }

 private:
  std::optional<Counts> countPart(const MapPart& part) const {
    const auto coordinates = pointsOf(map_, part.index), ranged = pointsOf(map_, part.fan);
    const auto all = coordinates && ranged ? checkedMul(*coordinates, *ranged) : std::nullopt;
    if (!all) return std::nullopt;
    const i64 points = *all;
    const bool alone = part.index.size() + part.fan.size() == 1 && part.guards.empty();
    if (alone && std::ranges::any_of(part.axes, [&](std::size_t a) { return keepsApart(map_.axes()[a].value); }))
      return Counts{points, points};
    if (part.axes.empty() && part.guards.empty())
      return Counts{1, part.index.empty() ? 1 : points};  // digits that no value uses
    if (const auto counts = countPlaces(part)) return counts;
    if (const auto counts = countIntervals(part, *coordinates)) return counts;
    if (points > most_) return std::nullopt;
    std::unordered_set<i64> found, here;
    std::vector<i64> point(map_.digits().size(), 0);
    i64 reads = 0;
    for (i64 c = 0; c < *coordinates; ++c) {
      spread(map_, part.index, c, point);
      here.clear();
      for (i64 n = 0; n < *ranged; ++n) {
        spread(map_, part.fan, n, point);
        if (!holds(part, point)) continue;
        const i64 element = place(part, point);
        found.insert(element);
        reads += here.insert(element).second;
      }
    }
    return Counts{static_cast<i64>(found.size()), reads};
  }

  // If the element's place is a number whose digits are the part's, each value has its own place and no enumeration is
  // needed. nullopt: any other form, or guards remove points.
  std::optional<Counts> countPlaces(const MapPart& part) const {
    if (!part.guards.empty()) return std::nullopt;
    Expr place = Expr::constant(0);
    for (const std::size_t a : part.axes) place = place * sizes_[a] + map_.axes()[a].value;
    const Environment box = environmentOf(map_);
    if (!factsOf(place, box).fits) return std::nullopt;
    auto sum = linearSum(simplified(place, box));
    if (!sum) return std::nullopt;
    std::ranges::sort(sum->terms,
                      [](const Term& a, const Term& b) { return std::abs(a.coefficient) < std::abs(b.coefficient); });
    Counts counts;
    for (const int d : part.index) counts.reads *= map_.digit(d).extent;
    i64 span = 0;  // the span of the terms so far
    std::vector<bool> seen(map_.digits().size());
    for (const Term& t : sum->terms) {
      const auto values = valuesOf(t.part, map_.digits());
      if (!values || seen[values->digit] || std::abs(t.coefficient) <= span) return std::nullopt;
      seen[values->digit] = true;
      span += std::abs(t.coefficient) * (values->count - 1);
      counts.distinct *= values->count;
      if (map_.digits()[values->digit].kind == DigitKind::Fan) counts.reads *= values->count;
    }
    return counts;
  }

  // If the only ranged variable is a term of one place, s or -s, and of the guards: for each coordinate, the values of
  // that place are an interval, as in a window or a cumulative sum. nullopt: any other form.
  std::optional<Counts> countIntervals(const MapPart& part, i64 coordinates) const {
    if (part.fan.size() != 1 || coordinates > most_) return std::nullopt;
    const int ranged = part.fan[0];
    std::optional<std::size_t> moving;
    i64 sign = 0;
    for (const std::size_t a : part.axes) {
      const auto c = coefficientOf(map_.axes()[a].value, ranged);
      if (!c || (*c != 0 && (moving || std::abs(*c) != 1))) return std::nullopt;
      if (*c == 0) continue;
      moving = a;
      sign = *c;
    }
    if (!moving) return std::nullopt;
    std::vector<i64> slopes;
    for (const std::size_t g : part.guards) {
      const auto c = coefficientOf(map_.guards()[g].value, ranged);
      if (!c) return std::nullopt;
      slopes.push_back(*c);
    }
    struct Interval {
      i64 others, from, to;  // the other places, and the values of this one
      auto operator<=>(const Interval&) const = default;
    };
    std::vector<Interval> intervals;
    std::vector<i64> point(map_.digits().size(), 0);
    Counts counts{0, 0};
    for (i64 c = 0; c < coordinates; ++c) {
      spread(map_, part.index, c, point);
      i64 from = 0, to = map_.digit(ranged).extent - 1;
      for (std::size_t k = 0; k < slopes.size(); ++k)
        if (!narrow(part.guards[k], slopes[k], point, from, to)) return std::nullopt;
      if (from > to) continue;
      counts.reads += to - from + 1;
      const i64 at = axes_[*moving].run(point);
      i64 others = 0;
      for (const std::size_t a : part.axes)
        if (a != *moving) others = others * sizes_[a] + axes_[a].run(point);
      intervals.push_back({others, sign > 0 ? at + from : at - to, sign > 0 ? at + to : at - from});
    }
    std::ranges::sort(intervals);
    for (std::size_t k = 0; k < intervals.size();) {
      i64 end = intervals[k].from - 1;  // of what is counted
      const i64 others = intervals[k].others;
      for (; k < intervals.size() && intervals[k].others == others; ++k) {
        const i64 first = std::max(end + 1, intervals[k].from);
        counts.distinct += std::max<i64>(0, intervals[k].to - first + 1);
        end = std::max(end, intervals[k].to);
      }
    }
    return counts;
  }

  // c of c * digit + (terms without it); nullopt: any other form.
  static std::optional<i64> coefficientOf(const Expr& e, int digit) {
    const auto sum = linearSum(e);
    if (!sum) return std::nullopt;
    i64 coefficient = 0;
    for (const Term& t : sum->terms) {
      if (t.part == Expr::digit(digit))
        coefficient = t.coefficient;
      else if (std::ranges::count(leavesIn(t.part, tessera::Op::Digit), digit) > 0)
        return std::nullopt;
    }
    return coefficient;
  }

  // Leaves of from .. to the values s for which guard g, slope * s + (its value at `point`), holds; false: overflow.
  bool narrow(std::size_t g, i64 slope, const std::vector<i64>& point, i64& from, i64& to) const {
    const Guard& guard = map_.guards()[g];
    const i64 value = guards_[g].run(point);
    const auto low = checkedSub(guard.lo, value), high = checkedSub(guard.hi, value);
    if (!low || !high || *low == INT64_MIN || slope == INT64_MIN) return false;
    if (slope == 0) {
      if (*low > 0 || *high < 0) to = from - 1;
      return true;
    }
    // low <= slope * s <= high
    from = std::max(from, slope > 0 ? ceilDiv(*low, slope) : -floorDiv(*high, -slope));
    to = std::min(to, slope > 0 ? floorDiv(*high, slope) : -ceilDiv(*low, -slope));
    return true;
  }

  bool holds(const MapPart& part, const std::vector<i64>& point) const {
    return std::ranges::all_of(part.guards, [&](std::size_t g) {
      const i64 value = guards_[g].run(point);
      return value >= map_.guards()[g].lo && value <= map_.guards()[g].hi;
    });
  }
  i64 place(const MapPart& part, const std::vector<i64>& point) const {
    i64 at = 0;
    for (const std::size_t a : part.axes) at = at * sizes_[a] + axes_[a].run(point);
    return at;
  }

  const Map& map_;
  const Sizes& sizes_;
  i64 most_;
  std::vector<Program> axes_, guards_;
};

// The sizes of the part of the output that the maps use; nullopt: their numbers of coordinates differ.
std::optional<Sizes> spansOf(const std::vector<Map>& maps) {
  Sizes spans(maps[0].indexDigits().size(), 1);
  for (const Map& m : maps) {
    const std::vector<int> digits = m.indexDigits();
    if (digits.size() != spans.size()) return std::nullopt;
    for (std::size_t k = 0; k < digits.size(); ++k) {
      const Digit& d = m.digit(digits[k]);
      spans[k] = std::max(spans[k], d.lo + d.extent);
    }
  }
  return spans;
}

// Several maps together, by querying the readers of each element; nullopt if that costs more than visiting all points.
std::optional<Counts> countByElements(const std::vector<Map>& maps, const Sizes& spans, const Sizes& sizes,
                                      i64 elements) {
  constexpr i64 kMostAsked = i64{1} << 21;
  if (elements > kMostAsked) return std::nullopt;
  const auto counts = ReadCounts::of(maps, spans, sizes);
  if (!counts) return std::nullopt;
  Counts all{0, 0};
  for (i64 n = 0; n < elements; ++n) {
    const ReadCounts::Times here = counts->times(delinearize(n, sizes, LinearOrder::Lex));
    if (!here.exact) return std::nullopt;
    all.distinct += here.times > 0;
    all.reads += here.times;
  }
  return all;
}

// Several maps together: every point of each, by coordinates, because their boxes may begin at different places.
std::optional<Counts> countTogether(const std::vector<Map>& maps, const Sizes& sizes, i64 elements, i64 most) {
  i64 points = 0;
  for (const Map& m : maps) {
    const auto n = m.pointCount();
    if (!n || *n > most) return std::nullopt;
    points += *n;
  }
  if (points > most || elements > most) return std::nullopt;
  const auto spans = spansOf(maps);
  if (!spans) return std::nullopt;
  if (const auto counts = countByElements(maps, *spans, sizes, elements)) return counts;
  std::vector<bool> all(static_cast<std::size_t>(elements));
  std::unordered_set<i64> pairs;  // index * elements + element
  i64 indices = 1;
  for (const i64 s : *spans)
    if (!mulInto(indices, s)) return std::nullopt;
  if (!checkedMul(indices, elements)) return std::nullopt;
  for (const Map& m : maps) {
    const std::vector<int> digits = m.indexDigits();
    auto extents = mapped<i64>(digits, [&](int d) { return m.digit(d).extent; });
    const i64 count = *m.size();
    for (i64 i = 0; i < count; ++i) {
      const auto x = delinearize(i, extents, LinearOrder::Lex);
      i64 index = 0;
      for (std::size_t k = 0; k < x.size(); ++k) index = index * (*spans)[k] + x[k] + m.digit(digits[k]).lo;
      for (const auto& e : m.imageOf(x)) {
        const i64 at = linearize(e, sizes, LinearOrder::Lex);
        all[static_cast<std::size_t>(at)] = true;
        pairs.insert(index * elements + at);
      }
    }
  }
  return Counts{std::ranges::count(all, true), static_cast<i64>(pairs.size())};
}

// The map at the minimum of its run-time values, if other values only shift all that is read by the same amount: then
// both counts are equal. nullopt: they do more than that.
std::optional<Map> atLeastOffsets(const Map& map) {
  if (map.params().empty()) return map;
  auto lows = mapped<Expr>(map.params(), [&](const Param& p) { return Expr::constant(p.lo); });
  const Environment box = environmentOf(map);
  std::vector<Axis> axes = map.axes();
  for (Axis& a : axes) {
    Expr moved = substitute(a.value, {}, lows);
    if (!leavesIn(simplified(a.value - moved, box), Op::Digit).empty()) return std::nullopt;
    a.value = std::move(moved);
  }
  for (const Guard& g : map.guards())
    if (!leavesIn(g.value, Op::Param).empty()) return std::nullopt;
  auto made = Map::create(map.digits(), std::move(axes), map.guards());
  return made ? std::optional(*std::move(made)) : std::nullopt;
}

}  // namespace

std::optional<double> Usage::share() const {
  if (!distinct || elements == 0) return std::nullopt;
  return static_cast<double>(*distinct) / static_cast<double>(elements);
}

Usage usageOf(const std::vector<Map>& maps, const Sizes& operandSizes, i64 most) {
  Usage usage;
  usage.elements = 1;
  for (const i64 n : operandSizes) usage.elements *= n;  // an array's element count fits in 63 bits
  if (maps.empty()) {
    usage.distinct = usage.reads = 0;
    return usage;
  }
  bool large = false;
  for (const Map& map : maps) {
    const auto fixed = maps.size() == 1 || map.params().empty() ? atLeastOffsets(map) : std::nullopt;
    if (!fixed) {
      usage.why = "it depends on run-time values";
      return usage;
    }
    const Map& m = *fixed;
    const MapCounter counter(m, operandSizes, most);
    const auto counts = m.isEmpty() ? std::optional(Counts{0, 0}) : counter.count();
    large = large || !counts;
    if (counts && counts->distinct == usage.elements) usage.distinct = usage.elements;  // the other maps add nothing
    if (counts && maps.size() == 1) {
      usage.distinct = counts->distinct;
      usage.reads = counts->reads;
      return usage;
    }
  }
  if (const auto counts = countTogether(maps, operandSizes, usage.elements, most)) {
    usage.distinct = counts->distinct;
    usage.reads = counts->reads;
  } else {
    usage.why =
        large ? "more points than are enumerated" : "its maps overlap, and have more points than are enumerated";
  }
  return usage;
}

std::string textOf(const Usage& usage) {
  if (!usage.distinct) return "the amount read is unknown: " + usage.why;
  std::string out = fmt::format("{} of {} elements", *usage.distinct, usage.elements);
  if (const auto share = usage.share(); share && *share < 1) out += fmt::format(" ({:.3g} %)", *share * 100);
  if (usage.reads && *usage.distinct > 0 && *usage.reads > *usage.distinct) {
    const double times = static_cast<double>(*usage.reads) / static_cast<double>(*usage.distinct);
    out += *usage.reads % *usage.distinct == 0 ? fmt::format(", each {:.0f} times", times)
                                               : fmt::format(", {:.3g} times each on average", times);
  }
  return out;
}

}  // namespace tessera::hlo
