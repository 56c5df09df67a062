#include "solver/prove/structure/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/arith.h"
#include "core/map/domain/variables.h"

namespace tessera::prover {

namespace {

// The map with digit k replaced by replacement[k], over new digits, with `more` guards added. An empty axisOrder is the
// map's own.
Result<Map> rebuilt(const Map& m, std::vector<Digit> digits, const std::vector<Expr>& replacement,
                    const std::vector<std::size_t>& axisOrder, const std::vector<Param>& params,
                    std::vector<Guard> more) {
  std::vector<Axis> axes;
  for (std::size_t a = 0; a < m.axes().size(); ++a) {
    Axis axis = m.axes()[axisOrder.empty() ? a : axisOrder[a]];
    axis.value = substitute(axis.value, replacement);
    axes.push_back(std::move(axis));
  }
  for (const Guard& g : m.guards()) more.push_back(substituted(g, replacement));
  return Map::create(std::move(digits), std::move(axes), std::move(more), params);
}

// Position of each axis of f in g: by name if both have the same distinct names, otherwise by position.
std::vector<std::size_t> axisOrder(const Map& f, const Map& g) {
  std::vector<std::size_t> order(f.axes().size()), byName;
  std::set<std::string> names;
  for (std::size_t a = 0; a < order.size(); ++a) {
    order[a] = a;
    const auto match =
        std::ranges::find_if(g.axes(), [&](const Axis& other) { return other.name == f.axes()[a].name; });
    if (match != g.axes().end() && names.insert(match->name).second)
      byName.push_back(static_cast<std::size_t>(match - g.axes().begin()));
  }
  return byName.size() == order.size() ? byName : order;
}

// Digit extents whose colex index refines both radix systems; one flat digit if they do not nest.
std::vector<i64> refinement(const std::vector<i64>& a, const std::vector<i64>& b, i64 size) {
  std::set<i64> cuts{1, size};
  for (const auto* extents : {&a, &b}) {
    i64 place = 1;
    for (i64 e : *extents) cuts.insert(place *= e);
  }
  std::vector<i64> result;
  for (auto it = cuts.begin(), next = std::next(it); next != cuts.end(); ++it, ++next) {
    if (*next % *it != 0) return {size};
    result.push_back(*next / *it);
  }
  if (result.empty()) result.push_back(1);
  return result;
}

// Digits with `extents` of the colex index counted by the common digits.
std::vector<Expr> digitsOver(const std::vector<i64>& extents, const std::vector<i64>& common) {
  if (extents == common) {
    std::vector<Expr> same;
    for (std::size_t k = 0; k < extents.size(); ++k) same.push_back(Expr::digit(static_cast<int>(k)));
    return same;
  }
  std::vector<Expr> result;
  i64 place = 1;
  for (i64 extent : extents) {
    Expr value;
    if (common.size() == 1) {
      value = floorDiv(Expr::digit(0), place);
      if (place * extent != common[0]) value = mod(value, extent);
      if (extent == 1) value = Expr::constant(0);
    } else {
      i64 at = 1;
      for (std::size_t k = 0; k < common.size(); ++k) {
        if (at >= place && at < place * extent) value = value + Expr::digit(static_cast<int>(k)) * (at / place);
        at *= common[k];
      }
    }
    result.push_back(value);
    place *= extent;
  }
  return result;
}

Expr colexLinear(const std::vector<int>& which, const std::vector<i64>& extents) {
  Expr linear;
  i64 place = 1;
  for (std::size_t k = 0; k < which.size(); ++k) {
    linear = linear + Expr::digit(which[k]) * place;
    place *= extents[k];
  }
  return linear;
}

struct Box {
  std::vector<Digit> digits;   // common Index digits
  std::vector<Expr> toF, toG;  // over the common digits
  bool byCoordinate = false;   // the box is the union of both boxes
};

bool sameRange(const Digit& a, const Digit& b) { return a.extent == b.extent && a.lo == b.lo; }

// Whether coordinates matter beyond their position in the linear index.
bool isPartial(const Map& m) {
  const std::vector<Digit> digits = digitsOf(m, m.indexDigits());
  return !m.guards().empty() || std::ranges::any_of(digits, [](const Digit& d) { return d.lo != 0; });
}

std::optional<Box> unionBox(const std::vector<Digit>& f, const std::vector<Digit>& g) {
  Box box;
  box.byCoordinate = true;
  for (std::size_t k = 0; k < f.size(); ++k) {
    const i64 lo = std::min(f[k].lo, g[k].lo);
    const i64 hi = std::max(f[k].lo + (f[k].extent - 1), g[k].lo + (g[k].extent - 1));
    const auto width = checkedSub(hi, lo);
    if (!width || *width == INT64_MAX) return std::nullopt;
    const Expr digit = Expr::digit(static_cast<int>(k));
    box.digits.push_back({f[k].name, *width + 1, DigitKind::Index, lo});
    box.toF.push_back(digit + Expr::constant(lo - f[k].lo));  // within the width, so no overflow
    box.toG.push_back(digit + Expr::constant(lo - g[k].lo));
  }
  return box;
}

// Index digits of both maps over the digits of their linear index.
Box linearBox(std::vector<i64> ef, std::vector<i64> eg, i64 size, LinearOrder order) {
  const bool lex = order == LinearOrder::Lex;  // colex of the reversed digits
  if (lex) std::ranges::reverse(ef);
  if (lex) std::ranges::reverse(eg);
  const std::vector<i64> common = refinement(ef, eg, size);
  Box box;
  for (std::size_t k = 0; k < common.size(); ++k)
    box.digits.push_back({fmt::format("c{}", k), common[k], DigitKind::Index});
  box.toF = digitsOver(ef, common);
  box.toG = digitsOver(eg, common);
  if (lex) std::ranges::reverse(box.toF);
  if (lex) std::ranges::reverse(box.toG);
  return box;
}

std::variant<Box, SizesDiffer, std::string> commonBox(const Map& f, const Map& g, LinearOrder order) {
  const std::vector<Digit> df = digitsOf(f, f.indexDigits()), dg = digitsOf(g, g.indexDigits());
  const bool ranks = df.size() == dg.size();
  const std::vector<i64> ef = extentsOf(df), eg = extentsOf(dg);
  if (ranks && (std::equal(df.begin(), df.end(), dg.begin(), sameRange) || isPartial(f) || isPartial(g))) {
    auto box = unionBox(df, dg);
    if (!box) return std::string("the coordinates of the two maps are more than 2^63 apart");
    return *std::move(box);
  }
  const auto sf = f.size(), sg = g.size();
  if (!sf || !sg) return std::string("the coordinates differ in shape, and there are more than 2^63");
  if (*sf != *sg) return SizesDiffer{*sf, *sg};
  return linearBox(ef, eg, *sf, order);
}

// m over the common digits and its own Fan digits. Outside m's box its formulas may be undefined; there they are
// extended from the nearest edge if necessary, and a guard excludes the image.
Result<Map> over(const Map& m, const Box& box, const std::vector<Expr>& toIndex, const std::vector<std::size_t>& order,
                 const std::vector<Param>& params) {
  std::vector<Digit> digits = box.digits;
  std::vector<Expr> raw(m.digits().size()), clamped(m.digits().size());
  std::vector<Guard> guards;
  std::size_t next = 0;
  for (std::size_t k = 0; k < m.digits().size(); ++k) {
    const Digit& d = m.digits()[k];
    if (d.kind == DigitKind::Fan) {
      raw[k] = clamped[k] = Expr::digit(static_cast<int>(digits.size()));
      digits.push_back(d);
      continue;
    }
    const std::size_t common = next++;
    raw[k] = clamped[k] = toIndex[common];
    if (!box.byCoordinate || sameRange(d, box.digits[common])) continue;
    guards.push_back({raw[k], 0, d.extent - 1});
    clamped[k] = greatest(least(raw[k], Expr::constant(d.extent - 1)), Expr::constant(0));
  }
  for (std::size_t k = 0; k < m.params().size(); ++k) {
    const Param& p = m.params()[k];
    if (!(p == params[k])) guards.push_back({Expr::param(static_cast<int>(k)), p.lo, p.hi});
  }
  auto straight = rebuilt(m, digits, raw, order, params, guards);
  return straight ? straight : rebuilt(m, digits, clamped, order, params, guards);
}

}  // namespace

std::optional<std::vector<Param>> commonParams(const std::vector<Param>& f, const std::vector<Param>& g) {
  if (f.empty()) return g;
  if (g.empty()) return f;
  if (f.size() != g.size()) return std::nullopt;
  std::vector<Param> joined = f;
  for (std::size_t k = 0; k < joined.size(); ++k) {
    if (g[k].name != joined[k].name) return std::nullopt;
    joined[k].lo = std::min(joined[k].lo, g[k].lo);
    joined[k].hi = std::max(joined[k].hi, g[k].hi);
  }
  return joined;
}

Alignment align(const Map& f, const Map& g, LinearOrder order) {
  if (f.axes().size() != g.axes().size()) return AxesDiffer{};
  const auto params = commonParams(f.params(), g.params());
  if (!params) return std::string("the two maps have different symbolic sizes");
  const auto common = commonBox(f, g, order);
  if (const auto* sizes = std::get_if<SizesDiffer>(&common)) return *sizes;
  if (const auto* why = std::get_if<std::string>(&common)) return *why;
  const Box& box = std::get<Box>(common);
  Aligned out;
  out.toF = box.toF;
  out.toG = box.toG;
  out.axesG = axisOrder(f, g);
  auto newF = over(f, box, out.toF, {}, *params);
  auto newG = over(g, box, out.toG, out.axesG, *params);
  if (!newF) return newF.error().message;
  if (!newG) return newG.error().message;
  out.f = *std::move(newF);
  out.g = *std::move(newG);
  return out;
}

std::optional<Aligned> fansAsIndex(const Aligned& a) {
  const auto allAsDims = [](const Map& m) {
    std::vector<i64> all(m.fanDigits().size());
    std::iota(all.begin(), all.end(), i64{0});
    return rangesAsDims(m, all);
  };
  const auto f = allAsDims(a.f), g = allAsDims(a.g);
  if (!f || !g || f->digits().size() != g->digits().size()) return std::nullopt;
  const auto box = unionBox(f->digits(), g->digits());
  if (!box) return std::nullopt;
  auto newF = over(*f, *box, box->toF, {}, f->params());
  auto newG = over(*g, *box, box->toG, {}, f->params());
  if (!newF || !newG) return std::nullopt;
  return Aligned{*std::move(newF), *std::move(newG), {}, {}, {}};
}

std::vector<Pointwise> equalObligations(const Aligned& a) {
  std::vector<Pointwise> parts;
  for (const auto& [from, to] : {std::pair{&a.f, &a.g}, std::pair{&a.g, &a.f}}) {
    Pointwise p{from->digits(), from->params(), from->guards(), {}};
    for (const Guard& g : to->guards()) p.goals.push_back({g.value, std::nullopt, g.lo, g.hi});
    dropAssumed(p);
    const bool first = parts.empty();
    for (std::size_t k = 0; first && k < a.f.axes().size(); ++k)
      p.goals.push_back({a.f.axes()[k].value, a.g.axes()[k].value, 0, 0});
    if (first || !p.goals.empty()) parts.push_back(std::move(p));
  }
  return parts;
}

Pointwise boundsObligation(const Map& f) {
  Pointwise p{f.digits(), f.params(), f.guards(), {}};
  for (const Axis& a : f.axes())
    if (a.extent) p.goals.push_back({a.value, std::nullopt, 0, *a.extent - 1});
  return p;
}

std::variant<Roundtrip, std::string> roundtripObligation(const Map& f, const Map& g) {
  const auto params = commonParams(f.params(), g.params());
  if (!params || (!f.params().empty() && !g.params().empty() && f.params() != g.params()))
    return std::string("the two maps have different symbolic sizes");
  const std::vector<int> indexF = f.indexDigits(), indexG = g.indexDigits();
  const std::vector<i64> ef = extentsOf(digitsOf(f, indexF)), eg = extentsOf(digitsOf(g, indexG));
  if (!g.fanDigits().empty() && !g.guards().empty())
    return std::string("the backward map has both Fan digits and guards");
  Roundtrip r;
  r.obligation = {f.digits(), *params, f.guards(), {}};
  if (f.axes().size() == indexG.size()) {  // coordinates returned by g
    for (std::size_t k = 0; k < indexG.size(); ++k) r.arguments.push_back(f.axes()[k].value - g.digits()[indexG[k]].lo);
  } else if (f.axes().size() == 1) {
    i64 place = 1;
    for (std::size_t k = 0; k < eg.size(); ++k) {
      Expr digit = floorDiv(f.axes()[0].value, place);
      r.arguments.push_back(k + 1 == eg.size() ? digit : mod(digit, eg[k]));
      const auto next = checkedMul(place, eg[k]);
      if (!next) return std::string("the backward map has more than 2^63 coordinates");
      place = *next;
    }
  } else {
    return fmt::format("the first map has {} axes, but the backward map takes {} coordinates", f.axes().size(),
                       indexG.size());
  }
  for (std::size_t k = 0; k < eg.size(); ++k)
    r.obligation.goals.push_back({r.arguments[k], std::nullopt, 0, eg[k] - 1});
  std::vector<Expr> replacement(g.digits().size());
  for (std::size_t k = 0; k < indexG.size(); ++k) replacement[indexG[k]] = r.arguments[k];
  for (int k : g.fanDigits()) {
    replacement[k] = Expr::digit(static_cast<int>(r.obligation.digits.size()));
    r.obligation.digits.push_back(g.digits()[k]);
  }
  for (const Guard& guard : g.guards())
    r.obligation.goals.push_back({substitute(guard.value, replacement), std::nullopt, guard.lo, guard.hi});
  if (g.axes().size() == indexF.size()) {
    for (std::size_t k = 0; k < indexF.size(); ++k)
      r.obligation.goals.push_back(
          {substitute(g.axes()[k].value, replacement), Expr::digit(indexF[k]) + f.digits()[indexF[k]].lo, 0, 0});
  } else if (g.axes().size() == 1) {
    if (!f.size()) return std::string("the first map has more than 2^63 coordinates");
    r.obligation.goals.push_back({substitute(g.axes()[0].value, replacement), colexLinear(indexF, ef), 0, 0});
    r.backExtents = ef;
  } else {
    return fmt::format("the backward map gives {} values for {} coordinates", g.axes().size(), indexF.size());
  }
  return r;
}

}  // namespace tessera::prover
