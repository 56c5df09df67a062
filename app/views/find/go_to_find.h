// Finds the place in the sheet's pictures that a GoTo denotes.
//
//     show (4,8):(8,1) as grid;   offset 19    the cell (2,3) of that grid, point 2 + 4 * 3
//     byte 38 is the same cell if the picture knows that elements have two bytes (an array, `as banks f16`)
//
// Laws (tests/gui/goto_test.cpp, against a walk over all cells): a found cell matches the query; every picture that has
// a match is included, in order; if none has one, the Diag names the available ranges.
#pragma once

#include <memory>
#include <span>

#include "app/engine/engine.h"
#include "app/views/find/go_to_query.h"

namespace tessera::panes {

struct Place {
  std::size_t outcome = 0;
  std::size_t grid = 0;  // of its figure
  i64 row = 0, col = 0;
};

// One place per picture. Requires: wanted is not text. Outcomes may be null or without a figure.
[[nodiscard]] Result<std::vector<Place>> placesOf(const GoTo& wanted,
                                                  std::span<const std::shared_ptr<const Outcome>> outcomes);

}  // namespace tessera::panes
