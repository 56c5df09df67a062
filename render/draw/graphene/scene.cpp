#include "render/draw/graphene/scene.h"

#include <algorithm>
#include <set>

#include "render/draw/grid/layouts.h"
#include "render/draw/links.h"
#include "render/figure/text_metrics.h"

namespace tessera::graphene {
namespace {

constexpr double kGap = 30, kLine = 16;

bool before(const std::pair<Point, Point>& a, const std::pair<Point, Point>& b) {
  const auto key = [](const std::pair<Point, Point>& p) {
    return std::array<u64, 4>{p.first.domain, static_cast<u64>(p.first.index), p.second.domain,
                              static_cast<u64>(p.second.index)};
  };
  return key(a) < key(b);
}

void addLink(Figure& figure, std::vector<std::pair<Point, Point>> pairs) {
  std::sort(pairs.begin(), pairs.end(), before);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  if (!pairs.empty()) figure.links.push_back({tableLink(std::move(pairs)), "", ""});
}

}  // namespace

std::optional<std::pair<double, double>> PlacedPanel::middle(std::pair<i64, i64> cell) const {
  const i64 row = cell.first - state->row0, col = cell.second - state->col0;
  if (row < 0 || col < 0 || row >= grid.rows || col >= grid.cols) return std::nullopt;
  return std::pair{grid.x + (static_cast<double>(col) + 0.5) * grid.cellWidth,
                   grid.y + (static_cast<double>(row) + 0.5) * grid.cellHeight};
}

double addGrid(Figure& figure, Grid grid, const std::string& title, const std::string& rest, double x, double y,
               double& right) {
  const Margins m = headerMargins(grid);
  addHeading(figure, x, y + 8, title, rest, Face::Mono);
  grid.x = x + m.left;
  grid.y = y + 24 + m.top;
  const Rect b = grid.bounds();
  right = std::max({right, b.x + b.w, x + headingWidth(title, rest, Face::Mono)});
  figure.grids.push_back(std::move(grid));
  return b.y + b.h;
}

std::vector<PlacedPanel> addPanels(Figure& figure, const std::vector<Panel>& panels, double x, double y, double& right,
                                   double& bottom, bool across) {
  std::vector<PlacedPanel> out;
  std::set<std::string> names;
  double at = across ? x : y;
  for (const Panel& p : panels) {
    std::string name = nameOf(*p.state->plan.tensor);
    while (!names.insert(name).second) name += "'";
    for (const Grid& g : figure.grids)
      if (g.name == name) name += "'";
    double edge = across ? at : x;
    const double top = across ? y : at, left = across ? at : x;
    double end = addGrid(figure, rootGrid(p.state, name), p.title, p.rest, left, top, edge);
    out.push_back({p.state->plan.root, figure.grids.back(), p.state});
    for (const std::string& line : p.margin) {
      end += kLine;
      addText(figure, left, end, line, kType.caption, Face::Sans, Role::Muted);
      edge = std::max(edge, left + textWidth(line, Face::Sans, kType.caption));
    }
    right = std::max(right, edge);
    bottom = std::max(bottom, end);
    at = across ? edge + kGap : end + kGap;
  }
  return out;
}

void addLinks(Figure& figure, const Moment& m, const std::vector<RootPlan>& plans) {
  const auto pointOf = [&](const Touch& t) {
    if (plans[t.operand].root < 0) return Point{};  // a tensor that the picture does not show
    const auto [row, col] = plans[t.operand].cellOf(t);
    return plans[t.operand].point(row, col);
  };
  std::vector<std::vector<std::pair<Point, Point>>> threads(plans.size());
  for (const Touch& t : m.touches) {
    if (t.operand >= plans.size()) continue;
    const Point p = pointOf(t);
    if (p.real()) threads[t.operand].emplace_back(p, threadPoint(t.thread));
  }
  std::vector<std::pair<Point, Point>> moved;
  for (const auto& [from, to] : m.moves) {
    const Point a = pointOf(m.touches[from]), b = pointOf(m.touches[to]);
    if (a.real() && b.real() && !(a == b)) moved.emplace_back(a, b);
  }
  addLink(figure, std::move(moved));
  for (auto& pairs : threads) addLink(figure, std::move(pairs));
}

}  // namespace tessera::graphene
