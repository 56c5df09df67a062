// withoutUnused: Fan digits and parameters that no value needs, taken away.
//
//     (d0)[s0, s1] -> (d0, s1), s0 in [0, 9]                 (d0)[s0] -> (d0, s0)
//     (d0)[s0] -> (d0), s0 in [0, 9], d0 + s0 in [0, 3]      stays: s0 says which d0 are real
//
// Index digits stay: they are what is asked. The Fan digits and parameters that are left are called s0.., rt0.. in their order.
// Law: imageOf is the same at every index. Guards over nothing but removed variables vanish only where they hold everywhere.
#pragma once

#include <vector>

#include "core/map/map.h"

namespace tessera {

struct WithoutUnused {
  Map map;
  std::vector<int> params;  // of the old map, those that are left
};
[[nodiscard]] WithoutUnused withoutUnused(const Map& map);

// Also the variables of constraints that reach nothing that is needed, together with those constraints:
//
//     (d0, d1)[s0, s1] -> (s0, d1), d0 mod 3 in [0, 0], s1 + d0 in [0, 5]      dims: (d0)[s0] -> (s0, d0)
//
// Needed is what a value reads and, unless `dims`, every Index digit; a parameter in a constraint keeps it. d2 that becomes the
// first one is d0; other names stay. Law: what is left at a point is the union over what was removed. Constraints that no
// value meets leave the empty map.
[[nodiscard]] Map withoutUnneeded(const Map& map, bool dims);

}  // namespace tessera
