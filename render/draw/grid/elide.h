// Elided columns: of each group of columns only the first few and the last few are shown, with an ellipsis between.
//
//     128 lanes per tile, keep 8 and 1:   0 1 2 3 4 5 6 7 ... 127   0 1 2 3 4 5 6 7 ... 127
//
// Law: visible cells, headers and points are those of the whole grid; find() returns visible cells only.
#pragma once

#include "render/figure/figure.h"

namespace tessera {

// Returns the grid itself if groups are too small to elide or do not divide the columns.
[[nodiscard]] Grid elided(const Grid& grid, i64 group, i64 keepFirst, i64 keepLast);

}  // namespace tessera
