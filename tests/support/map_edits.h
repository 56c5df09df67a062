// Maps with one thing changed.
#pragma once

#include "core/map/map.h"

namespace tessera {

inline Result<Map> withGuard(const Map& map, Guard guard) {
  std::vector<Guard> guards = map.guards();
  guards.push_back(std::move(guard));
  return Map::create(map.digits(), map.axes(), std::move(guards), map.params());
}

}  // namespace tessera
