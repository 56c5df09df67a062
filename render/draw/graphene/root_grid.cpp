#include "render/draw/graphene/root_grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/arith.h"
#include "render/draw/links.h"

namespace tessera::graphene {
namespace {

constexpr i64 kWhole = 64;      // rows and columns shown without cropping
constexpr i64 kRegisters = 16;  // the same for registers
constexpr double kWide = 620;   // of a picture, in points
constexpr double kMostPitch = 30;

class RootCells : public CellSource {
 public:
  explicit RootCells(std::shared_ptr<const RootState> state) : s_(std::move(state)) {}

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const i64 r = row + s_->row0, c = col + s_->col0;
    Cell cell;
    cell.paint = paint(row, col);
    cell.point = s_->plan.point(r, c);
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
    const auto at = s_->plan.cellOf(point);
    if (!at) return {};
    const i64 row = at->first - s_->row0, col = at->second - s_->col0;
    if (row < 0 || col < 0 || row >= s_->rows || col >= s_->cols) return {};
    return {{row, col}};
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

void cropToMarks(RootState& s) {
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
}

Grid rootGrid(std::shared_ptr<const RootState> state, const std::string& name) {
  Grid grid;
  grid.name = name;
  grid.rows = state->rows;
  grid.cols = state->cols;
  const double longer = static_cast<double>(std::max(grid.rows, grid.cols));
  grid.cellWidth = grid.cellHeight = std::min(kMostPitch, kWide / longer);
  if (state->plan.registers) {
    grid.cellHeight = 18;
    grid.cellWidth = grid.cols <= 8 ? 46 : grid.cols <= 16 ? 30 : std::max(8.0, kWide / static_cast<double>(grid.cols));
  }
  grid.rowGroup = grid.rows > 8 ? 8 : 0;
  grid.colGroup = grid.cols > 8 ? 8 : 0;
  grid.labelChars = state->threads > 100 ? 4 : 3;
  if (state->plan.registers) grid.labelChars = 6;
  if (state->addresses) grid.labelChars = 5;
  grid.lettered = !state->addresses && !state->plan.registers;
  grid.headers = grid.cellWidth >= 12;
  grid.cells = std::make_shared<RootCells>(std::move(state));
  return grid;
}

}  // namespace tessera::graphene
