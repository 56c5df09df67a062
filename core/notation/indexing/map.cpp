#include "core/notation/indexing/map.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/expr/simplify.h"

namespace tessera {
namespace {

constexpr i64 kMaxSearched = i64{1} << 16;

// The variable that a bare-variable constraint bounds.
IndexingVariable* variableOf(IndexingMap& map, const Expr& e) {
  if (e.op() == Op::Param) return &map.runtimes[static_cast<std::size_t>(e.index())];
  if (e.op() != Op::Digit) return nullptr;
  const auto k = static_cast<std::size_t>(e.index());
  return k < map.dims.size() ? &map.dims[k] : &map.ranges[k - map.dims.size()];
}

bool boxIsEmpty(const IndexingMap& map) {
  for (const auto* list : {&map.dims, &map.ranges, &map.runtimes}) {
    for (const IndexingVariable& v : *list) {
      if (v.lo > v.hi) return true;
    }
  }
  return false;
}

// c * x + k in [lo, hi] as bounds on x: exact for one variable. nullopt when the shape is another.
std::optional<std::pair<Expr, Range>> boundOf(const Guard& g) {
  Expr e = g.value;
  i64 lo = g.lo, hi = g.hi;
  for (;;) {
    if (e.op() == Op::Digit || e.op() == Op::Param) return std::pair{e, Range{lo, hi}};
    if (e.op() == Op::Add && e.rhs().isConstant()) {
      const auto a = checkedSub(lo, e.rhs().value()), b = checkedSub(hi, e.rhs().value());
      if (!a || !b) return std::nullopt;
      lo = *a;
      hi = *b;
    } else if (e.op() == Op::Mul && e.rhs().isConstant() && std::abs(e.rhs().value()) < i64{1} << 60 &&
               !e.rhs().isConstant(0) && lo > -(i64{1} << 61) && hi < i64{1} << 61) {
      const i64 c = e.rhs().value();  // lo <= c x <= hi: ceil(lo / c) <= x <= floor(hi / c), turned round for c < 0
      const i64 a = c > 0 ? lo : -hi, b = c > 0 ? hi : -lo, m = std::abs(c);
      lo = -floorDiv(-a, m);
      hi = floorDiv(b, m);
    } else if (e.op() == Op::FloorDiv && e.rhs().isConstant() && e.rhs().value() > 0 && lo > -(i64{1} << 30) &&
               hi < i64{1} << 30 && e.rhs().value() < i64{1} << 30) {
      lo = lo * e.rhs().value();  // lo <= x div c <= hi: c lo <= x <= c hi + c - 1
      hi = hi * e.rhs().value() + e.rhs().value() - 1;
    } else {
      return std::nullopt;
    }
    e = e.lhs();
  }
}

// The number of points of the box when it is small enough to look at each.
std::optional<i64> smallBox(const IndexingMap& map) {
  i64 points = 1;
  for (const auto* list : {&map.dims, &map.ranges, &map.runtimes}) {
    for (const IndexingVariable& v : *list) {
      const auto width = checkedSub(v.hi, v.lo);
      if (!width || *width >= kMaxSearched / points) return std::nullopt;
      points *= *width + 1;
    }
  }
  return points;
}

bool hasNoPoint(const IndexingMap& map) {
  const auto points = smallBox(map);
  if (!points || map.constraints.empty()) return false;
  const Environment box = environmentOf(map);
  for (const Guard& g : map.constraints) {
    if (!factsOf(g.value, box).fits) return false;
  }
  std::vector<i64> digits, params;
  for (i64 n = 0; n < *points; ++n) {
    digits.clear();
    params.clear();
    i64 rest = n;
    for (const auto* list : {&map.dims, &map.ranges, &map.runtimes}) {
      for (const IndexingVariable& v : *list) {
        (list == &map.runtimes ? params : digits).push_back(v.lo + rest % (v.hi - v.lo + 1));
        rest /= v.hi - v.lo + 1;
      }
    }
    if (std::all_of(map.constraints.begin(), map.constraints.end(), [&](const Guard& g) {
          const i64 value = evaluate(g.value, digits, params);
          return g.lo <= value && value <= g.hi;
        })) {
      return false;
    }
  }
  return true;
}

IndexingMap emptied(IndexingMap map) {
  map.empty = true;
  map.constraints.clear();
  for (Expr& e : map.results) e = Expr::constant(0);
  for (auto* list : {&map.dims, &map.ranges}) {
    for (IndexingVariable& v : *list) v = {v.name, 0, -1};
  }
  return map;
}

// One round over the constraints; false when nothing changed. `map.empty` is set when one can never hold.
bool tighten(IndexingMap& map) {
  bool changed = false;
  std::vector<Guard> kept;
  for (const Guard& g : map.constraints) {
    const Environment box = environmentOf(map);
    Guard s{simplified(g.value, box), g.lo, g.hi};
    const Facts facts = factsOf(s.value, box);
    if (facts.fits && (facts.interval.lo > s.hi || facts.interval.hi < s.lo)) {
      map.empty = true;
      return true;
    }
    if (facts.fits && facts.interval.lo >= s.lo && facts.interval.hi <= s.hi) {
      changed = true;
      continue;
    }
    const auto bound = boundOf(s);
    if (IndexingVariable* v = bound ? variableOf(map, bound->first) : nullptr) {
      v->lo = std::max(v->lo, bound->second.lo);
      v->hi = std::min(v->hi, bound->second.hi);
      changed = true;
      if (v->lo > v->hi) {
        map.empty = true;
        return true;
      }
      continue;
    }
    bool merged = false;
    for (Guard& other : kept) {
      if (!(other.value == s.value)) continue;
      other.lo = std::max(other.lo, s.lo);
      other.hi = std::min(other.hi, s.hi);
      merged = changed = true;
      if (other.lo > other.hi) {
        map.empty = true;
        return true;
      }
    }
    if (!merged) kept.push_back(std::move(s));
  }
  map.constraints = std::move(kept);
  return changed;
}

}  // namespace

Environment environmentOf(const IndexingMap& map) {
  Environment box;
  for (const auto* list : {&map.dims, &map.ranges}) {
    for (const IndexingVariable& v : *list) box.digits.push_back({v.lo, std::max(v.lo, v.hi)});
  }
  for (const IndexingVariable& v : map.runtimes) box.params.push_back({v.lo, std::max(v.lo, v.hi)});
  return box;
}

IndexingMap simplified(const IndexingMap& map) {
  IndexingMap out = map;
  if (out.undefined) return out;
  if (out.empty || boxIsEmpty(out)) return emptied(std::move(out));
  while (tighten(out)) {
    if (out.empty) return emptied(std::move(out));
  }
  if (hasNoPoint(out)) return emptied(std::move(out));
  const Environment box = environmentOf(out);
  for (Expr& e : out.results) e = simplified(e, box);
  return out;
}

Result<Map> toMap(const IndexingMap& map) {
  if (map.undefined) return Diag{"this map is undefined", "a map with a formula", "", {}};
  if (map.empty || boxIsEmpty(map)) return Diag{"the domain of this map is empty", "a map with points", "", {}};
  std::vector<Digit> digits;
  std::vector<Expr> shifted;  // variable = digit + lo
  for (const auto* list : {&map.dims, &map.ranges}) {
    for (const IndexingVariable& v : *list) {
      const auto width = checkedSub(v.hi, v.lo);
      if (!width || *width == INT64_MAX)
        return Diag{fmt::format("{} has too wide a range", v.name), "below 2^63", "", {}};
      shifted.push_back(Expr::digit(static_cast<int>(digits.size())) + v.lo);
      digits.push_back({v.name, *width + 1, list == &map.dims ? DigitKind::Index : DigitKind::Fan});
    }
  }
  std::vector<Param> params;
  for (const IndexingVariable& v : map.runtimes) params.push_back({v.name, v.lo, v.hi});
  std::vector<Axis> axes;
  for (const Expr& e : map.results) axes.push_back({"", substitute(e, shifted), {}});
  std::vector<Guard> guards;
  for (const Guard& g : map.constraints) guards.push_back({substitute(g.value, shifted), g.lo, g.hi});
  return Map::create(std::move(digits), std::move(axes), std::move(guards), std::move(params));
}

IndexingMap toIndexingMap(const Map& map) {
  IndexingMap out;
  std::vector<Expr> moved(map.digits().size());  // dims first, then ranges
  const std::vector<int> index = map.indexDigits(), fans = map.fanDigits();
  int next = 0;
  for (const auto* list : {&index, &fans}) {
    for (const int k : *list) {
      const Digit& d = map.digits()[static_cast<std::size_t>(k)];
      (list == &index ? out.dims : out.ranges).push_back({d.name, 0, d.extent - 1});
      moved[static_cast<std::size_t>(k)] = Expr::digit(next++);
    }
  }
  for (const Param& p : map.params()) out.runtimes.push_back({p.name, p.lo, p.hi});
  for (const Axis& a : map.axes()) out.results.push_back(substitute(a.value, moved));
  for (const Guard& g : map.guards()) out.constraints.push_back({substitute(g.value, moved), g.lo, g.hi});
  return out;
}

Result<IndexingMap> compose(const IndexingMap& first, const IndexingMap& second) {
  if (first.undefined || second.undefined) {
    IndexingMap unknown;
    unknown.undefined = true;
    return unknown;
  }
  if (first.results.size() != second.dims.size() && !first.empty && !second.empty) {
    return Diag{
        fmt::format("the first map has {} results, the second {} dimensions", first.results.size(), second.dims.size()),
        "as many results as dimensions",
        "compose(FIRST, SECOND) is x -> SECOND(FIRST(x))",
        {}};
  }
  IndexingMap out;
  out.dims = first.dims;
  out.results = second.results;
  if (first.empty || second.empty || boxIsEmpty(first) || boxIsEmpty(second)) return emptied(std::move(out));
  // Range and runtime variables: second's, then first's; renamed when two have one name.
  const auto joined = [](const std::vector<IndexingVariable>& a, const std::vector<IndexingVariable>& b,
                         const char* prefix) {
    std::vector<IndexingVariable> all = a;
    all.insert(all.end(), b.begin(), b.end());
    bool clash = false;
    for (const IndexingVariable& v : b) {
      clash |= std::any_of(a.begin(), a.end(), [&](const IndexingVariable& w) { return w.name == v.name; });
    }
    for (std::size_t k = 0; clash && k < all.size(); ++k) all[k].name = fmt::format("{}{}", prefix, k);
    return all;
  };
  out.ranges = joined(second.ranges, first.ranges, "s");
  out.runtimes = joined(second.runtimes, first.runtimes, "rt");
  const auto digit = [](std::size_t k) { return Expr::digit(static_cast<int>(k)); };
  const std::size_t dims = first.dims.size();
  std::vector<Expr> ofFirst, paramsOfFirst, ofSecond, paramsOfSecond;
  for (std::size_t k = 0; k < dims; ++k) ofFirst.push_back(digit(k));
  for (std::size_t k = 0; k < first.ranges.size(); ++k) ofFirst.push_back(digit(dims + second.ranges.size() + k));
  for (std::size_t k = 0; k < first.runtimes.size(); ++k) {
    paramsOfFirst.push_back(Expr::param(static_cast<int>(second.runtimes.size() + k)));
  }
  for (const Expr& e : first.results) ofSecond.push_back(substitute(e, ofFirst, paramsOfFirst));
  for (std::size_t k = 0; k < second.ranges.size(); ++k) ofSecond.push_back(digit(dims + k));
  for (std::size_t k = 0; k < second.runtimes.size(); ++k) paramsOfSecond.push_back(Expr::param(static_cast<int>(k)));
  for (Expr& e : out.results) e = substitute(e, ofSecond, paramsOfSecond);
  for (const Guard& g : second.constraints) {
    out.constraints.push_back({substitute(g.value, ofSecond, paramsOfSecond), g.lo, g.hi});
  }
  for (const Guard& g : first.constraints) {
    out.constraints.push_back({substitute(g.value, ofFirst, paramsOfFirst), g.lo, g.hi});
  }
  for (std::size_t k = 0; k < second.dims.size(); ++k) {
    out.constraints.push_back({ofSecond[k], second.dims[k].lo, second.dims[k].hi});
  }
  return simplified(out);
}

}  // namespace tessera
