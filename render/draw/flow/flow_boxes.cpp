#include "render/draw/flow/flow_boxes.h"

#include <algorithm>

#include "render/draw/grid/layouts.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kBoxHeight = 28, kGap = 40;

}  // namespace

void addFlow(Figure& figure, Flow flow, Point point) {
  std::vector<FlowColumn>& columns = flow.columns;
  double x = 0;
  for (FlowColumn& c : columns) {
    c.w = std::max(54.0, textWidth(c.title, Face::SansMedium, kType.section) + 4);
    for (const FlowBox& b : c.boxes) {
      c.w = std::max({c.w, textWidth(b.text, Face::Mono, 12.5) + 22, textWidth(b.below, Face::Mono, 9.5) + 4});
    }
    c.x = x;
    x += c.w + kGap;
  }
  // Spread arrow heads that meet at one box.
  for (std::size_t k = 0; k + 1 < columns.size(); ++k) {
    std::vector<double> arriving(columns[k + 1].boxes.size(), 0), seen(columns[k + 1].boxes.size(), 0);
    for (const auto& from : flow.wires[k]) {
      for (std::size_t to : from) arriving[to] += 1;
    }
    for (std::size_t b = 0; b < columns[k].boxes.size(); ++b) {
      for (std::size_t to : flow.wires[k][b]) {
        const double apart = std::min(8.0, 22 / std::max(1.0, arriving[to] - 1));
        const double y = columns[k + 1].boxes[to].y + (seen[to] - (arriving[to] - 1) / 2) * apart;
        seen[to] += 1;
        figure.marks.push_back(
            arrowMark(columns[k].x + columns[k].w + 5, columns[k].boxes[b].y, columns[k + 1].x - 6, y, Role::Faint));
      }
    }
  }
  figure.table = {{"step", "value", "how"}};
  for (const FlowColumn& c : columns) {
    addText(figure, c.x + c.w / 2, 8, c.title, kType.section, Face::SansMedium, Role::Muted, Align::Center);
    for (const FlowBox& b : c.boxes) {
      figure.table.push_back({c.title, b.text, b.below});
      const bool lit = b.fill == Role::Lit;
      figure.marks.push_back(
          boxMark({c.x, b.y - kBoxHeight / 2, c.w, kBoxHeight}, {b.fill}, {lit ? Role::Text : Role::Hairline}, 5));
      figure.marks.back().width = lit ? 1.5 : 1;
      if (lit) figure.marks.back().point = point;
      addText(figure, c.x + c.w / 2, b.y, b.text, 12.5, lit ? Face::MonoBold : Face::Mono,
              lit ? Role::OnLit : Role::Text, Align::Center);
      if (!b.below.empty()) {
        addText(figure, c.x + c.w / 2, b.y + kBoxHeight / 2 + 9, b.below, 9.5, Face::Mono, Role::Faint, Align::Center);
      }
    }
  }
}

std::vector<double> flowRows(std::size_t n, double middle) {
  std::vector<double> y;
  for (std::size_t k = 0; k < n; ++k) {
    y.push_back(middle + (static_cast<double>(k) - (static_cast<double>(n) - 1) / 2) * kFlowRow);
  }
  return y;
}

void addFlowColumn(Flow& flow, FlowColumn column, bool oneToOne) {
  FlowWires wires(flow.columns.back().boxes.size());
  for (std::size_t k = 0; k < wires.size(); ++k) {
    for (std::size_t to = 0; to < column.boxes.size(); ++to) {
      if (!oneToOne || to == k) wires[k].push_back(to);
    }
  }
  addFlowColumn(flow, std::move(column), std::move(wires));
}

void addFlowColumn(Flow& flow, FlowColumn column, FlowWires wires) {
  flow.wires.push_back(std::move(wires));
  flow.columns.push_back(std::move(column));
}

}  // namespace tessera
