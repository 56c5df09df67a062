// Layered: places for the boxes of a graph without cycles, sources at the top: each edge leads down, and where it passes a layer
// it has a place of its own there, so that no line crosses a box.
//
//     a -> b -> c, a -> c        a, b, c one below the other; a -> c by a way point beside b
//
// Laws: boxes of one layer do not overlap; an edge's way points lie between the boxes of their layers; the result depends on the
// input alone.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "render/figure/figure.h"

namespace tessera {

struct LayeredEdge {
  std::size_t from = 0, to = 0;                // from comes before to: an order of the boxes
  std::vector<std::pair<double, double>> way;  // out: from the bottom of one box to the top of the other
};
struct LayeredGraph {
  std::vector<Rect> boxes;   // in: width and height; out: the place
  std::vector<bool> floats;  // of a source: it stands right above what needs it first, and not at the top
  std::vector<LayeredEdge> edges;
  double gapX = 28, gapY = 46;
};

// Requires from < to for each edge.
void layOut(LayeredGraph& graph);

}  // namespace tessera
