// RootGrid: a tensor with its own storage as cells, coloured by accessing thread and by what was written.
//
//     %s:[32,32:33,1].fp32.SH   cell (1,0): "T32" in that thread's hue while accessed; grey once written, pale before;
//                               hatched while an asynchronous move to it is in flight
//
// Law (tests/render/graphene_views_test.cpp): the cell at (r, c) is the element at coordinateOf(r, c), at the root's
// address for it; find is the inverse of cell.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "render/draw/graphene/moment.h"

namespace tessera::graphene {

// The state of one cell.
struct CellMark {
  i64 thread = -1;
  std::size_t slot = 0;
  int more = 0;      // number of further threads that access it
  std::string from;  // for a written register: the element stored there
  bool lit = false;  // accessed by the focused thread
};

struct RootState {
  RootPlan plan;
  i64 threads = 1;                                // per block, for the hues
  std::map<std::pair<i64, i64>, CellMark> marks;  // by cell of the whole root
  Steps::Written written;
  bool given = false;                          // initialized by the caller
  std::vector<i64> sizes;                      // of the variables
  bool addresses = false;                      // labels are addresses
  i64 row0 = 0, col0 = 0, rows = 1, cols = 1;  // visible part
};

// Crops to the part with all marks, in multiples of eight; keeps everything if that is not much more.
void cropToMarks(RootState& state);
// A grid at the origin.
[[nodiscard]] Grid rootGrid(std::shared_ptr<const RootState> state, const std::string& name);

}  // namespace tessera::graphene
