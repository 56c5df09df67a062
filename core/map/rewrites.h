// Rewrites: the steps of simplified(Map), as recorded by the simplifier.
//
//     (d0, d1) -> ((d0 * 4 + d1) floordiv 4), domain: d0 in [0, 15], d1 in [0, 3], d0 * 2 in [0, 20]
//         constraint   constraint-undone      d0 * 2 in [0, 20]          d0 in [0, 10]
//         constraint   constraint-is-a-range  d0 in [0, 10]              the range of d0
//         result 0     div-of-multiple        (d0 * 4 + d1) floordiv 4   d0 + d1 floordiv 4
//         result 0     known-constant         d1 floordiv 4              0
//
// All in coordinates (map/coordinates.h): digit k is the coordinate of the map's digit k.
//
// Laws: for a value, before and after are equal at every coordinate of `box`. For constraints, every point of the map
// satisfies `kept`. The resulting map is the same as without recording. A simplified map has no steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

struct MapRewrite {
  std::string rule;  // a name of expr/rules.h's lawOf, or of lawOfConstraint below
  std::string of;    // "result 0", "constraint"
  Expr before, after;
  Environment box;                  // where they are equal
  std::optional<Guard> held, kept;  // of a constraint step, which has no `before`: the old and new constraint
};

// simplified(map) of map/compose.h, with its steps.
[[nodiscard]] Map simplified(const Map& map, std::vector<MapRewrite>& steps);
// "a constraint on one variable is its range"; "" for an unknown name.
[[nodiscard]] std::string_view lawOfConstraint(std::string_view rule);

}  // namespace tessera
