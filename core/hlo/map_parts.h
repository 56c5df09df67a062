// Map parts: the variables of a map in groups that have nothing to do with one another. No value and no guard looks at two groups.
//
//     (d0, d1)[s0] -> (d0 * 2 + s0, d1)      {d0, s0}: first axis;  {d1}: second axis
//     (d0, d1) -> (d1, d0), d0 + d1 in [..]  {d0, d1}: both axes and the guard
//
// Law: the image of the map is the product of the images of its parts, and an element is read at an index exactly when each part of it is
// read at the part of the index.
#pragma once

#include <cstddef>
#include <vector>

#include "core/map/map.h"

namespace tessera::hlo {

struct MapPart {
  std::vector<int> index, fan;            // digits
  std::vector<std::size_t> axes, guards;  // that look at them
};

// Each digit, axis and guard in one part; the last part has those that look at no digit.
[[nodiscard]] std::vector<MapPart> partsOf(const Map& map);

}  // namespace tessera::hlo
