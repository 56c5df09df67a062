// Tiles as sets of elements, for comparison in tests. The slow answers trace every element of a tile and test whether
// sets are boxes.
#pragma once

#include <optional>
#include <set>

#include "core/hlo/tiles/symbolic_tile.h"
#include "hlo/images.h"

namespace tessera::testing {

inline std::vector<i64> elementsOf(const hlo::TileSide& side) {
  std::vector<i64> all;
  for (i64 j = 0; j < side.size; ++j) all.push_back(side.offset + j * side.stride);
  return all;
}

template <class Visit>
void eachElement(const std::vector<hlo::TileSide>& tile, Visit visit) {
  std::vector<i64> sizes;
  for (const hlo::TileSide& s : tile) sizes.push_back(s.size);
  eachCoordinate(sizes, [&](const Element& at) {
    Element e;
    for (std::size_t k = 0; k < tile.size(); ++k) e.push_back(tile[k].offset + at[k] * tile[k].stride);
    visit(e);
  });
}
inline Elements boxOf(const std::vector<hlo::TileSide>& tile) {
  Elements box;
  eachElement(tile, [&](const Element& e) { box.insert(e); });
  return box;
}
// What the map has at the elements of a tile; nothing outside of its domain.
inline Elements imageOfTile(const Map& map, const std::vector<hlo::TileSide>& tile,
                            const std::vector<i64>& params = {}) {
  Elements all;
  eachElement(tile, [&](const Element& e) { all.merge(elementsAt(map, e, params)); });
  return all;
}

// The numbers as one progression.
inline std::optional<hlo::TileSide> progressionOf(const std::set<i64>& numbers) {
  hlo::TileSide side{*numbers.begin(), static_cast<i64>(numbers.size()), 1};
  if (side.size > 1) side.stride = *std::next(numbers.begin()) - side.offset;
  i64 next = side.offset;
  for (const i64 n : numbers) {
    if (n != next) return std::nullopt;
    next += side.stride;
  }
  return side;
}
// The one tile that is this set; nullopt: it is none.
inline std::optional<std::vector<hlo::TileSide>> tileOf(const Elements& set) {
  std::vector<hlo::TileSide> tile;
  std::size_t count = 1;
  for (std::size_t k = 0; k < set.begin()->size(); ++k) {
    std::set<i64> numbers;
    for (const Element& e : set) numbers.insert(e[k]);
    const auto side = progressionOf(numbers);
    if (!side) return std::nullopt;
    tile.push_back(*side);
    count *= numbers.size();
  }
  if (count != set.size()) return std::nullopt;
  return tile;
}

}  // namespace tessera::testing
