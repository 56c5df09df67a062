// Layered: positions for the boxes of an acyclic graph, sources at the top. Every edge leads down; in each layer that
// it passes it has a way point, so that no line crosses a box.
//
//     a -> b -> c, a -> c        a, b, c one below the other; a -> c by a way point beside b
//
// Laws: boxes of one layer do not overlap; an edge's way points are between the boxes of their layers; the result
// depends only on the input.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "render/figure/figure.h"

namespace tessera {

struct LayeredEdge {
  std::size_t from = 0, to = 0;                // from < to: boxes are in topological order
  std::vector<std::pair<double, double>> way;  // out: from the bottom of one box to the top of the other
};
struct LayeredGraph {
  std::vector<Rect> boxes;   // in: width and height; out: the place
  std::vector<bool> floats;  // for a source: place it directly above its first user instead of at the top
  std::vector<LayeredEdge> edges;
  double gapX = 28, gapY = 46;
};

// Requires from < to for each edge.
void layOut(LayeredGraph& graph);

}  // namespace tessera
