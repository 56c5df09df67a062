// The pieces of which spellings of shardings consist: tile assignments, lists of devices, names in quotes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/cursor.h"
#include "core/paste/xla/tiling.h"

namespace tessera::paste::xla_text {

using Ints = std::vector<i64>;

// The integers up to `close`, which is passed.
[[nodiscard]] Result<Ints> intList(Cursor& in, char close);
// The quoted words of a text, in order: ('x', "y") gives x, y.
[[nodiscard]] std::vector<std::string> quotedWords(std::string_view text);
// The inside of the bracket at the cursor, which is passed; a Diag if it is never closed.
[[nodiscard]] Result<std::string_view> bracketed(Cursor& in, bool angles);

struct Assignment {
  Ints dims;
  std::size_t trailing = 0;  // dimensions at the end that are none of the array
  Ints devices;
};
// After `devices=`: [2,2]<=[4]T(1,0) or [2,2]0,1,2,3, then last_tile_dim_replicate or last_tile_dims={...}.
[[nodiscard]] Result<Assignment> assignment(Cursor& in);
[[nodiscard]] Result<Tiling> tilingOf(Assignment a, Span span);

// The sizes in .reshape(4, 2) or create_device_mesh((4, 2)); empty if there are none.
[[nodiscard]] Ints sizesIn(std::string_view text);

// [[0, 1], [2, 3]]: the numbers, and the extents by the lists of each depth. {TPU 0, 2} is one place with two numbers.
struct Nested {
  Ints dims;
  i64 copies = 1;
  Ints numbers;
};
[[nodiscard]] Result<Nested> nestedList(Cursor& in);

}  // namespace tessera::paste::xla_text
