// The layouts of shared memory that TileLang chooses for a tile of `rows` x `columns` elements.
//
//     make_full_bank_swizzled_layout, 8 x 64 elements of 16 bits:
//         (i, j) -> address of vector (j / 8) xor (i mod 8) of row i
//
// A tile of 8 rows and 8, 4 or 2 vectors of 16 bytes is contiguous; its vectors are exchanged by rows (3, 2 or 1 bits).
// Tiles follow each other down the columns first within a column of tiles.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::paste::python {

// A map of the worksheet (i, j) -> element. `name`: make_swizzled_layout takes the widest swizzle that fits.
[[nodiscard]] Result<std::string> tilelangSwizzle(std::string_view name, i64 rows, i64 columns, int bits);

}  // namespace tessera::paste::python
