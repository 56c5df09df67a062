// pane_camera: from where a pane looks at its picture. The point (x, y) of the figure lies at the pane's top left
// corner, `scale` pixels are one point of the figure.
//
//     fit(figure, pane, 800, 300);                        the whole picture, not larger than life
//     zoomAt(figure, pane, 1.2, 40, 30, {800, 300});      a fifth larger, the place under the mouse stays there
//
// Law: no step leaves the picture: what fits is in the middle, what does not fills the pane but for a margin that its
// headers need; so zooming out ends where fit begins, without a jump.
#pragma once

#include "app/views/canvas.h"
#include "render/gl/first_fit.h"

namespace tessera::panes {

// As the picture is first seen.
void fit(const FirstFit& first, Pane& pane);

// The whole figure in w x h pixels.
void fit(const Figure& figure, Pane& pane, float w, float h);

// Grows by `factor` with the picture's place at (x, y), pixels from the pane's corner, where it is; not smaller than the
// whole, which is fitted again, and not larger than 40 pixels a point.
void zoomAt(const Figure& figure, Pane& pane, double factor, double x, double y, ImVec2 size);

// Moves what is seen by that many pixels, up to the picture's margin. False when it shows all there is that way.
bool panBy(const Figure& figure, Pane& pane, double dx, double dy, ImVec2 size);

// The middle of the pane looks at that place of the figure, at least so large.
void lookAt(const Figure& figure, Pane& pane, double x, double y, double scale, ImVec2 size);

}  // namespace tessera::panes
