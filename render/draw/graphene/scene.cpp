#include "render/draw/graphene/scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/arith.h"
#include "core/base/words.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/links.h"
#include "render/figure/text_metrics.h"

namespace tessera::graphene {
namespace {

constexpr double kGap = 30, kLine = 16;

constexpr i64 kWhole = 64;      // rows and columns shown without cropping
constexpr i64 kRegisters = 16;  // the same for registers
constexpr double kWide = 620;   // of a picture, in points
constexpr double kMostPitch = 30;

class RootCells : public CellSource {
 public:
  explicit RootCells(std::shared_ptr<const RootState> state) : s_(std::move(state)) {}

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const i64 r = row + s_->row0, c = col + s_->col0;
    Cell cell{"", "", paint(row, col), s_->plan.point(r, c)};
    if (!cell.point.real()) return cell;
    const auto at = s_->marks.find({r, c});
    const CellMark* mark = at == s_->marks.end() ? nullptr : &at->second;
    cell.lit = mark != nullptr && mark->lit;
    if (s_->addresses) {
      cell.label = fmt::format("{}", addressAt(r, c));
    } else if (mark != nullptr) {
      const std::string own = s_->plan.registers ? fmt::format("V{}", mark->slot) : fmt::format("T{}", mark->thread);
      cell.label = mark->from.empty() ? own : mark->from;
      if (mark->from.empty()) cell.second = mark->more > 0 ? fmt::format("+{}", mark->more) : "";
    }
    return cell;
  }

  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const i64 r = row + s_->row0, c = col + s_->col0;
    if (!s_->plan.inside(r, c)) return {Role::None};
    if (const auto at = s_->marks.find({r, c}); at != s_->marks.end()) {
      Paint paint = threadPaint(at->second.thread, s_->threads);
      if (s_->rows > kWhole || s_->cols > kWhole) paint.member |= 2;  // small cells need strong steps of lightness
      return paint;
    }
    if (s_->given) return {Role::Raised};
    const auto written = s_->written.places.find(placeAt(r, c));
    if (written == s_->written.places.end()) return {s_->written.complete ? Role::Faded : Role::Panel};
    return written->second.arrived ? Paint{Role::Shade, 2, 0, 0} : Paint{Role::Padding};
  }

  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int) const override {
    const auto whole = s_->plan.cellOf(point);
    const auto at = whole ? s_->shown(*whole) : std::nullopt;
    return at ? std::vector{*at} : std::vector<std::pair<i64, i64>>();
  }

  [[nodiscard]] std::string rowHeader(i64 row) const override {
    const i64 r = row + s_->row0;
    if (s_->plan.registers) return fmt::format("T{}", r);
    if (s_->plan.extents.size() == 1) return fmt::format("{}", r * s_->plan.cols);
    if (s_->plan.extents.size() < 3) return fmt::format("{}", r);
    std::vector<i64> at = s_->plan.coordinateOf(r, 0);
    at.pop_back();
    return fmt::format("{}", fmt::join(at, ","));
  }
  [[nodiscard]] std::string colHeader(i64 col) const override {
    return fmt::format("{}{}", s_->plan.registers ? "r" : "", col + s_->col0);
  }

  [[nodiscard]] std::vector<std::string> fieldNames() const override { return {"coordinate", "address", "thread"}; }
  [[nodiscard]] std::vector<std::string> fields(i64 row, i64 col) const override {
    const i64 r = row + s_->row0, c = col + s_->col0;
    if (!s_->plan.inside(r, c)) return {"", "", ""};
    const auto at = s_->marks.find({r, c});
    const std::vector<i64> coordinate = s_->plan.registers ? std::vector<i64>{r, c} : s_->plan.coordinateOf(r, c);
    return {fmt::format("({})", fmt::join(coordinate, ",")), fmt::format("{}", addressAt(r, c)),
            at == s_->marks.end() ? "" : fmt::format("{}", at->second.thread)};
  }

 private:
  [[nodiscard]] i64 addressAt(i64 r, i64 c) const {
    return s_->plan.registers ? c : addressIn(*s_->plan.tensor, s_->plan.coordinateOf(r, c), s_->sizes);
  }
  [[nodiscard]] i64 placeAt(i64 r, i64 c) const {
    return s_->plan.registers ? r * Steps::kRegisters + c : addressAt(r, c);
  }
  std::shared_ptr<const RootState> s_;
};

// [from, to) around the marks, in multiples of eight.
void cropOne(i64 low, i64 high, i64 size, i64 whole, i64& from, i64& count) {
  if (size <= whole) {
    from = 0;
    count = size;
    return;
  }
  from = floorDiv(low, 8) * 8;
  i64 to = std::min(size, std::max(roundUp(high + 1, 8), from + 16));
  if (to - from < 16) from = std::max<i64>(0, to - 16);
  count = to - from;
}

}  // namespace

std::optional<std::pair<double, double>> PlacedPanel::middle(std::pair<i64, i64> cell) const {
  const auto at = state->shown(cell);
  if (!at) return std::nullopt;
  return std::pair{grid.x + (static_cast<double>(at->second) + 0.5) * grid.cellWidth,
                   grid.y + (static_cast<double>(at->first) + 0.5) * grid.cellHeight};
}

std::optional<std::pair<i64, i64>> RootState::shown(std::pair<i64, i64> cell) const {
  const i64 row = cell.first - row0, col = cell.second - col0;
  return row < 0 || col < 0 || row >= rows || col >= cols ? std::nullopt : std::optional(std::pair{row, col});
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
    out.push_back({figure.grids.back(), p.state});
    for (const std::string& line : p.margin) {
      end += kLine;
      edge = std::max(edge, left + addText(figure, left, end, line, kType.caption, Face::Sans, Role::Muted));
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
  threads.insert(threads.begin(), std::move(moved));
  for (auto& pairs : threads)
    if (!pairs.empty()) figure.links.push_back({tableLink(std::move(pairs))});
}

std::shared_ptr<RootState> rootState(const Steps& steps, int root, i64 threads) {
  auto state = std::make_shared<RootState>();
  state->plan = planOf(steps, root, threads);
  state->threads = threads;
  state->sizes = {steps.sizes().begin(), steps.sizes().end()};
  return state;
}

CellMark* RootState::mark(const Touch& t, i64 focus) {
  const auto cell = plan.cellOf(t);
  if (!plan.inside(cell.first, cell.second)) return nullptr;
  auto [at, fresh] = marks.try_emplace(cell, CellMark{t.thread, t.slot, 0, "", false});
  if (!fresh && at->second.thread != t.thread) ++at->second.more;
  if (t.thread == focus) at->second.lit = true;
  return fresh ? &at->second : nullptr;
}

void cropToMarks(RootState& s, i64 focus) {
  i64 top = 0, bottom = std::min(s.plan.rows, kWhole) - 1, left = 0, right = std::min(s.plan.cols, kWhole) - 1;
  if (!s.marks.empty()) {
    top = left = INT64_MAX;
    bottom = right = 0;
    for (const auto& [cell, mark] : s.marks) {
      top = std::min(top, cell.first);
      bottom = std::max(bottom, cell.first);
      left = std::min(left, cell.second);
      right = std::max(right, cell.second);
    }
  }
  cropOne(top, bottom, s.plan.rows, kWhole, s.row0, s.rows);
  cropOne(left, right, s.plan.cols, s.plan.registers ? kRegisters : kWhole, s.col0, s.cols);
  if (!s.plan.registers) return;
  s.row0 = focus / 32 * 32;  // the lanes of one warp
  s.rows = std::min<i64>(32, s.plan.rows - s.row0);
}

Grid rootGrid(std::shared_ptr<const RootState> state, const std::string& name) {
  const double pitch = std::min(kMostPitch, kWide / static_cast<double>(std::max(state->rows, state->cols)));
  Grid grid = makeGrid(name, state->rows, state->cols, std::make_shared<RootCells>(state), pitch, pitch);
  if (state->plan.registers) {
    grid.cellHeight = 18;
    grid.cellWidth = grid.cols <= 8 ? 46 : grid.cols <= 16 ? 30 : std::max(8.0, kWide / static_cast<double>(grid.cols));
  }
  grid.rowGroup = grid.rows > 8 ? 8 : 0;
  grid.colGroup = grid.cols > 8 ? 8 : 0;
  grid.labelChars = state->addresses ? 5 : state->plan.registers ? 6 : state->threads > 100 ? 4 : 3;
  grid.lettered = !state->addresses && !state->plan.registers;
  grid.headers = grid.cellWidth >= 12;
  return grid;
}

Result<Asked> askedOf(const Program& program, const DrawOptions& options, std::string_view view,
                      const std::vector<std::string>& keys, const std::vector<std::string>& plain) {
  std::vector<std::string> sizes;
  for (const Variable& v : program.variables)
    if (v.kind == Variable::Kind::Size) sizes.push_back(v.name);
  return tessera::askedOf(options, view, keys, sizes, plain);
}

}  // namespace tessera::graphene
