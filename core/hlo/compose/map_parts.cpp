#include "core/hlo/compose/map_parts.h"

#include <numeric>

#include "core/expr/walk.h"

namespace tessera::hlo {

std::vector<MapPart> partsOf(const Map& map) {
  const std::size_t n = map.digits().size();
  std::vector<std::size_t> leader(n + 1);
  std::iota(leader.begin(), leader.end(), 0U);
  const auto find = [&](std::size_t k) {
    while (leader[k] != k) k = leader[k];
    return k;
  };
  std::vector<std::vector<int>> axes, guards;
  for (const Axis& a : map.axes()) axes.push_back(leavesIn(a.value, Op::Digit));
  for (const Guard& g : map.guards()) guards.push_back(leavesIn(g.value, Op::Digit));
  for (const auto* list : {&axes, &guards})
    for (const std::vector<int>& digits : *list)
      for (const int d : digits) leader[find(static_cast<std::size_t>(d))] = find(static_cast<std::size_t>(digits[0]));
  std::vector<MapPart> parts(n + 1);  // last: what uses no digit
  const auto home = [&](const std::vector<int>& digits) {
    return digits.empty() ? n : find(static_cast<std::size_t>(digits[0]));
  };
  for (std::size_t k = 0; k < n; ++k)
    (map.digits()[k].kind == DigitKind::Fan ? parts[find(k)].fan : parts[find(k)].index).push_back(static_cast<int>(k));
  for (std::size_t k = 0; k < axes.size(); ++k) parts[home(axes[k])].axes.push_back(k);
  for (std::size_t k = 0; k < guards.size(); ++k) parts[home(guards[k])].guards.push_back(k);
  return parts;
}

}  // namespace tessera::hlo
