// firstFit: how large a picture is when it is first seen. It is sized by what must be written in it, not by the room
// that happens to be left: the column of pictures can be scrolled, a label that is not there cannot be read.
//
//     mma.m16n8k16 in a column 1180 x 500    at 0.46 it would fit, without a label; at 0.74 T31 and V7 are read:
//                                            the picture is 800 high
//     (4096,4096):(4096,1)                   no scale that fits shows labels: all of it from afar
//     (4096,64):(64,1)                       from its top, at the scale that shows labels; the rest by dragging
//     wgmma.m64n256k16 (Figure::legible)     from its corner, though it is wider than the column, too; in a small window,
//                                            where the corner left of B would be all that is seen, from B
//
// Law: never wider than the column, unless the figure asks for it (legible); never larger than 1.5 times its natural
// size (legible: 2.5); when some scale that fits the width shows every label of every grid, labels are shown.
#pragma once

#include "render/figure/figure.h"

namespace tessera {

struct FirstFit {
  double scale = 1;     // device units a point
  double x = 0, y = 0;  // what stands at the pane's top left corner, in points
  double height = 0;    // of the pane, device units
};

// width, room: of the column, device units (room: the height that a picture gets when it has no wish of its own);
// unit: the interface's scale; alone: the only picture, it takes all the room.
[[nodiscard]] FirstFit firstFit(const Figure& figure, double width, double room, double unit, bool alone);
// What a figure wants to be: its extent with a margin.
[[nodiscard]] Rect wantedExtent(const Figure& figure);

}  // namespace tessera
