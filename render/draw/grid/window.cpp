#include "render/draw/grid/window.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/draw/grid/layouts.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

class WindowCells : public CellSource {
 public:
  WindowCells(std::shared_ptr<const CellSource> whole, i64 row0, i64 col0, i64 rows, i64 cols)
      : whole_(std::move(whole)), row0_(row0), col0_(col0), rows_(rows), cols_(cols) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override { return whole_->cell(row0_ + row, col0_ + col); }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override { return whole_->paint(row0_ + row, col0_ + col); }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    std::vector<std::pair<i64, i64>> inside;
    for (auto [r, c] : whole_->find(point, limit)) {
      if (r >= row0_ && c >= col0_ && r - row0_ < rows_ && c - col0_ < cols_) inside.emplace_back(r - row0_, c - col0_);
    }
    return inside;
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override { return whole_->rowHeader(row0_ + row); }
  [[nodiscard]] std::string colHeader(i64 col) const override { return whole_->colHeader(col0_ + col); }
  [[nodiscard]] std::vector<std::string> fieldNames() const override { return whole_->fieldNames(); }
  [[nodiscard]] std::vector<std::string> fields(i64 row, i64 col) const override {
    return whole_->fields(row0_ + row, col0_ + col);
  }

 private:
  std::shared_ptr<const CellSource> whole_;
  i64 row0_, col0_, rows_, cols_;
};

// A start that keeps tile boundaries aligned with the group distance.
i64 startAround(i64 at, i64 total, i64 side, i64 group) {
  i64 start = std::clamp<i64>(at - side / 2, 0, std::max<i64>(0, total - side));
  if (group > 0) start -= start % group;
  return start;
}

}  // namespace

Grid windowOf(const Grid& grid, i64 row0, i64 col0, i64 rows, i64 cols) {
  Grid w = grid;
  w.rows = rows;
  w.cols = cols;
  w.cells = std::make_shared<WindowCells>(grid.cells, row0, col0, rows, cols);
  int longest = 1;
  for (i64 r = 0; r < rows; ++r) {
    for (i64 c = 0; c < cols; ++c)
      longest = std::max(longest, static_cast<int>(countCodePoints(w.cells->cell(r, c).label)));
  }
  w.labelChars = longest;
  w.cellWidth = pitchFor(longest);
  return w;
}

Figure windowed(const Figure& figure, i64 side) {
  const bool small = std::all_of(figure.grids.begin(), figure.grids.end(),
                                 [side](const Grid& g) { return g.rows <= side * 3 / 2 && g.cols <= side * 3 / 2; });
  if (small || figure.grids.size() != 1) return figure;
  const Grid& whole = figure.grids[0];
  const i64 rows = std::min(side, whole.rows), cols = std::min(side, whole.cols);
  struct Start {
    i64 row, col;
  };
  std::vector<Start> starts;
  for (const Point& p : figure.lit) {
    for (auto [r, c] : whole.cells->find(p, 4)) {
      const bool shown = std::any_of(starts.begin(), starts.end(), [&, r = r, c = c](const Start& s) {
        return r >= s.row && r < s.row + rows && c >= s.col && c < s.col + cols;
      });
      if (!shown && starts.size() < 3) {
        starts.push_back(
            {startAround(r, whole.rows, rows, whole.rowGroup), startAround(c, whole.cols, cols, whole.colGroup)});
      }
    }
  }
  if (starts.empty()) starts.push_back({0, 0});
  Figure out = figure;
  out.grids.clear();
  double x = 0;
  for (const Start& s : starts) {
    Grid w = windowOf(whole, s.row, s.col, rows, cols);
    w.name = fmt::format("rows {} to {}, columns {} to {}", s.row, s.row + rows - 1, s.col, s.col + cols - 1);
    const Margins m = headerMargins(w);
    w.x = x + m.left;
    w.y = m.top + 18;
    addText(out, w.x, 8, w.name + fmt::format("   of {} x {}", whole.rows, whole.cols), kType.small, Face::SansMedium,
            Role::Muted);
    x = w.x + w.bounds().w + 28;
    out.grids.push_back(std::move(w));
  }
  fitSize(out);
  return out;
}

}  // namespace tessera
