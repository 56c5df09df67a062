#include "core/map/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/base/arith.h"
#include "core/base/check.h"
#include "core/base/mapped.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"

namespace tessera {
namespace {

const Guard kNever{Expr::constant(0), 1, 0};

// The value that each Index digit of outer receives: an expression over inner's digits.
Result<std::vector<Expr>> bindings(const Map& inner, const Map& outer, bool extend) {
  const std::vector<int> wanted = outer.indexDigits();
  const auto& axes = inner.axes();
  std::vector<Expr> values;
  bool split = false;
  std::vector<std::size_t> byName;
  for (const int d : wanted) {
    const auto it = std::ranges::find(axes, outer.digit(d).name, &Axis::name);
    if (it != axes.end()) byName.push_back(static_cast<std::size_t>(it - axes.begin()));
  }
  if (byName.size() == wanted.size()) {
    for (const std::size_t k : byName) values.push_back(axes[k].value);
  } else if (axes.size() == wanted.size()) {
    for (const Axis& a : axes) values.push_back(a.value);
  } else if (axes.size() == 1 && !wanted.empty()) {
    split = true;
    Expr rest = axes[0].value;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const i64 n = outer.digit(wanted[k]).extent;
      values.push_back(k + 1 == wanted.size() ? rest : mod(rest, n));
      rest = floorDiv(rest, n);
    }
  } else {
    return Diag{fmt::format("the first map has {} axes, the second needs {} coordinates", axes.size(), wanted.size()),
                "as many axes as coordinates, or one axis to split"};
  }
  FactBase facts(environmentOf(inner));
  // A guard on exactly this value narrows its range at real points.
  const auto reached = [&](const Expr& value) {
    Range r = facts.of(value).interval;
    for (const Guard& g : inner.guards())
      if (g.value == value) r = {std::max(r.lo, g.lo), std::min(r.hi, g.hi)};
    return r;
  };
  if (split) {  // a linear index counts digits, not coordinates
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = values[k] + outer.digit(wanted[k]).lo;
  }
  for (std::size_t k = 0; k < values.size() && !extend; ++k) {
    const Digit& d = outer.digit(wanted[k]);
    const Range r = reached(values[k]);
    const i64 last = d.lo + (d.extent - 1);
    if (r.lo >= d.lo && (r.hi <= last || (split && k + 1 == values.size()))) continue;
    return Diag{fmt::format("the first map reaches [{}, {}], but coordinate {} of the second is in [{}, {}]", r.lo,
                            r.hi, d.name, d.lo, last),
                "an image inside the second map's domain"};
  }
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = values[k] - outer.digit(wanted[k]).lo;
  return values;
}

// A name not used by any digit: s, s_2, s_3 ...
std::string freshName(const std::vector<Digit>& digits, const std::string& name) {
  std::string fresh = name;
  for (int n = 2; std::ranges::any_of(digits, [&](const Digit& d) { return d.name == fresh; }); ++n)
    fresh = fmt::format("{}_{}", name, n);
  return fresh;
}

// Appends `second` to `first`; renames all to prefix0, prefix1 ... on a name clash.
template <typename Variable>
std::vector<Variable> joinedNames(std::vector<Variable> first, const std::vector<Variable>& second,
                                  const char* prefix) {
  bool clash = false;
  for (const Variable& v : second)
    clash = clash || std::ranges::any_of(first, [&](const Variable& w) { return w.name == v.name; });
  first.insert(first.end(), second.begin(), second.end());
  for (std::size_t k = 0; clash && k < first.size(); ++k) first[k].name = fmt::format("{}{}", prefix, k);
  return first;
}

std::vector<Digit> fansOf(const Map& map) {
  return mapped<Digit>(map.fanDigits(), [&](int k) { return map.digit(k); });
}

// value == expr + pending. `shifted`: pending came from a variable of this sum, so it may join the sum's constants.
struct Part {
  Expr expr;
  i64 pending = 0;
  bool shifted = false;

  [[nodiscard]] Expr whole() const { return expr + Expr::constant(pending); }
};

Part leaf(const Expr& e, std::span<const Digit> digits) {
  if (e.op() != Op::Digit) return {e, 0, false};
  const i64 lo = digits[static_cast<std::size_t>(e.index())].lo;
  if (lo == 0 || lo == INT64_MIN) return {e - lo, 0, false};
  return {e, -lo, true};
}

Part joined(const Expr& e, const Part& a, const Part& b) {
  if (e.op() == Op::Add && (a.shifted || b.shifted)) {
    const bool constant = b.expr.isConstant() && !b.shifted;
    const auto pending = checkedAdd(a.pending, constant ? b.expr.value() : b.pending);
    if (pending) return {constant ? a.expr : a.expr + b.expr, *pending, true};
  }
  if (e.op() == Op::Mul && e.lhs().op() == Op::Digit && e.rhs().isConstant() && a.shifted) {
    if (const auto pending = checkedMul(a.pending, e.rhs().value())) return {a.expr * b.expr, *pending, true};
  }
  return {Expr::binary(e.op(), a.whole(), b.whole()), 0, false};
}

}  // namespace

std::vector<Expr> placed(const Map& map, const std::vector<Expr>& index, std::size_t fans) {
  std::vector<Expr> out(map.digits().size());
  std::size_t next = 0;
  for (const int k : map.indexDigits()) out[static_cast<std::size_t>(k)] = index[next++];
  for (const int k : map.fanDigits()) out[static_cast<std::size_t>(k)] = Expr::digit(static_cast<int>(fans++));
  return out;
}

std::vector<Expr> splitDigits(const Expr& number, std::span<const i64> extents) {
  std::vector<Expr> digits;
  i64 place = 1;
  for (const i64 extent : extents) {
    const Expr high = floorDiv(number, place);
    digits.push_back(digits.size() + 1 == extents.size() ? high : mod(high, extent));
    place *= extent;
  }
  return digits;
}

Environment environmentOf(const Map& map) {
  Environment box;
  for (const Digit& d : map.digits()) box.digits.push_back({0, d.extent - 1});
  for (const Param& p : map.params()) box.params.push_back({p.lo, p.hi});
  return box;
}

Result<Map> then(const Map& inner, const Map& outer, bool extend) {
  TESSERA_TRY(const std::vector<Expr> received, bindings(inner, outer, extend));
  std::vector<Digit> digits = inner.digits();
  const std::vector<Expr> replacement = placed(outer, received, digits.size());
  for (Digit& fan : fansOf(outer)) {
    fan.name = freshName(digits, fan.name);
    digits.push_back(std::move(fan));
  }
  std::vector<Param> params = inner.params();
  std::vector<Expr> renumbered;  // outer's parameter k is this one of the result
  for (const Param& p : outer.params()) {
    const auto it = std::ranges::find(params, p.name, &Param::name);
    if (it != params.end()) {
      it->lo = std::max(it->lo, p.lo);
      it->hi = std::min(it->hi, p.hi);
      renumbered.push_back(Expr::param(static_cast<int>(it - params.begin())));
    } else {
      renumbered.push_back(Expr::param(static_cast<int>(params.size())));
      params.push_back(p);
    }
  }
  std::vector<Guard> guards = inner.guards();
  for (Guard& g : substituted(outer.guards(), replacement, renumbered)) guards.push_back(std::move(g));
  return Map::create(std::move(digits), substituted(outer.axes(), replacement, renumbered), std::move(guards),
                     std::move(params));
}

Result<Map> thenInside(const Map& inner, const Map& outer) {
  const std::vector<int> asked = inner.indexDigits(), wanted = outer.indexDigits();
  if (inner.axes().size() != wanted.size() && !inner.isEmpty() && !outer.isEmpty()) {
    return Diag{
        fmt::format("the first map has {} results, the second {} dimensions", inner.axes().size(), wanted.size()),
        "as many results as dimensions", "compose(FIRST, SECOND) is x -> SECOND(FIRST(x))"};
  }
  auto digits = mapped<Digit>(asked, [&](int k) { return inner.digit(k); });
  const std::size_t dims = digits.size(), ranges = outer.fanDigits().size();
  const std::vector<Digit> fans = joinedNames(fansOf(outer), fansOf(inner), "s");
  digits.insert(digits.end(), fans.begin(), fans.end());
  const std::vector<Param> params = joinedNames(outer.params(), inner.params(), "rt");
  std::vector<Axis> axes = outer.axes();
  if (inner.isEmpty() || outer.isEmpty()) {
    for (Axis& a : axes) a.value = Expr();
    return Map::create(std::move(digits), std::move(axes), {kNever}, params);
  }
  const std::vector<Expr> ofInner = placed(inner, identityDigits(dims), dims + ranges);
  std::vector<Expr> paramsOfInner;
  for (std::size_t k = 0; k < inner.params().size(); ++k)
    paramsOfInner.push_back(Expr::param(static_cast<int>(outer.params().size() + k)));
  std::vector<Guard> guards;
  std::vector<Expr> raw, clamped;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const Digit& d = outer.digit(wanted[k]);
    raw.push_back(substitute(inner.axes()[k].value, ofInner, paramsOfInner) - d.lo);
    clamped.push_back(greatest(least(raw[k], Expr::constant(d.extent - 1)), Expr::constant(0)));
    guards.push_back({raw[k], 0, d.extent - 1});
  }
  for (Guard& g : substituted(inner.guards(), ofInner, paramsOfInner)) guards.push_back(std::move(g));
  const auto made = [&](const std::vector<Expr>& received) {
    const std::vector<Expr> ofOuter = placed(outer, received, dims);
    std::vector<Guard> all = guards;
    for (Guard& g : substituted(outer.guards(), ofOuter)) all.push_back(std::move(g));
    return Map::create(digits, substituted(axes, ofOuter), std::move(all), params);
  };
  Result<Map> both = made(raw);
  // Outside outer's box its formula may divide by zero; there the value does not matter.
  if (!both) both = made(clamped);
  if (!both) return both;
  return simplified(*both);
}

Digit& Redigited::keep(int k) {
  byDigit[static_cast<std::size_t>(k)] = Expr::digit(static_cast<int>(digits.size()));
  return digits.emplace_back(of.digit(k));
}

Result<Map> Redigited::made() const {
  return Map::create(digits, substituted(of.axes(), byDigit), substituted(of.guards(), byDigit), of.params());
}

Map withSimplerValues(const Map& map) {
  const Environment box = environmentOf(map);
  std::vector<Axis> axes = map.axes();
  for (Axis& a : axes) a.value = simplified(a.value, box);
  std::vector<Guard> guards;
  for (Guard g : map.guards()) {
    g.value = simplified(g.value, box);
    const Range r = factsOf(g.value, box).interval;
    if (r.lo < g.lo || r.hi > g.hi) guards.push_back(g);
  }
  auto made = Map::create(map.digits(), std::move(axes), std::move(guards), map.params());
  LAYOUT_CHECK(made.ok(), "simplifying cannot make a map unsound");
  return *std::move(made);
}

Map emptied(const Map& map) {
  std::vector<Axis> axes = map.axes();
  for (Axis& a : axes) a.value = Expr();
  auto made = Map::create(map.digits(), std::move(axes), {kNever}, map.params());
  LAYOUT_CHECK(made.ok(), "a map of zeros is sound");
  return *std::move(made);
}

Expr inCoordinates(const Expr& root, std::span<const Digit> digits) {
  if (std::ranges::all_of(digits, [](const Digit& d) { return d.lo == 0; })) return root;
  std::unordered_map<Expr, Part> done;
  childrenFirst(root, [&](const Expr& e) {
    Part part = isLeaf(e.op()) ? leaf(e, digits) : joined(e, done.at(e.lhs()), done.at(e.rhs()));
    done.emplace(e, std::move(part));
  });
  return done.at(root).whole();
}

Expr overDigits(const Expr& e, std::span<const Digit> digits) {
  std::vector<Expr> shifted;
  for (std::size_t k = 0; k < digits.size(); ++k)
    shifted.push_back(Expr::digit(static_cast<int>(k)) + Expr::constant(digits[k].lo));
  return substitute(e, shifted);
}

Environment coordinateBox(const Map& map) {
  Environment box;
  for (const Digit& d : map.digits()) box.digits.push_back({d.lo, d.lo + (d.extent - 1)});
  for (const Param& p : map.params()) box.params.push_back({p.lo, p.hi});
  return box;
}

}  // namespace tessera
