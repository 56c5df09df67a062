// layout_editor: edits the minor-to-major order and the tiles of an XLA array beside its picture, with bytes, padding
// and contiguity before and after. The picture is updated immediately; the worksheet's text changes only on request.
//
//     f32[10,130]{1,0:T(8,128)}    order  x y -> y x      tiles (8,128)      16384 B -> 69632 B, 68 % -> 92 % padding
#pragma once

#include <string>
#include <vector>

#include "app/views/pictures/pane_view.h"

namespace tessera::panes {

// Editing state of one picture.
struct LayoutEdit {
  std::string source;      // the original array
  std::vector<i64> order;  // minor to major
  std::string tiles;       // "(8,128)(2,1)"
};

// The edited array, or why it is invalid.
[[nodiscard]] Result<xla::Shape> edited(const xla::Shape& shape, const LayoutEdit& edit);
// "before -> after" rows: bytes, padding, contiguous.
[[nodiscard]] std::vector<std::vector<std::string>> comparison(const xla::Shape& before, const xla::Shape& after);

// The button and its popup; nothing for other values. Sets pane.array to the array to draw. Returns a statement to
// insert into the worksheet, else "".
[[nodiscard]] std::string layoutEditor(PaneView& pane, LayoutEdit& edit, const Outcome& outcome, std::size_t index);

}  // namespace tessera::panes
