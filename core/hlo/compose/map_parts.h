// Map parts: the digits of a map in independent groups: no value or guard uses digits of two groups.
//
//     (d0, d1)[s0] -> (d0 * 2 + s0, d1)      {d0, s0}: first axis;  {d1}: second axis
//     (d0, d1) -> (d1, d0), d0 + d1 in [..]  {d0, d1}: both axes and the guard
//
// Law: the image of the map is the product of the images of its parts. An index reads an element if and only if each
// part of the index reads the matching part of the element.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "core/map/map.h"

namespace tessera::hlo {

struct MapPart {
  std::vector<int> index, fan;            // digits
  std::vector<std::size_t> axes, guards;  // that use these digits
};

// Each digit, axis and guard is in exactly one part; the last part holds those that use no digit.
[[nodiscard]] std::vector<MapPart> partsOf(const Map& map);

// Only the groups: for each digit, the digit that represents its group. `uses`: lists of digits that are used together.
[[nodiscard]] std::vector<std::size_t> leadersOf(std::size_t digits,
                                                 std::initializer_list<const std::vector<std::vector<int>>*> uses);

}  // namespace tessera::hlo
