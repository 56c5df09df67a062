#include "core/map/domain/rescale.h"

#include <optional>

#include "core/base/arith.h"
#include "core/map/compose.h"
#include "core/map/coordinates.h"
#include "core/map/domain/congruence.h"

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
  std::vector<Expr> by;
  for (std::size_t j = 0; j < digits.size(); ++j) by.push_back(Expr::digit(static_cast<int>(j)));
  by[static_cast<std::size_t>(k)] = Expr::digit(k) * c.modulus + c.remainder;
  std::vector<Axis> axes = map.axes();
  for (Axis& a : axes) a.value = overDigits(substitute(inCoordinates(a.value, map.digits()), by), digits);
  std::vector<Guard> kept = guards;
  for (Guard& g : kept) g.value = overDigits(substitute(g.value, by), digits);
  auto made = Map::create(digits, std::move(axes), std::move(kept), map.params());
  return made ? std::optional(*std::move(made)) : std::nullopt;
}

}  // namespace

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

}  // namespace tessera
