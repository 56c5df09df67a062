// pane_camera: the camera of a pane. The point (x, y) of the figure is at the pane's top left corner; `scale` is pixels
// per point.
//
//     fit(figure, pane, 800, 300);                        the whole picture, at most at natural size
//     zoomAt(figure, pane, 1.2, 40, 30, {800, 300});      20 % larger, with the place under the mouse fixed
//
// Law: the picture never leaves the pane: if it fits it is centred, otherwise it fills the pane except for a margin for
// its headers. So zooming out ends exactly where fit starts.
#pragma once

#include "app/views/pictures/canvas.h"
#include "render/gl/first_fit.h"

namespace tessera::panes {

// The initial camera.
void fit(const FirstFit& first, Pane& pane);

// The whole figure in w x h pixels.
void fit(const Figure& figure, Pane& pane, float w, float h);

// Zooms by `factor` around (x, y), in pixels from the pane's corner. The scale is at least that of the whole figure,
// which is then fitted again, and at most 40 pixels per point.
void zoomAt(const Figure& figure, Pane& pane, double factor, double x, double y, ImVec2 size);

// Pans by that many pixels, up to the picture's margin. Returns false at the margin.
bool panBy(const Figure& figure, Pane& pane, double dx, double dy, ImVec2 size);

// Centres the pane on a place of the figure, with at least this scale.
void lookAt(const Figure& figure, Pane& pane, double x, double y, double scale, ImVec2 size);

}  // namespace tessera::panes
