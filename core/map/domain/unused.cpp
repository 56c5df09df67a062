#include "core/map/domain/unused.h"

#include <numeric>
#include <set>
#include <string>

#include "core/base/check.h"
#include "core/base/mapped.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "core/map/domain/domain_size.h"

namespace tessera {
namespace {

struct Used {
  std::vector<bool> digits, params;
  void add(const Expr& e) {
    for (const int k : leavesIn(e, Op::Digit)) digits[static_cast<std::size_t>(k)] = true;
    for (const int k : leavesIn(e, Op::Param)) params[static_cast<std::size_t>(k)] = true;
  }
};

}  // namespace

WithoutUnused withoutUnused(const Map& map) {
  Used used{std::vector<bool>(map.digits().size()), std::vector<bool>(map.params().size())};
  for (const Axis& a : map.axes()) used.add(a.value);
  for (const Guard& g : map.guards()) used.add(g.value);
  WithoutUnused result;
  std::vector<Digit> digits;
  std::vector<Expr> newDigits, newParams;
  std::vector<Param> params;
  int fans = 0;
  for (std::size_t k = 0; k < map.digits().size(); ++k) {
    Digit d = map.digits()[k];
    newDigits.push_back(Expr::digit(static_cast<int>(digits.size())));
    if (d.kind == DigitKind::Fan) {
      if (!used.digits[k]) continue;
      d.name = "s" + std::to_string(fans++);
    }
    digits.push_back(std::move(d));
  }
  for (std::size_t k = 0; k < map.params().size(); ++k) {
    newParams.push_back(Expr::param(static_cast<int>(params.size())));
    if (!used.params[k]) continue;
    Param p = map.params()[k];
    p.name = "rt" + std::to_string(params.size());
    result.params.push_back(static_cast<int>(k));
    params.push_back(std::move(p));
  }
  auto made = Map::create(std::move(digits), substituted(map.axes(), newDigits, newParams),
                          substituted(map.guards(), newDigits, newParams), std::move(params));
  LAYOUT_CHECK(made.ok(), "the same expressions over fewer variables are a map");
  result.map = *std::move(made);
  return result;
}

namespace {

// Which digits, then parameters, share a constraint.
class Links {
 public:
  explicit Links(const Map& map) : digits_(map.digits().size()), root_(digits_ + map.params().size()) {
    std::iota(root_.begin(), root_.end(), std::size_t{0});
    for (const Guard& g : map.guards()) {
      const std::vector<std::size_t> in = variables(g.value);
      for (const std::size_t v : in) root_[of(v)] = of(in.front());
    }
  }
  [[nodiscard]] std::vector<std::size_t> variables(const Expr& e) const {
    auto found = mapped<std::size_t>(leavesIn(e, Op::Digit), [&](int k) { return static_cast<std::size_t>(k); });
    for (const int k : leavesIn(e, Op::Param)) found.push_back(digits_ + static_cast<std::size_t>(k));
    return found;
  }
  [[nodiscard]] std::size_t of(std::size_t v) const {
    while (root_[v] != v) v = root_[v];
    return v;
  }
  [[nodiscard]] std::size_t count() const { return root_.size(); }

 private:
  std::size_t digits_;
  std::vector<std::size_t> root_;
};

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

// A d2 in the first place becomes d0, if names stay distinct.
template <typename Variable>
void renumber(std::vector<Variable>& kept, const std::vector<std::string>& standard) {
  std::set<std::string> names;
  for (std::size_t k = 0; k < kept.size(); ++k) names.insert(standard[k].empty() ? kept[k].name : standard[k]);
  if (names.size() != kept.size()) return;
  for (std::size_t k = 0; k < kept.size(); ++k)
    if (!standard[k].empty()) kept[k].name = standard[k];
}

// The new name of a variable d<old> that moved from place `old` to `now`; empty: it keeps its name.
std::string numbered(const std::string& name, const char* letter, std::size_t old, std::size_t now) {
  return name == letter + std::to_string(old) ? letter + std::to_string(now) : "";
}

Map keeping(const Map& map, const std::vector<bool>& kept, std::vector<Guard> guards) {
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
    digitNames.push_back(numbered(d.name, kind == 1 ? "s" : "d", was, now[kind]++));
    digits.push_back(d);
  }
  for (std::size_t k = 0; k < map.params().size(); ++k) {
    newParams.push_back(Expr::param(static_cast<int>(params.size())));
    if (!kept[map.digits().size() + k]) continue;
    paramNames.push_back(numbered(map.params()[k].name, "rt", k, params.size()));
    params.push_back(map.params()[k]);
  }
  renumber(digits, digitNames);
  renumber(params, paramNames);
  auto made = Map::create(std::move(digits), substituted(map.axes(), newDigits, newParams),
                          substituted(std::move(guards), newDigits, newParams), std::move(params));
  LAYOUT_CHECK(made.ok(), "the same expressions over fewer variables are a map");
  return *std::move(made);
}

}  // namespace

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
  return keeping(map, kept, std::move(guards));
}

}  // namespace tessera
