#include "core/hlo/compose/map_parts.h"

#include <numeric>

#include "core/expr/walk.h"

namespace tessera::hlo {

std::vector<std::size_t> leadersOf(std::size_t digits,
                                   std::initializer_list<const std::vector<std::vector<int>>*> uses) {
  std::vector<std::size_t> leader(digits);
  std::iota(leader.begin(), leader.end(), 0U);
  const auto find = [&](std::size_t k) {
    while (leader[k] != k) k = leader[k];
    return k;
  };
  for (const auto* list : uses)
    for (const std::vector<int>& used : *list)
      for (const int d : used) leader[find(static_cast<std::size_t>(d))] = find(static_cast<std::size_t>(used[0]));
  for (std::size_t k = 0; k < digits; ++k) leader[k] = find(k);
  return leader;
}

std::vector<MapPart> partsOf(const Map& map) {
  const std::size_t n = map.digits().size();
  std::vector<std::vector<int>> axes, guards;
  for (const Axis& a : map.axes()) axes.push_back(leavesIn(a.value, Op::Digit));
  for (const Guard& g : map.guards()) guards.push_back(leavesIn(g.value, Op::Digit));
  const std::vector<std::size_t> leader = leadersOf(n, {&axes, &guards});
  std::vector<MapPart> parts(n + 1);  // last: what uses no digit
  const auto home = [&](const std::vector<int>& digits) {
    return digits.empty() ? n : leader[static_cast<std::size_t>(digits[0])];
  };
  for (std::size_t k = 0; k < n; ++k) {
    MapPart& part = parts[leader[k]];
    (map.digits()[k].kind == DigitKind::Fan ? part.fan : part.index).push_back(static_cast<int>(k));
  }
  for (std::size_t k = 0; k < axes.size(); ++k) parts[home(axes[k])].axes.push_back(k);
  for (std::size_t k = 0; k < guards.size(); ++k) parts[home(guards[k])].guards.push_back(k);
  return parts;
}

}  // namespace tessera::hlo
