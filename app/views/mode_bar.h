// mode_bar: under the title of an N-d picture, what each mode does there:
// a menu (rows, columns, facets, fixed) and, for a fixed one, a slider.
//
//     [p: fixed] ----o---- 3     [z: facets]     [y: rows]     [x: columns]
#pragma once

#include "app/views/pane_view.h"

namespace tessera::panes {

// Draws nothing for a figure without modes. What the reader changes goes to pane.modes.
void modeBar(PaneView& pane, const Figure& figure, std::size_t index);

}  // namespace tessera::panes
