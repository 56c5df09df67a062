// Scene: places roots and threads in a figure and links them.
//
//     threads   |  reads %1   ->   writes %2        reads stacked, writes beside them
//
// Links: an element and the threads that access it; a place that is read and its destinations.
#pragma once

#include <memory>
#include <vector>

#include "render/draw/graphene/root_grid.h"

namespace tessera::graphene {

struct Panel {
  std::shared_ptr<const RootState> state;
  std::string title, rest;          // "reads %1", "[16,16:16,1].fp16.SH through %10"
  std::vector<std::string> margin;  // lines below it
};

// The final position of a panel's grid.
struct PlacedPanel {
  int root = -1;
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

}  // namespace tessera::graphene
