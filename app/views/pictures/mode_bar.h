// mode_bar: the roles of an N-d picture's modes, below its title: a menu per mode (rows, columns, facets, fixed) and a
// slider if it is fixed.
//
//     [p: fixed] ----o---- 3     [z: facets]     [y: rows]     [x: columns]
#pragma once

#include "app/views/pictures/pane_view.h"

namespace tessera::panes {

// Draws nothing for a figure without modes. Changes are stored in pane.modes.
void modeBar(PaneView& pane, const Figure& figure, std::size_t index);

}  // namespace tessera::panes
