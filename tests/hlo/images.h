// The elements that maps denote at a coordinate: the meaning that tests compare, for maps of any form.
#pragma once

#include <set>
#include <vector>

#include "core/map/map.h"

namespace tessera::testing {

using Element = std::vector<i64>;
using Elements = std::set<Element>;

// Nothing outside the box. Digits count from lo.
inline Elements elementsAt(const Map& map, const Element& coordinate, const std::vector<i64>& params = {}) {
  Elements found;
  Element index;
  const std::vector<int> digits = map.indexDigits();
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const Digit& d = map.digits()[static_cast<std::size_t>(digits[k])];
    const i64 at = coordinate.at(k) - d.lo;
    if (at < 0 || at >= d.extent) return found;
    index.push_back(at);
  }
  for (std::vector<i64>& e : map.imageOf(index, params)) found.insert(std::move(e));
  return found;
}

inline Elements elementsAt(const std::vector<Map>& maps, const Element& coordinate,
                           const std::vector<i64>& params = {}) {
  Elements all;
  for (const Map& m : maps) all.merge(elementsAt(m, coordinate, params));
  return all;
}

// Every coordinate of an array, last dimension fastest.
template <class Visit>
void eachCoordinate(const std::vector<i64>& sizes, Visit visit) {
  Element at(sizes.size(), 0);
  for (const i64 n : sizes)
    if (n == 0) return;
  for (;;) {
    visit(at);
    std::size_t k = sizes.size();
    while (k > 0 && ++at[k - 1] == sizes[k - 1]) at[--k] = 0;
    if (k == 0) return;
  }
}

}  // namespace tessera::testing
