// Magnified: a moment of large tensors in a pane. Above, a map of each tensor, without labels; below, the part of it
// that one thread works on, with labels.
//
//     %in and %s of [32,32], 1024 threads     maps of 32 x 32 cells, and the 8 x 8 of each in which thread 37 is
//     %acc, registers of a warp               8 lanes of 32, and 4 registers
//
// A frame in the map is where the part is. A block of 8 x 8 cells of a map is a door: a click shows the part of the
// first thread there. A tensor of at most 8 x 8 has no map.
//
// Laws: the focused thread's first cell is in the part; maps and parts have the cells and points of the whole grid.
#pragma once

#include <string>
#include <vector>

#include "core/base/types.h"
#include "render/draw/graphene/scene.h"
#include "render/figure/figure.h"

namespace tessera::graphene {

struct Magnified {
  std::vector<PlacedPanel> read, written;  // the parts
  bool inOneRow = true;
};

struct MagnifyOptions {
  double width = 0;  // of the pane, in points
  double top = 0;
  std::vector<std::string> words;  // of the player, without the thread: "step", "3"
  bool parts = true;               // false: only maps, which are larger; no cell has a label, as at a barrier
};

// Adds the threads, the maps and the parts below `top`.
Magnified addMagnified(Figure& figure, Grid threads, const std::vector<Panel>& read, const std::vector<Panel>& written,
                       const MagnifyOptions& options);

// Whether a tensor has too many cells for labels in a pane.
[[nodiscard]] bool isLarge(const RootState& state);

}  // namespace tessera::graphene
