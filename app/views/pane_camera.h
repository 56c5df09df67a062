// pane_camera: from where a pane looks at its picture. The point (x, y) of the figure lies at the pane's top left
// corner, `scale` pixels are one point of the figure.
//
//     fit(figure, pane, 800, 300);    the whole picture, not larger than life
#pragma once

#include "app/views/canvas.h"

namespace tessera::panes {

// What the figure wants to be: extent with a margin, in points.
[[nodiscard]] Rect wanted(const Figure& figure);

// The whole figure in w x h pixels.
void fit(const Figure& figure, Pane& pane, float w, float h);

}  // namespace tessera::panes
