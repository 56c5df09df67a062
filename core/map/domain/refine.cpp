#include "core/map/domain/refine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "core/map/forms/recognise.h"

namespace tessera {
namespace {

constexpr std::size_t kMaxNodes = 512;  // layouts have about a dozen

// Where the node splits a digit: d floordiv a, d mod b, (d floordiv a) mod b.
void addCuts(const Expr& n, std::vector<std::set<i64>>& cuts) {
  if ((n.op() != Op::FloorDiv && n.op() != Op::Mod) || !n.rhs().isConstant() || n.rhs().value() < 1) return;
  i64 below = 1;
  Expr digit = n.lhs();
  if (digit.op() == Op::FloorDiv && digit.rhs().isConstant() && digit.rhs().value() > 0) {
    below = digit.rhs().value();
    digit = digit.lhs();
  }
  if (digit.op() != Op::Digit) return;
  auto& of = cuts[static_cast<std::size_t>(digit.index())];
  of.insert(below);
  if (const auto at = checkedMul(below, n.rhs().value())) of.insert(*at);
}

// Weights of a digit's parts, starting with 1; empty if the cuts do not divide one another.
std::vector<i64> placesOf(const std::set<i64>& cuts, i64 extent) {
  std::vector<i64> places{1};
  for (const i64 c : cuts) {
    if (c <= 1 || c >= extent) continue;
    if (c % places.back() != 0) return {};
    places.push_back(c);
  }
  return places;
}

std::optional<Refined> withParts(const Map& map, const std::vector<std::vector<i64>>& places) {
  Refined out;
  std::vector<Digit> digits;
  std::vector<Guard> uneven;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Digit& d = map.digits()[k];
    if (d.extent > (i64{1} << 62)) return std::nullopt;  // rounding up may overflow
    Expr whole;
    i64 count = 1;
    out.partsOf.emplace_back();
    for (std::size_t p = 0; p < places[k].size(); ++p) {
      const i64 next = p + 1 < places[k].size() ? places[k][p + 1] : roundUp(d.extent, places[k][p]);
      whole = whole + Expr::digit(static_cast<int>(digits.size())) * places[k][p];
      out.partsOf.back().push_back(static_cast<int>(digits.size()));
      const std::string name = places[k].size() == 1 ? d.name : fmt::format("{}_{}", d.name, p);
      digits.push_back({name, next / places[k][p], d.kind});
      count = next;
    }
    if (count != d.extent) uneven.push_back({whole, 0, d.extent - 1});
    out.digits.push_back(whole);
  }
  std::vector<Guard> guards = substituted(map.guards(), out.digits);
  out.even = uneven.empty();
  guards.insert(guards.end(), uneven.begin(), uneven.end());
  auto made = Map::create(std::move(digits), substituted(map.axes(), out.digits), std::move(guards), map.params());
  if (!made) return std::nullopt;
  out.map = withSimplerValues(*made);
  return out;
}

// e with every occurrence of `inner` replaced by digit 0; nullopt if a digit or parameter remains outside it.
std::optional<Expr> abstracted(const std::vector<Expr>& nodes, const Expr& inner) {
  std::unordered_map<const void*, std::optional<Expr>> made;
  for (const Expr& n : nodes) {
    std::optional<Expr> e;
    if (n == inner) {
      e = Expr::digit(0);
    } else if (n.op() == Op::Constant) {
      e = n;
    } else if (!isLeaf(n.op())) {
      const auto &a = made.at(n.lhs().id()), &b = made.at(n.rhs().id());
      if (a && b) e = Expr::binary(n.op(), *a, *b);
    }
    made.emplace(n.id(), std::move(e));
  }
  return made.at(nodes.back().id());
}

bool injectiveOverBits(const Expr& post, i64 top) {
  const auto bits = static_cast<int>(std::bit_width(static_cast<u64>(top)));
  if (bits > 62) return false;
  const auto map = Map::create({{"x", i64{1} << bits, DigitKind::Index}}, {{"y", post, std::nullopt}});
  if (!map) return false;
  const auto form = asF2(*map);
  return form.ok() && rank(form->matrix) == bits;
}

}  // namespace

std::optional<Refined> refined(const Map& map) {
  const Map simple = withSimplerValues(map);
  std::vector<std::set<i64>> cuts(map.digits().size());
  for (const Axis& a : simple.axes()) {
    if (nodeCount(a.value) > kMaxNodes) return std::nullopt;
    for (const Expr& n : nodesIn(a.value)) addCuts(n, cuts);
  }
  std::vector<std::vector<i64>> places;
  bool any = false;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    places.push_back(placesOf(cuts[k], map.digits()[k].extent));
    if (places.back().empty()) return std::nullopt;
    any = any || places.back().size() > 1;
  }
  if (!any) return std::nullopt;
  return withParts(simple, places);
}

std::optional<Outer> outerOf(const Map& map, int axis) {
  const Expr e = map.axes()[static_cast<std::size_t>(axis)].value;
  if (nodeCount(e) > kMaxNodes) return std::nullopt;
  const std::vector<Expr> nodes = nodesIn(e);
  const auto isXor = [](const Expr& n) { return n.op() == Op::Xor; };
  if (std::none_of(nodes.begin(), nodes.end(), isXor)) return std::nullopt;
  FactBase facts(environmentOf(map));
  std::optional<Outer> found;
  for (std::size_t k = nodes.size() - 1; k-- > 0;) {  // parents come after children: largest first
    if (nodes[k].op() == Op::Constant || nodes[k].op() == Op::Param) continue;
    const auto post = abstracted(nodes, nodes[k]);
    if (!post) continue;
    const Facts& known = facts.of(nodes[k]);
    if (!known.fits || known.interval.lo < 0 || !injectiveOverBits(*post, known.interval.hi)) continue;
    found = Outer{*post, nodes[k], known.interval.hi};
    const auto below = nodesIn(nodes[k]);
    if (std::none_of(below.begin(), below.end(), isXor)) break;
  }
  return found;
}

}  // namespace tessera
