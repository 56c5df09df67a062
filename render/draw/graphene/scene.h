// Scene: roots and threads placed in a figure, and the links between them.
//
//     threads   |  reads %1   ->   writes %2        the reads under one another, the writes beside them
//
// Links: an element and the threads that touch it; a place that is read and the places that it goes to.
#pragma once

#include <memory>
#include <vector>

#include "render/draw/graphene/root_grid.h"

namespace tessera::graphene {

struct Panel {
  std::shared_ptr<const RootState> state;
  std::string title, rest;          // "reads %1", "[16,16:16,1].fp16.SH through %10"
  std::vector<std::string> margin;  // lines under it
};

// Where a panel's grid has come to lie.
struct PlacedPanel {
  int root = -1;
  Grid grid;
  std::shared_ptr<const RootState> state;
  // The middle of a cell of the whole root; nothing where it is not shown.
  [[nodiscard]] std::optional<std::pair<double, double>> middle(std::pair<i64, i64> cell) const;
};

// Panels under one another from (x, y); returns them and moves `right`, `bottom` out.
[[nodiscard]] std::vector<PlacedPanel> addPanels(Figure& figure, const std::vector<Panel>& panels, double x, double y,
                                                 double& right, double& bottom, bool across = false);
// A grid with its heading above; returns its bottom.
double addGrid(Figure& figure, Grid grid, const std::string& title, const std::string& rest, double x, double y,
               double& right);
void addHeading(Figure& figure, double x, double y, const std::string& title, const std::string& rest);

// Element -> thread, and what is read -> what is written, of these touches.
void addLinks(Figure& figure, const Moment& moment, const std::vector<RootPlan>& planOfOperand);

}  // namespace tessera::graphene
