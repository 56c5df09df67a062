// firstFit: the initial size of a picture: whole, and large enough to read if its column is wide enough.
//
//     mma.m16n8k16 in a column 1180 x 500   at 0.46 it would fit the height, without labels; at 0.74 T31 and V7 are
//                                           readable: the pane is 800 high, and the column scrolls
//     wgmma.m64n64k16                       no width shows labels: whole, without labels
//     (4096,4096):(4096,1)                  the same
//     (4096,64):(64,1)                      whole it would be a thread: from its top; scroll bars lead to the rest
//     a kernel's text (Figure::legible)     without its text it would show nothing: from its top, at a readable size
//
// wholeFit: the picture in the visible part of the column, for `fit`: always the whole.
//
// Laws: everything that a figure draws lies in its pane, unless `cut`; wholeFit is never cut. A text is drawn if it has
// at least kLeastText units (render/gl/scene.h). The scale is at most 1.5 of the interface's.
#pragma once

#include "render/figure/figure.h"

namespace tessera {

struct FirstFit {
  double scale = 1;     // device units per point
  double x = 0, y = 0;  // the point at the pane's top left corner
  double height = 0;    // of the pane, in device units
  bool cut = false;     // the pane shows a part
};

// width, room: of the column, in device units (room: default height of a picture); unit: the interface's scale; alone:
// the only picture, which takes all the room.
[[nodiscard]] FirstFit firstFit(const Figure& figure, double width, double room, double unit, bool alone);
// The whole figure, at most `room` high.
[[nodiscard]] FirstFit wholeFit(const Figure& figure, double width, double room, double unit);
// The whole figure in the middle of a pane of that size.
[[nodiscard]] FirstFit fitInto(const Figure& figure, double width, double height, double unit);
// The least scale at which every text is drawn; 0 if there are none.
[[nodiscard]] double readableScale(const Figure& figure, double unit);
// Preferred extent of a figure, including a margin.
[[nodiscard]] Rect wantedExtent(const Figure& figure);

}  // namespace tessera
