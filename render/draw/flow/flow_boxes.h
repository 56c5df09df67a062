// Columns of number boxes connected by arrows, the building blocks of the step-by-step views.
#pragma once

#include <string>
#include <vector>

#include "render/figure/figure.h"

namespace tessera {

inline constexpr double kFlowRow = 50;  // distance between boxes of a column

struct FlowBox {
  std::string text;   // the number
  std::string below;  // its derivation, faint
  double y = 0;       // centre
  Role fill = Role::Panel;
};

struct FlowColumn {
  std::string title;
  std::vector<FlowBox> boxes = {};
  double x = 0, w = 0;
};

// Targets of each box: indices of boxes in the next column.
using FlowWires = std::vector<std::vector<std::size_t>>;

struct Flow {
  std::vector<FlowColumn> columns;
  std::vector<FlowWires> wires;  // one fewer than columns
};
// Centres of n boxes, around the middle.
[[nodiscard]] std::vector<double> flowRows(std::size_t n, double middle);
// Appends a column, connected all to all with the previous one, or box k to box k.
void addFlowColumn(Flow& flow, FlowColumn column, bool oneToOne = false);
void addFlowColumn(Flow& flow, FlowColumn column, FlowWires wires);
// The flow as a picture and as a table, with a row (step, value, how) for each box; the lit boxes represent `point`.
void addFlow(Figure& figure, Flow flow, Point point);

}  // namespace tessera
