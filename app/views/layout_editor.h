// layout_editor: the minor-to-major order and the tiles of an XLA array, changed beside its picture; bytes, padding and
// contiguity before and after. The picture follows at once; the worksheet's text changes only when the reader says so.
//
//     f32[10,130]{1,0:T(8,128)}    order  x y -> y x      tiles (8,128)      16384 B -> 69632 B, 68 % -> 92 % padding
#pragma once

#include <string>
#include <vector>

#include "app/views/pane_view.h"

namespace tessera::panes {

// What the editor holds for one picture.
struct LayoutEdit {
  std::string source;      // the array that it started from
  std::vector<i64> order;  // minor to major
  std::string tiles;       // "(8,128)(2,1)"
};

// The array that the edit describes, or why it is none.
[[nodiscard]] Result<xla::Shape> edited(const xla::Shape& shape, const LayoutEdit& edit);
// "before -> after" rows: bytes, padding, contiguous.
[[nodiscard]] std::vector<std::vector<std::string>> comparison(const xla::Shape& before, const xla::Shape& after);

// The button and its popup; nothing for a value that is no XLA array. Sets pane.array to what is to be drawn. Returns a
// statement that the reader wants in the worksheet, else "".
[[nodiscard]] std::string layoutEditor(PaneView& pane, LayoutEdit& edit, const Outcome& outcome, std::size_t index);

}  // namespace tessera::panes
