#include "core/map/domain/variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/map/compose.h"

namespace tessera {
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
    if (std::none_of(to.digits.begin(), to.digits.end(), taken)) to.digits[k].name = name;
  }
  return Map::create(std::move(to.digits), substituted(map.axes(), to.byDigit, byParam),
                     substituted(map.guards(), to.byDigit, byParam));
}

}  // namespace tessera
