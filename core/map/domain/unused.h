// withoutUnused: removes Fan digits and parameters that no value depends on.
//
//     (d0)[s0, s1] -> (d0, s1), s0 in [0, 9]                 (d0)[s0] -> (d0, s0)
//     (d0)[s0] -> (d0), s0 in [0, 9], d0 + s0 in [0, 3]      kept: s0 determines which d0 are real
//
// Index digits are kept: they are the arguments. The remaining
// Fan digits and parameters are renamed s0.., rt0.. in order.
// Law: imageOf is the same at every index. Guards over removed variables only are dropped only if they always hold.
#pragma once

#include <vector>

#include "core/map/map.h"

namespace tessera {

struct WithoutUnused {
  Map map;
  std::vector<int> params;  // indices in the old map of the remaining ones
};
[[nodiscard]] WithoutUnused withoutUnused(const Map& map);

// Also removes variables of constraints that are not connected to anything needed, with those constraints:
//
//     (d0, d1)[s0, s1] -> (s0, d1), d0 mod 3 in [0, 0], s1 + d0 in [0, 5]      dims: (d0)[s0] -> (s0, d0)
//
// Needed is everything a value reads and, unless `dims`, every Index digit; a parameter in a constraint keeps it. A d2
// that becomes the first is renamed d0; other names are kept. Law: the result at a point is the union over what was
// removed. Unsatisfiable constraints give the empty map.
[[nodiscard]] Map withoutUnneeded(const Map& map, bool dims);

}  // namespace tessera
