// Columns left out, as a paper leaves them out:
// of each group of columns the first few and the last few stay, with an ellipsis between.
//
//     128 lanes a tile, keep 8 and 1:   0 1 2 3 4 5 6 7 ... 127   0 1 2 3 4 5 6 7 ... 127
//
// Law: what is shown is the cell, the header and the point of the whole grid; find() knows only what is shown.
#pragma once

#include "render/figure/figure.h"

namespace tessera {

// The grid itself when a group has nothing to leave out or does not divide the columns.
[[nodiscard]] Grid elided(const Grid& grid, i64 group, i64 keepFirst, i64 keepLast);

}  // namespace tessera
