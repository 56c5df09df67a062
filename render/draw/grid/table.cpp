// table: the output of CuTe's print_layout, for any function of rank 2 (rank 1 as one row).
#include <fmt/format.h>

#include <algorithm>

#include "core/base/words.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr i64 kMaxRows = 256, kMaxCols = 128;

// Requires rows, cols >= 1. If `cut`, lines end in "...".
std::vector<std::string> printed(const Subject& s, i64 rows, i64 cols, bool cut) {
  std::vector<std::vector<std::string>> cells;
  std::size_t width = 1;
  std::vector<i64> coord(static_cast<std::size_t>(s.rank())), digits;
  for (i64 r = 0; r < rows; ++r) {
    cells.emplace_back();
    for (i64 c = 0; c < cols; ++c) {
      if (s.rank() == 2) coord = {r, c};
      if (s.rank() == 1) coord = {c};
      s.digitsOf(coord.data(), digits);
      cells.back().push_back(s.labelAt(digits));
      width = std::max(width, countCodePoints(cells.back().back()));
    }
  }
  // print_layout sizes its cells by the cosize, which need not be a visible value.
  if (s.inner && s.inner->isPlain()) width = std::max(width, fmt::format("{}", s.inner->cosize()).size());
  width += 2;
  std::vector<std::string> lines = {s.text};
  auto padded = [](const std::string& text, std::size_t w) {
    return std::string(w - std::min(w, countCodePoints(text)), ' ') + text;
  };
  std::string header = "      ", rule = "    +";
  for (i64 c = 0; c < cols; ++c) {
    header += padded(fmt::format("{}", c), width - 1) + "  ";
    rule += std::string(width, '-') + "+";
  }
  header.pop_back();
  lines.push_back(header);
  for (i64 r = 0; r < rows; ++r) {
    lines.push_back(rule);
    std::string line = fmt::format("{:2}  |", r);
    for (const std::string& cell : cells[static_cast<std::size_t>(r)]) line += padded(cell, width - 1) + " |";
    lines.push_back(cut ? line + " ..." : line);
  }
  lines.push_back(rule);
  return lines;
}

// Invisible cells below the numbers: only lit ones are drawn. The text uses a face with an advance of 0.6 em.
class NumberCells : public CellSource {
 public:
  NumberCells(SubjectPtr subject, i64 rows, i64 cols) : s_(std::move(subject)), rows_(rows), cols_(cols) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const Point point{s_->domain, s_->rank() == 2 ? row + s_->extents[0] * col : col};
    std::vector<i64> digits;
    s_->digitsOf(s_->coordOf(point.index).data(), digits);
    return {s_->labelAt(digits), "", {}, point};
  }
  [[nodiscard]] Paint paint(i64, i64) const override { return {}; }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int) const override {
    if (!point.isIn(s_->domain, s_->size)) return {};
    const i64 high = s_->rank() == 2 ? s_->extents[0] : 1, row = point.index % high, col = point.index / high;
    if (row >= rows_ || col >= cols_) return {};
    return {{row, col}};
  }

 private:
  SubjectPtr s_;
  i64 rows_, cols_;
};

constexpr double kSize = 10.5, kLine = 14;

// Lines: 0 the layout, 1 the header, then a rule and numbers per row. A rule is "    +", then dashes and a plus per
// column.
void addCells(Figure& figure, const SubjectPtr& s, const std::vector<std::string>& lines, i64 rows, i64 cols) {
  if (lines.size() < 4 || cols < 1) return;
  const std::size_t first = lines[2].find('+'), second = lines[2].find('+', first + 1);
  if (first == std::string::npos || second == std::string::npos) return;
  const double em = 0.6 * kSize;
  Grid grid = makeGrid("", rows, cols, std::make_shared<NumberCells>(s, rows, cols),
                       static_cast<double>(second - first) * em, 2 * kLine);
  grid.headers = false;
  grid.labelChars = 1 << 20;  // never drawn, because the text is there; exported to CSV and JSON
  grid.x = (static_cast<double>(first) + 0.5) * em;
  grid.y = 8 + kLine;
  figure.grids.push_back(std::move(grid));
}

}  // namespace

Result<Figure> drawTable(const SubjectPtr& s, const DrawOptions& options) {
  if (s->rank() > 2) {
    return Diag{fmt::format("a table needs rank 1 or 2, but {} has rank {}", s->text, s->rank()), "rank 1 or 2",
                "as grid"};
  }
  const i64 rows = s->rank() == 2 ? s->extents[0] : 1;
  const i64 cols = s->rank() == 2 ? s->extents[1] : s->rank() == 1 ? s->extents[0] : 1;
  const i64 shownRows = std::min(rows, kMaxRows), shownCols = std::min(cols, kMaxCols);
  std::vector<std::string> lines;
  const cute::Layout* layout = s->text == (s->inner ? print(*s->inner) : "") ? &*s->inner : nullptr;
  if (layout != nullptr && s->rank() == 2 && rows == shownRows && cols == shownCols) {
    TESSERA_TRY(const std::string text, printTable(*layout));
    for (const std::string_view line : wordsIn(text, "\n")) lines.emplace_back(line);
  } else {
    lines = printed(*s, shownRows, shownCols, cols > shownCols);
  }
  Figure figure;
  setTitle(figure, options, "table", "Table", s->text);
  double y = 8;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    figure.text += lines[k] + "\n";
    if (k == 0) continue;  // the layout is the subtitle
    addText(figure, 0, y, lines[k], kSize, Face::Mono,
            k == 1 || lines[k].find("+-") != std::string::npos ? Role::Faint : Role::Text);
    y += kLine;
  }
  addCells(figure, s, lines, shownRows, shownCols);
  figure.caption = fmt::format("{} x {}", rows, cols);
  if (rows > shownRows || cols > shownCols)
    figure.caption += fmt::format(", the first {} x {} shown", shownRows, shownCols);
  figure.caption += ", as CuTe's print_layout prints it.";
  fitSize(figure);
  return figure;
}

}  // namespace tessera
