// Tile part: one part of a symbolic tile, by the values and guards that share dimensions. Internal to core/hlo.
//
// How: each value is a sum of multiples of atoms: digits, and windows (x floordiv a) mod m of other such sums. From the digits' progressions
// on, sums become progressions and windows of one sum its digits, case by case (progression.h). That is a box when no atom is used twice;
// where one is, or a formula has no such form, its digits are taken to be one element each, and then they are numbers.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/symbolic_tile.h"

namespace tessera::hlo {

struct PartOfMap {
  // In coordinates, over the digits of the map and the tile's parameters.
  std::vector<Expr> values;
  std::vector<Guard> guards;
  std::vector<int> digits;  // that occur here
};
struct MapOfTile {
  std::vector<Progression> ranges;             // of each digit, over the parameters
  std::vector<bool> isFan;                     // of each digit: cannot be chosen to be one element
  std::vector<std::string> names, paramNames;  // "d0"
  Environment box;                             // ranges of the digits and of the parameters
};

struct WaysOfPart {
  std::vector<SymbolicTile::Way> ways;
  std::string why;
};
[[nodiscard]] WaysOfPart waysOf(const MapOfTile& map, const PartOfMap& part);

}  // namespace tessera::hlo
