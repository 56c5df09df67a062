// firstFit: the initial size of a picture. It is determined by the text that must be readable, not by the space that
// happens to be left: a column of pictures can be scrolled, but a label that is not drawn cannot be read.
//
//     mma.m16n8k16 in a column 1180 x 500   at 0.46 it would fit, without labels; at 0.74 T31 and V7 are readable:
//                                           the picture is 800 high
//     (4096,4096):(4096,1)                  no scale that fits shows labels: zoomed out completely
//     (4096,64):(64,1)                      from its top, at the scale that shows labels; the rest by dragging
//     wgmma.m64n256k16 (Figure::legible)    from its corner, though it is wider than the column; in a small window,
//                                           where only the corner left of B would be visible, from B
//
// Law: at most as wide as the column, unless the figure requires it (legible); at most 1.5 times its natural size
// (legible: 2.5). If some scale that fits the width shows every label of every grid, labels are shown.
#pragma once

#include "render/figure/figure.h"

namespace tessera {

struct FirstFit {
  double scale = 1;     // device units per point
  double x = 0, y = 0;  // the point at the pane's top left corner
  double height = 0;    // of the pane, in device units
};

// width, room: of the column, in device units (room: default height of a picture); unit: the interface's scale; alone:
// the only picture, which takes all the room.
[[nodiscard]] FirstFit firstFit(const Figure& figure, double width, double room, double unit, bool alone);
// Preferred extent of a figure, including a margin.
[[nodiscard]] Rect wantedExtent(const Figure& figure);

}  // namespace tessera
