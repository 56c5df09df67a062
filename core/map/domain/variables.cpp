#include "core/map/domain/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "core/base/arith.h"
#include "core/base/check.h"
#include "core/base/mapped.h"
#include "core/base/work.h"
#include "core/expr/linear_sum.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "core/map/domain/domain_size.h"
#include "core/map/domain/narrow.h"

namespace tessera {
namespace {

// The congruence of digit k from all constraints; those that it fully expresses are left out of `rest`.
std::optional<Congruence> congruenceOf(const std::vector<Guard>& guards, int k, std::vector<Guard>& rest) {
  std::optional<Congruence> all;
  for (const Guard& g : guards) {
    auto one = congruenceOf(g);
    if (one && one->variable != Expr::digit(k)) one.reset();
    if (one && all) one = both(*all, *one);
    if (one)
      all = one;
    else
      rest.push_back(g);
  }
  return all && all->modulus != 1 ? all : std::nullopt;
}

// Digit k of the map as modulus * new + remainder; nullopt on 64-bit overflow.
std::optional<Map> scaled(const Map& map, int k, const Congruence& c, const std::vector<Guard>& guards) {
  std::vector<Digit> digits = map.digits();
  Digit& d = digits[static_cast<std::size_t>(k)];
  const auto inside = within({d.lo, d.lo + (d.extent - 1)}, c);
  if (!inside) return emptied(map);
  const i64 lo = floorDiv(inside->lo, c.modulus), hi = floorDiv(inside->hi, c.modulus);
  d.lo = lo;
  d.extent = hi - lo + 1;
  std::vector<Expr> by = identityDigits(digits.size());
  by[static_cast<std::size_t>(k)] = Expr::digit(k) * c.modulus + c.remainder;
  std::vector<Axis> axes = map.axes();
  for (Axis& a : axes) a.value = overDigits(substitute(inCoordinates(a.value, map.digits()), by), digits);
  std::vector<Guard> kept = guards;
  for (Guard& g : kept) g.value = overDigits(substitute(g.value, by), digits);
  auto made = Map::create(digits, std::move(axes), std::move(kept), map.params());
  return made ? std::optional(*std::move(made)) : std::nullopt;
}

// By group (Links::of): whether a value, a dimension or a parameter of a constraint needs it.
std::vector<bool> neededGroups(const Map& map, const Links& links, bool dims) {
  std::vector<bool> needed(links.count());
  for (const Axis& a : map.axes())
    for (const std::size_t v : links.variables(a.value)) needed[links.of(v)] = true;
  for (std::size_t k = 0; k < map.digits().size(); ++k)
    if (!dims && map.digits()[k].kind == DigitKind::Index) needed[links.of(k)] = true;
  for (const Guard& g : map.guards())
    for (const std::size_t v : links.variables(g.value))
      if (v >= map.digits().size()) needed[links.of(v)] = true;
  return needed;
}

// Unless `always`, only if the names are distinct.
template <typename Variable>
void rename(std::vector<Variable>& variables, const std::vector<std::string>& names, bool always) {
  if (!always && std::set<std::string>(names.begin(), names.end()).size() != names.size()) return;
  for (std::size_t k = 0; k < variables.size(); ++k) variables[k].name = names[k];
}

// The name of a variable that moved from place `old` to `now`: a d2 in the first place becomes d0; other names stay.
std::string numbered(const std::string& name, const char* letter, std::size_t old, std::size_t now) {
  return name == letter + std::to_string(old) ? letter + std::to_string(now) : name;
}

// The map over the digits, then parameters, that are kept. `renamed`: Fan digits are s0, s1 ... and parameters rt0 ...;
// else only those that were called so by their place.
Map keeping(const Map& map, const std::vector<bool>& kept, std::vector<Guard> guards, bool renamed) {
  std::vector<Digit> digits;
  std::vector<Param> params;
  std::vector<Expr> newDigits, newParams;
  std::vector<std::string> digitNames, paramNames;
  std::size_t old[2] = {0, 0}, now[2] = {0, 0};
  for (std::size_t k = 0; k < map.digits().size(); ++k) {
    const Digit& d = map.digits()[k];
    const std::size_t kind = d.kind == DigitKind::Fan ? 1 : 0, was = old[kind]++;
    newDigits.push_back(Expr::digit(static_cast<int>(digits.size())));
    if (!kept[k]) continue;
    digits.push_back(d);
    digitNames.push_back(renamed ? kind == 1 ? "s" + std::to_string(now[1]) : d.name
                                 : numbered(d.name, kind == 1 ? "s" : "d", was, now[kind]));
    ++now[kind];
  }
  for (std::size_t k = 0; k < map.params().size(); ++k) {
    newParams.push_back(Expr::param(static_cast<int>(params.size())));
    if (!kept[map.digits().size() + k]) continue;
    const Param& p = map.params()[k];
    paramNames.push_back(renamed ? "rt" + std::to_string(params.size()) : numbered(p.name, "rt", k, params.size()));
    params.push_back(p);
  }
  rename(digits, digitNames, renamed);
  rename(params, paramNames, renamed);
  auto made = Map::create(std::move(digits), substituted(map.axes(), newDigits, newParams),
                          substituted(std::move(guards), newDigits, newParams), std::move(params));
  LAYOUT_CHECK(made.ok(), "the same expressions over fewer variables are a map");
  return *std::move(made);
}

// Marks the digits in an expression.
void mark(const Expr& e, std::vector<bool>& digits) {
  for (const int k : leavesIn(e, Op::Digit)) digits[static_cast<std::size_t>(k)] = true;
}

// k if b == k * a with k > 0.
std::optional<i128> multiple(const std::vector<i128>& b, const std::vector<i128>& a) {
  std::optional<i128> k;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0 && b[i] == 0) continue;
    if (a[i] == 0 || b[i] % a[i] != 0 || (k && *k != b[i] / a[i])) return std::nullopt;
    k = b[i] / a[i];
  }
  return k && *k > 0 ? k : std::nullopt;
}

}  // namespace

Result<Map> rangesAsDims(const Map& map, std::span<const i64> ranges) {
  const std::vector<int> fans = map.fanDigits();
  std::vector<bool> moved(fans.size());
  for (const i64 k : ranges) {
    if (k < 0 || k >= static_cast<i64>(fans.size()))
      return Diag{fmt::format("there is no range variable {}", k),
                  fans.empty() ? "a map with range variables, (d0)[s0] -> (d0 + s0)"
                               : fmt::format("one of the range variables 0 to {}", fans.size() - 1)};
    if (moved[static_cast<std::size_t>(k)])
      return Diag{fmt::format("range variable {} appears twice", k), "each of them once"};
    moved[static_cast<std::size_t>(k)] = true;
  }
  Redigited to(map);
  for (const int k : map.indexDigits()) to.keep(k);
  for (const i64 k : ranges) to.keep(fans[static_cast<std::size_t>(k)]).kind = DigitKind::Index;
  for (std::size_t k = 0; k < fans.size(); ++k)
    if (!moved[k]) to.keep(fans[k]);
  return to.made();
}

Result<Map> symbolsAsDims(const Map& map) {
  Redigited to(map);
  std::vector<Expr> byParam;
  for (const int k : map.indexDigits()) to.keep(k);
  const std::size_t old = to.digits.size();
  for (const int k : map.fanDigits()) to.keep(k).kind = DigitKind::Index;
  for (const Param& p : map.params()) {
    const auto width = checkedSub(p.hi, p.lo);
    if (!width || *width == INT64_MAX)
      return Diag{fmt::format("{} has too many values for a dimension", p.name), "below 2^63"};
    byParam.push_back(Expr::digit(static_cast<int>(to.digits.size())) + Expr::constant(p.lo));
    to.digits.push_back({p.name, *width + 1, DigitKind::Index, p.lo});
  }
  for (std::size_t k = old; k < to.digits.size(); ++k) {
    const std::string name = fmt::format("d{}", k);
    const auto taken = [&](const Digit& d) { return d.name == name; };
    if (std::ranges::none_of(to.digits, taken)) to.digits[k].name = name;
  }
  return Map::create(std::move(to.digits), substituted(map.axes(), to.byDigit, byParam),
                     substituted(map.guards(), to.byDigit, byParam));
}

Map rescaled(const Map& map) {
  Map now = map;
  for (const int k : map.fanDigits()) {
    if (now.isEmpty()) return now;
    const Environment box = coordinateBox(now);
    std::vector<Guard> guards, rest;
    for (const Guard& g : now.guards()) guards.push_back({inCoordinates(g.value, now.digits()), g.lo, g.hi});
    const auto c = congruenceOf(guards, k, rest);
    if (!c) continue;
    if (!c->possible()) return emptied(map);
    if (auto next = scaled(now, k, *c, rest)) now = *std::move(next);
  }
  return now;
}

WithoutUnused withoutUnused(const Map& map) {
  const Links links(map);
  std::vector<bool> kept(links.count());
  for (std::size_t k = 0; k < map.digits().size(); ++k) kept[k] = map.digits()[k].kind == DigitKind::Index;
  for (const Axis& a : map.axes())
    for (const std::size_t v : links.variables(a.value)) kept[v] = true;
  for (const Guard& g : map.guards())
    for (const std::size_t v : links.variables(g.value)) kept[v] = true;
  WithoutUnused result{keeping(map, kept, map.guards(), /*renamed=*/true), {}};
  for (std::size_t k = 0; k < map.params().size(); ++k)
    if (kept[map.digits().size() + k]) result.params.push_back(static_cast<int>(k));
  return result;
}

Map withoutUnneeded(const Map& map, bool dims) {
  if (map.isEmpty()) return map;
  const Links links(map);
  std::vector<bool> needed = neededGroups(map, links, dims);
  std::vector<std::vector<Guard>> loose(links.count());  // constraints not connected to anything needed, by group
  for (const Guard& g : map.guards())
    if (const auto in = links.variables(g.value); !in.empty() && !needed[links.of(in.front())])
      loose[links.of(in.front())].push_back(g);
  for (std::size_t group = 0; group < loose.size(); ++group) {
    if (loose[group].empty()) continue;
    std::vector<Digit> digits = map.digits();
    for (std::size_t k = 0; k < digits.size(); ++k)
      if (links.of(k) != group) digits[k].extent = 1;
    const auto alone = Map::create(std::move(digits), {}, loose[group]);
    const auto met = alone ? domainSize(*alone) : Result<i64>(alone.error());
    if (met && *met == 0) return emptied(map);
    needed[group] = !met;  // keep groups that cannot be counted
  }
  std::vector<bool> kept(links.count());
  for (std::size_t v = 0; v < kept.size(); ++v) kept[v] = needed[links.of(v)];
  std::vector<Guard> guards;
  for (const Guard& g : map.guards())
    if (const auto in = links.variables(g.value); in.empty() || kept[in.front()]) guards.push_back(g);
  return keeping(map, kept, std::move(guards), /*renamed=*/false);
}

bool usesFans(const Expr& e, const Map& map) {
  const std::vector<int> digits = leavesIn(e, Op::Digit);
  return std::ranges::any_of(digits, [&](int k) { return map.digit(k).kind == DigitKind::Fan; });
}

void mergeFans(std::vector<FanRun>& runs, std::vector<i128>& constant) {
  for (FanRun& run : runs) {
    if (*std::ranges::find_if(run.stride, [](i128 s) { return s != 0; }) > 0) continue;
    for (std::size_t a = 0; a < constant.size(); ++a) {
      constant[a] += run.stride[a] * (run.extent - 1);
      run.stride[a] = -run.stride[a];
    }
  }
  std::ranges::sort(runs, {}, &FanRun::stride);
  for (bool merged = true; merged;) {
    merged = false;
    for (std::size_t i = 0; i < runs.size() && !merged; ++i) {
      spend(static_cast<i64>(runs.size()));
      for (std::size_t j = 0; j < runs.size() && !merged; ++j) {
        if (i == j) continue;
        const auto k = multiple(runs[j].stride, runs[i].stride);
        if (!k || *k > runs[i].extent) continue;
        runs[i].extent += *k * (runs[j].extent - 1);
        runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(j));
        merged = true;
      }
    }
  }
}

Map withFewerFans(const Map& f) {
  if (f.fanDigits().empty()) return f;
  const Map simple = withSimplerValues(f);
  std::vector<std::vector<i64>> strides;  // by axis: of every digit that only occurs times a constant
  std::vector<bool> stuck(f.digits().size(), false);
  for (const Guard& g : simple.guards()) mark(g.value, stuck);
  for (const Axis& a : simple.axes()) {
    const auto sum = linearSum(a.value);
    if (!sum) return f;
    strides.emplace_back(f.digits().size(), 0);
    for (const Term& t : sum->terms) {
      if (t.part.op() == Op::Digit)
        strides.back()[static_cast<std::size_t>(t.part.index())] = t.coefficient;
      else
        mark(t.part, stuck);
    }
  }
  std::vector<FanRun> runs;
  std::vector<i128> constant(strides.size(), 0);
  std::vector<Digit> digits;
  std::vector<Expr> moved(f.digits().size());  // fanned terms are taken out of the sums; 0 elsewhere
  for (std::size_t k = 0; k < f.digits().size(); ++k) {
    const Digit& d = f.digits()[k];
    if (d.kind == DigitKind::Index || stuck[k]) {
      moved[k] = Expr::digit(static_cast<int>(digits.size()));
      digits.push_back(d);
      continue;
    }
    FanRun run{mapped<i128>(strides, [&](const std::vector<i64>& ofAxis) { return ofAxis[k]; }), d.extent};
    const bool moves = std::ranges::any_of(run.stride, [](i128 s) { return s != 0; });
    if (d.extent > 1 && moves) runs.push_back(std::move(run));
  }
  mergeFans(runs, constant);
  if (!std::ranges::all_of(constant, fits64)) return f;
  for (const FanRun& run : runs)
    if (!fits64(run.extent) || !std::ranges::all_of(run.stride, fits64)) return f;
  std::vector<Axis> axes = simple.axes();
  for (std::size_t a = 0; a < axes.size(); ++a) {
    axes[a].value = substitute(axes[a].value, moved) + static_cast<i64>(constant[a]);
    for (std::size_t r = 0; r < runs.size(); ++r)
      axes[a].value =
          axes[a].value + Expr::digit(static_cast<int>(digits.size() + r)) * static_cast<i64>(runs[r].stride[a]);
  }
  for (std::size_t r = 0; r < runs.size(); ++r)
    digits.push_back({fmt::format("r{}", r), static_cast<i64>(runs[r].extent), DigitKind::Fan});
  auto made = Map::create(std::move(digits), std::move(axes), substituted(simple.guards(), moved), f.params());
  return made ? withSimplerValues(*made) : f;
}

}  // namespace tessera
