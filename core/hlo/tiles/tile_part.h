// Tile part: one part of a symbolic tile, the values and guards that share dimensions. Internal to core/hlo.
//
// How: each value is a sum of multiples of atoms, which are digits or windows (x floordiv a) mod m of other such sums.
// Starting from the digits' progressions, sums become progressions, and the windows of a sum become its digits, case by
// case (progression.h). The result is a box if no atom is used twice. Otherwise, or if a formula has another form, its
// digits are restricted to one element each and treated as numbers.
//
//     reshape [4,8] -> [32]: values (d0 floordiv 8, d0 mod 8)      two windows of the atom d0, split as its digits
#pragma once

#include <string>
#include <vector>

#include "core/hlo/tiles/symbolic_tile.h"

namespace tessera::hlo {

struct PartOfMap {
  // In coordinates, over the map's digits and the tile's parameters.
  std::vector<Expr> values;
  std::vector<Guard> guards;
  std::vector<int> digits;  // that occur here
};
struct MapOfTile {
  std::vector<Progression> ranges;             // per digit, over the parameters
  std::vector<bool> isFan;                     // per digit: it cannot be restricted to one element
  std::vector<std::string> names, paramNames;  // "d0"
  Environment box;                             // ranges of the digits and parameters
};

struct WaysOfPart {
  std::vector<SymbolicTile::Way> ways;
  std::string why;
};
[[nodiscard]] WaysOfPart waysOf(const MapOfTile& map, const PartOfMap& part);

}  // namespace tessera::hlo
