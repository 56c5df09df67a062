// Columns of number boxes with arrows between them: what the step-by-step views are made of.
#pragma once

#include <string>
#include <vector>

#include "render/figure/figure.h"

namespace tessera {

inline constexpr double kFlowRow = 50;  // from box to box within a column

struct FlowBox {
  std::string text;   // the number
  std::string below;  // how it came about, faint
  double y = 0;       // centre
  Role fill = Role::Panel;
};

struct FlowColumn {
  std::string title;
  std::vector<FlowBox> boxes;
  double x = 0, w = 0;
};

// Where each box's value goes: indices of boxes in the next column.
using FlowWires = std::vector<std::vector<std::size_t>>;

struct Flow {
  std::vector<FlowColumn> columns;
  std::vector<FlowWires> wires;  // one fewer than columns
};
// Centres of n boxes around the middle.
[[nodiscard]] std::vector<double> flowRows(std::size_t n, double middle);
// step, value, how: a row for each box.
[[nodiscard]] std::vector<std::vector<std::string>> flowTable(const Flow& flow);
// One more column; every box of the one before goes to every box of it, or box k to box k.
void addFlowColumn(Flow& flow, FlowColumn column, bool oneToOne);
// Sets the columns' places and adds the marks.
void layOutFlow(Figure& figure, std::vector<FlowColumn>& columns, const std::vector<FlowWires>& wires);

}  // namespace tessera
