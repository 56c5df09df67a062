#include "core/hlo/cost/physical.h"

#include <fmt/format.h>

#include "core/map/compose.h"
#include "core/notation/xla/address.h"

namespace tessera::hlo {

Result<Map> inMemoryOrder(const Map& map, const xla::Shape& from, const xla::Shape& to) {
  const auto& outer = from.layout().minorToMajor;
  const auto& inner = to.layout().minorToMajor;
  const std::vector<int> index = map.indexDigits();
  if (!from.isArray() || !to.isArray() || outer.size() != index.size() || inner.size() != map.axes().size())
    return Diag{fmt::format("a map from {} to {} coordinates between {} and {}", index.size(), map.axes().size(),
                            xla::print(from), xla::print(to)),
                "the map of a read, and the two arrays"};
  std::vector<Digit> digits;
  std::vector<Expr> values(map.digits().size());
  for (std::size_t k = outer.size(); k-- > 0;) {
    const int at = index[static_cast<std::size_t>(outer[k])];
    values[static_cast<std::size_t>(at)] = Expr::digit(static_cast<int>(digits.size()));
    digits.push_back(map.digits()[static_cast<std::size_t>(at)]);
    digits.back().name = fmt::format("d{}", digits.size() - 1);
  }
  for (const int at : map.fanDigits()) {
    values[static_cast<std::size_t>(at)] = Expr::digit(static_cast<int>(digits.size()));
    digits.push_back(map.digits()[static_cast<std::size_t>(at)]);
  }
  std::vector<Axis> axes;
  for (std::size_t k = inner.size(); k-- > 0;) {
    Axis axis = map.axes()[static_cast<std::size_t>(inner[k])];
    axis.value = substitute(axis.value, values);
    axes.push_back(std::move(axis));
  }
  std::vector<Guard> guards = map.guards();
  for (Guard& g : guards) g.value = substitute(g.value, values);
  TESSERA_TRY(const Map made, Map::create(std::move(digits), std::move(axes), std::move(guards), map.params()));
  return simplified(made);
}

Result<Map> slotsRead(const Map& map, const xla::Shape& of) {
  TESSERA_TRY(const Map slots, xla::toMap(of));
  TESSERA_TRY(const Map both, thenInside(map, slots));
  std::vector<Axis> axes = both.axes();  // slot count as the extent, for in_bounds
  for (std::size_t k = 0; k < axes.size() && k < slots.axes().size(); ++k) {
    axes[k].name = slots.axes()[k].name;
    axes[k].extent = slots.axes()[k].extent;
  }
  return Map::create(both.digits(), std::move(axes), both.guards(), both.params());
}

}  // namespace tessera::hlo
