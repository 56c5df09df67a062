#include "core/map/domain/domain_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/base/work_budget.h"
#include "core/expr/compile.h"
#include "core/expr/linear_sum.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "core/map/domain/narrow.h"
#include "core/map/forms/recognise.h"
#include "core/map/tabulate.h"

namespace tessera {
namespace {

constexpr i64 kMostPoints = i64{1} << 22;

// Digits connected by constraints, with those constraints.
struct Part {
  std::vector<int> digits;
  std::vector<Guard> guards;
};

std::vector<Part> partsOf(const Map& map) {
  const Links links(map);
  std::vector<Part> parts(links.count());
  for (std::size_t k = 0; k < map.digits().size(); ++k) parts[links.of(k)].digits.push_back(static_cast<int>(k));
  for (const Guard& g : map.guards())
    if (const auto in = links.variables(g.value); !in.empty()) parts[links.of(in.front())].guards.push_back(g);
  std::erase_if(parts, [](const Part& p) { return p.digits.empty(); });
  return parts;
}

// lo <= rest + factor * x <= hi, or (rest + factor * x) mod modulus in [lo, hi]; rest does not contain x.
struct Along {
  Program rest;
  i64 factor = 0;
  i64 modulus = 0;  // 0: none
  i64 lo = 0, hi = 0;
};

std::optional<Along> along(const Guard& g, int x) {
  const bool residue = g.value.op() == Op::Mod && g.value.rhs().isConstant() && g.value.rhs().value() > 0;
  if (residue && std::max<i64>(g.lo, 0) != std::min(g.hi, g.value.rhs().value() - 1)) return std::nullopt;
  auto sum = linearSum(residue ? g.value.lhs() : g.value);
  if (!sum) return std::nullopt;
  i64 factor = 0;
  std::erase_if(sum->terms, [&](const Term& t) {
    if (t.part != Expr::digit(x)) return false;
    factor = t.coefficient;
    return true;
  });
  const Expr rest = built(*sum);
  if (anyLeaf(rest, [&](const Expr& e) { return e == Expr::digit(x); })) return std::nullopt;
  return Along{Program::compile(rest), factor, residue ? g.value.rhs().value() : 0, g.lo, g.hi};
}

// The number of x in [0, extent) that satisfy every constraint in `all`, with the other digits at `digits`.
i64 countAlong(const std::vector<Along>& all, int x, i64 extent, std::span<const i64> digits) {
  Range range{0, extent - 1};
  std::optional<Congruence> residue;
  for (const Along& a : all) {
    const i64 rest = a.rest.run(digits, {});
    if (a.modulus != 0) {
      const Expr value = mod(Expr::digit(x) * floorMod(a.factor, a.modulus) + floorMod(rest, a.modulus), a.modulus);
      if (value.isConstant()) {  // x cancelled
        if (value.value() < a.lo || value.value() > a.hi) return 0;
        continue;
      }
      const auto one = congruenceOf(Guard{value, a.lo, a.hi});
      residue = residue ? both(*residue, *one) : one;
      if (!residue->possible()) return 0;
      continue;
    }
    const i128 lo = a.lo == INT64_MIN ? i128{INT64_MIN} * 4 : i128{a.lo} - rest;
    const i128 hi = a.hi == INT64_MAX ? i128{INT64_MAX} * 4 : i128{a.hi} - rest;
    if (a.factor == 0) {
      if (lo > 0 || hi < 0) return 0;
      continue;
    }
    const WideRange real = quotients({lo, hi}, a.factor);
    range.lo = static_cast<i64>(std::clamp<i128>(real.lo, range.lo, INT64_MAX));
    range.hi = static_cast<i64>(std::clamp<i128>(real.hi, -1, range.hi));
    if (range.lo > range.hi) return 0;
  }
  if (!residue) return range.hi - range.lo + 1;
  const auto inside = within(range, *residue);
  return inside ? (inside->hi - inside->lo) / residue->modulus + 1 : 0;
}

// The residues of one variable were merged; two that remain separate would have a modulus beyond 64 bits.
bool residuesFit(const std::vector<Along>& all) {
  i64 modulus = 1;
  for (const Along& a : all) {
    if (a.modulus == 0) continue;
    modulus /= std::gcd(modulus, a.modulus);
    if (!mulInto(modulus, a.modulus)) return false;
  }
  return true;
}

Result<i64> countOf(const Map& map, const Part& part) {
  const auto extent = [&](int k) { return map.digit(k).extent; };
  const std::vector<i64> origin(map.digits().size());
  if (part.guards.empty()) return extent(part.digits.front());
  std::vector<int> byWidth = part.digits;
  std::ranges::stable_sort(byWidth, [&](int a, int b) { return extent(a) > extent(b); });
  for (const int x : byWidth) {
    std::vector<Along> all;
    for (const Guard& g : part.guards)
      if (auto one = along(g, x)) all.push_back(*std::move(one));
    if (all.size() != part.guards.size() || !residuesFit(all)) continue;
    std::vector<int> others = part.digits;
    std::erase(others, x);
    const auto points = pointsOf(map, others);
    if (!points || *points > kMostPoints) break;
    spend(*points);
    std::optional<i64> count = 0;
    eachPoint(map, others, origin, [&](std::span<const i64> at) {
      if (count) count = checkedAdd(*count, countAlong(all, x, extent(x), at));
    });
    if (!count) return Diag{"the domain has more than 2^63-1 points", "a smaller domain"};
    return *count;
  }
  const auto points = pointsOf(map, part.digits);
  if (!points || *points > kMostPoints)
    return Diag{fmt::format("the constraints on {} leave {} points to enumerate", map.digit(part.digits[0]).name,
                            points ? std::to_string(*points) : "more than 2^63-1"),
                fmt::format("at most {}", kMostPoints), "simplify(M) and rescale(M) may shrink the ranges"};
  spend(*points);
  auto values = mapped<Program>(part.guards, [&](const Guard& g) { return Program::compile(g.value); });
  i64 count = 0;
  eachPoint(map, part.digits, origin, [&](std::span<const i64> at) {
    bool real = true;
    for (std::size_t k = 0; real && k < values.size(); ++k) {
      const i64 value = values[k].run(at, {});
      real = value >= part.guards[k].lo && value <= part.guards[k].hi;
    }
    count += real ? 1 : 0;
  });
  return count;
}

constexpr i64 kMostTabulated = i64{1} << 20;
constexpr i64 kMostGuarded = i64{1} << 17;  // each point is checked against the guards

// A sum of strides has its extremes at corners of the box.
std::optional<Range> ofStrides(const Map& map) {
  const auto form = asStrided(map);
  if (!form) return std::nullopt;
  Range range{form->offset, form->offset};
  for (std::size_t k = 0; k < form->strides.size(); ++k) {
    const auto reach = checkedMul(form->strides[k], map.digits()[k].extent - 1);
    i64& end = *(form->strides[k] < 0 ? &range.lo : &range.hi);
    if (!reach || !addInto(end, *reach)) return std::nullopt;
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

// Whether the sum of strides attains every value between its extremes.
bool isRun(const Strided& form, const Map& map) {
  std::vector<std::pair<i64, i64>> steps;  // |stride|, extent
  for (std::size_t k = 0; k < form.strides.size(); ++k)
    if (map.digits()[k].extent > 1 && form.strides[k] != 0)
      steps.emplace_back(std::abs(form.strides[k]), map.digits()[k].extent);
  std::ranges::sort(steps);
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
  if (!points || *points > (map.guards().empty() ? kMostTabulated : kMostGuarded)) return std::nullopt;
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

Links::Links(const Map& map) : digits_(map.digits().size()), root_(digits_ + map.params().size()) {
  std::iota(root_.begin(), root_.end(), std::size_t{0});
  for (const Guard& g : map.guards()) {
    const std::vector<std::size_t> in = variables(g.value);
    for (const std::size_t v : in) root_[of(v)] = of(in.front());
  }
}

std::vector<std::size_t> Links::variables(const Expr& e) const {
  auto found = mapped<std::size_t>(leavesIn(e, Op::Digit), [](int k) { return static_cast<std::size_t>(k); });
  for (const int k : leavesIn(e, Op::Param)) found.push_back(digits_ + static_cast<std::size_t>(k));
  std::ranges::sort(found);
  return found;
}

std::optional<i64> pointsOf(const Map& map, const std::vector<int>& digits, i64 by) {
  std::optional<i64> points = by;
  for (const int k : digits)
    if (points) points = checkedMul(*points, map.digit(k).extent);
  return points;
}

void spread(const Map& map, const std::vector<int>& digits, i64 n, std::vector<i64>& point) {
  for (std::size_t k = digits.size(); k-- > 0;) {
    const auto d = static_cast<std::size_t>(digits[k]);
    point[d] = n % map.digits()[d].extent;
    n /= map.digits()[d].extent;
  }
}

Result<i64> domainSize(const Map& given) {
  const Map map = simplified(given);
  if (map.isEmpty()) return 0;
  for (const Guard& g : map.guards()) {
    if (const std::vector<int> params = leavesIn(g.value, Op::Param); !params.empty())
      return Diag{
          fmt::format("the number of points depends on {}", map.params()[static_cast<std::size_t>(params.back())].name),
          "constraints without run-time variables", "symbols_to_dims(M) counts its values as well"};
  }
  i64 size = 1;
  for (const Part& part : partsOf(map)) {
    TESSERA_TRY(const i64 count, countOf(map, part));
    if (!mulInto(size, count)) return Diag{"the domain has more than 2^63-1 points", "a smaller domain"};
    if (size == 0) break;
  }
  return size;
}

std::optional<Range> exactRange(const Map& map, std::size_t axis) {
  if (!map.params().empty() || map.isEmpty() || axis >= map.axes().size()) return std::nullopt;
  const auto made = Map::create(map.digits(), {map.axes()[axis]}, map.guards());
  if (!made) return std::nullopt;
  const Map one = withSimplerValues(*made);
  if (!one.guards().empty()) return ofPoints(one);
  if (auto range = ofStrides(one)) return range;
  if (const auto parts = refined(one); parts && parts->even)
    if (auto range = ofStrides(parts->map)) return range;
  if (const auto form = asF2(one)) return ofSpan(form->matrix.columns, form->constant);
  if (auto range = ofOuter(one)) return range;
  if (auto range = ofCorners(one)) return range;
  return ofPoints(one);
}

}  // namespace tessera
