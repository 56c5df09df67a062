// The results of forward and backward: places and coordinates.
//
//     forward(X, (8,16), (2,9))      [{lane: 8, reg: 1, warp: 6}, {lane: 8, reg: 1, warp: 10}]
//     backward(X, (8,16), {...})     [(2,9)]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/notation/axe/layout.h"

namespace tessera::axe {

struct Places {
  std::vector<Place> places;  // distinct, sorted
  bool operator==(const Places&) const = default;
};
struct Coords {
  std::vector<std::vector<i64>> coords;  // distinct, sorted
  bool operator==(const Coords&) const = default;
};
[[nodiscard]] std::string print(const Places& places);
[[nodiscard]] std::string print(const Coords& coords);

// {lane: 8, reg: 1} at the cursor -> the place; accepts `=` and `:`. nullopt: no place begins there.
[[nodiscard]] Result<std::optional<Place>> parsePlacePrefix(Cursor& in);

}  // namespace tessera::axe
