// RootGrid: a tensor that owns its storage as cells, coloured by who touches them and by what was written.
//
//     %s:[32,32:33,1].fp32.SH   cell (1,0): "T32" in that thread's hue while it is touched; grey once it was written; pale
//                               before; hatched while an asynchronous move to it is on its way
//
// Law (tests/render/graphene_views_test.cpp): the cell at (r, c) is the element at coordinateOf(r, c), whose address is the root's
// own; find is the inverse of cell.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "render/draw/graphene/moment.h"

namespace tessera::graphene {

// What a picture knows of one cell.
struct CellMark {
  i64 thread = -1;
  std::size_t slot = 0;
  int more = 0;      // other threads that touch it, too
  std::string from;  // of a register that is written: the element that goes there
  bool lit = false;  // of the thread that is asked about
};

struct RootState {
  RootPlan plan;
  i64 threads = 1;                                // of the block, for the hues
  std::map<std::pair<i64, i64>, CellMark> marks;  // by cell of the whole root
  Steps::Written written;
  bool given = false;                          // its content comes from the caller
  std::vector<i64> sizes;                      // of the variables
  bool addresses = false;                      // labels are addresses
  i64 row0 = 0, col0 = 0, rows = 1, cols = 1;  // what is shown of it
};

// The part that holds all marks, in whole eights; all of it when that is not much more.
void cropToMarks(RootState& state);
// A grid at the origin.
[[nodiscard]] Grid rootGrid(std::shared_ptr<const RootState> state, const std::string& name);

}  // namespace tessera::graphene
