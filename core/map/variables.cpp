#include "core/map/variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"

namespace tessera {
namespace {

struct Reordered {
  std::vector<Digit> digits;
  std::vector<Expr> byDigit, byParam;  // replacements of the old ones
};

Result<Map> rebuilt(const Map& map, Reordered order, std::vector<Param> params) {
  std::vector<Axis> axes = map.axes();
  for (Axis& a : axes) a.value = substitute(a.value, order.byDigit, order.byParam);
  std::vector<Guard> guards = map.guards();
  for (Guard& g : guards) g.value = substitute(g.value, order.byDigit, order.byParam);
  return Map::create(std::move(order.digits), std::move(axes), std::move(guards), std::move(params));
}

void place(const Map& map, int k, DigitKind kind, Reordered& order) {
  const auto at = static_cast<std::size_t>(k);
  order.byDigit[at] = Expr::digit(static_cast<int>(order.digits.size()));
  order.digits.push_back(map.digits()[at]);
  order.digits.back().kind = kind;
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
  Reordered order{{}, std::vector<Expr>(map.digits().size()), {}};
  for (const int k : map.indexDigits()) place(map, k, DigitKind::Index, order);
  for (const i64 k : ranges) place(map, fans[static_cast<std::size_t>(k)], DigitKind::Index, order);
  for (std::size_t k = 0; k < fans.size(); ++k)
    if (!moved[k]) place(map, fans[k], DigitKind::Fan, order);
  return rebuilt(map, std::move(order), map.params());
}

Result<Map> symbolsAsDims(const Map& map) {
  Reordered order{{}, std::vector<Expr>(map.digits().size()), {}};
  for (const int k : map.indexDigits()) place(map, k, DigitKind::Index, order);
  const std::size_t old = order.digits.size();
  for (const int k : map.fanDigits()) place(map, k, DigitKind::Index, order);
  for (const Param& p : map.params()) {
    const auto width = checkedSub(p.hi, p.lo);
    if (!width || *width == INT64_MAX)
      return Diag{fmt::format("{} has too many values for a dimension", p.name), "below 2^63"};
    order.byParam.push_back(Expr::digit(static_cast<int>(order.digits.size())) + Expr::constant(p.lo));
    order.digits.push_back({p.name, *width + 1, DigitKind::Index, p.lo});
  }
  for (std::size_t k = old; k < order.digits.size(); ++k) {
    const std::string name = fmt::format("d{}", k);
    const auto taken = [&](const Digit& d) { return d.name == name; };
    if (std::none_of(order.digits.begin(), order.digits.end(), taken)) order.digits[k].name = name;
  }
  return rebuilt(map, std::move(order), {});
}

}  // namespace tessera
