// Every lane of every warp, one after another: what countSectors has in closed form.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/map/map.h"

namespace tessera::testing {

struct LaneCounts {
  i64 accesses = 0, sectors = 0, ideal = 0, aligned = 0, most = 0;

  LaneCounts& operator+=(const LaneCounts& more) {
    accesses += more.accesses;
    sectors += more.sectors;
    ideal += more.ideal;
    aligned += more.aligned;
    most = std::max(most, more.most);
    return *this;
  }
};

// As the closed form assumes them.
inline std::vector<i64> middles(const std::vector<Param>& params) {
  std::vector<i64> at;
  for (const Param& p : params) at.push_back(p.lo + (p.hi - p.lo) / 2);
  return at;
}

// `map`: (thread, blocks ..)[steps ..] -> a place; slotOf: place -> its slot in memory. A lane reads `width` consecutive
// values of the last Fan digit at once.
template <class SlotOf>
LaneCounts everyLane(const Map& map, i64 bits, i64 width, SlotOf slotOf) {
  const i64 bytes = std::max<i64>(1, bits / 8);
  const std::vector<int> index = map.indexDigits(), fans = map.fanDigits();
  const std::vector<i64> params = middles(map.params());
  std::map<std::vector<i64>, std::set<i64>> accesses;  // warp, blocks, steps -> bytes
  std::vector<int> all(index);
  all.insert(all.end(), fans.begin(), fans.end());
  eachPoint(map, all, std::vector<i64>(map.digits().size(), 0), [&](std::span<const i64> point) {
    if (!map.isReal(point, params)) return;
    const i64 from = slotOf(map.at(point, params)) * bits / 8;
    std::vector<i64> key{(point[static_cast<std::size_t>(index[0])] + map.digit(index[0]).lo) / 32};
    for (std::size_t k = 1; k < index.size(); ++k) key.push_back(point[static_cast<std::size_t>(index[k])]);
    for (const int k : fans) key.push_back(point[static_cast<std::size_t>(k)] / (k == fans.back() ? width : 1));
    for (i64 b = 0; b < bytes; ++b) accesses[key].insert(from + b);
  });
  LaneCounts counts;
  for (const auto& [key, touched] : accesses) {
    const i64 moved = *touched.begin() % 32;
    std::set<i64> sectors, aligned;
    for (const i64 b : touched) {
      sectors.insert(b / 32);
      aligned.insert((b - moved) / 32);
    }
    const i64 ideal = (static_cast<i64>(touched.size()) + 31) / 32, count = static_cast<i64>(sectors.size());
    counts += {1, count, ideal, static_cast<i64>(aligned.size()), count - ideal};
  }
  return counts;
}

}  // namespace tessera::testing
