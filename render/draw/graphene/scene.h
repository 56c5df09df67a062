// Scene: places roots and threads in a figure and links them.
//
//     threads   |  reads %1   ->   writes %2        reads stacked, writes beside them
//
// Links: an element and the threads that access it; a place that is read and its destinations.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/graphene/program.h"
#include "render/draw/asked.h"
#include "render/draw/draw.h"
#include "render/draw/graphene/moment.h"

namespace tessera::graphene {

// RootGrid: a tensor with its own storage as cells, coloured by accessing thread and by what was written.
//
//     %s:[32,32:33,1].fp32.SH   cell (1,0): "T32" in that thread's hue while accessed; grey once written, pale before;
//                               hatched while an asynchronous move to it is in flight
//
// Law (tests/render/graphene_views_test.cpp): the cell at (r, c) is the element at coordinateOf(r, c), at the root's
// address for it; find is the inverse of cell.

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

  // A cell of the whole root in the visible part, if it is there.
  [[nodiscard]] std::optional<std::pair<i64, i64>> shown(std::pair<i64, i64> cell) const;
  // Marks the cell of a touch; returns its mark if it is the first one there.
  CellMark* mark(const Touch& touch, i64 focus);
};

// A root's plan and sizes.
[[nodiscard]] std::shared_ptr<RootState> rootState(const Steps& steps, int root, i64 threads);
// Crops to the part with all marks, in multiples of eight; keeps everything if that is not much more. Of registers
// it shows the lanes of the focused thread's warp.
void cropToMarks(RootState& state, i64 focus);
// A grid at the origin.
[[nodiscard]] Grid rootGrid(std::shared_ptr<const RootState> state, const std::string& name);

struct Panel {
  std::shared_ptr<const RootState> state;
  std::string title, rest;          // "reads %1", "[16,16:16,1].fp16.SH through %10"
  std::vector<std::string> margin;  // lines below it
};

// The final position of a panel's grid.
struct PlacedPanel {
  Grid grid;
  std::shared_ptr<const RootState> state;
  // The centre of a cell, in coordinates of the whole root; nullopt if it is not visible.
  [[nodiscard]] std::optional<std::pair<double, double>> middle(std::pair<i64, i64> cell) const;
};

// Stacks panels from (x, y); returns them and extends `right` and `bottom`.
[[nodiscard]] std::vector<PlacedPanel> addPanels(Figure& figure, const std::vector<Panel>& panels, double x, double y,
                                                 double& right, double& bottom, bool across = false);
// Adds a grid under its heading; returns its bottom.
double addGrid(Figure& figure, Grid grid, const std::string& title, const std::string& rest, double x, double y,
               double& right);

// Adds links element -> thread and source -> destination for these touches.
void addLinks(Figure& figure, const Moment& moment, const std::vector<RootPlan>& planOfOperand);

// The words after a view of a program. `keys`: names that take a number, besides the program's sizes. `plain`: words
// without a number.
[[nodiscard]] Result<Asked> askedOf(const Program& program, const DrawOptions& options, std::string_view view,
                                    const std::vector<std::string>& keys, const std::vector<std::string>& plain = {});

}  // namespace tessera::graphene
