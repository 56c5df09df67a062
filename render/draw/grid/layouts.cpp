#include "render/draw/grid/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "render/figure/text_metrics.h"

namespace tessera {

void place(Figure& into, const Figure& part, double dx, double dy, const std::string& prefix) {
  addMoved(into, part, dx, dy, prefix);
  into.lit.insert(into.lit.end(), part.lit.begin(), part.lit.end());
  into.links.insert(into.links.end(), part.links.begin(), part.links.end());
  into.width = std::max(into.width, dx + part.width);
  into.height = std::max(into.height, dy + part.height);
}

void addHeading(Figure& figure, double x, double y, const std::string& name, const std::string& what, Face face) {
  const double width = addText(figure, x, y, name, 13, Face::SansMedium, Role::Text);
  addText(figure, x + width + 8, y, what, kType.caption, face, Role::Muted);
}

double headingWidth(const std::string& name, const std::string& what, Face face) {
  return textWidth(name, Face::SansMedium, 13) + 8 + textWidth(what, face, kType.caption);
}

Role roleOf(Truth truth) {
  return truth == Truth::Proved ? Role::Proved : truth == Truth::Refuted ? Role::Refuted : Role::Unknown;
}

void addSign(Figure& figure, Truth truth, double x, double y, const SignShape& shape, double scale) {
  const auto stroke = [&](double x0, double y0, double x1, double y1) {
    addLine(figure, x + scale * x0, y + scale * y0, x + scale * x1, y + scale * y1, roleOf(truth), shape.width);
  };
  if (truth == Truth::Proved) {
    const auto& [from, turn, to] = shape.tick;
    stroke(from[0], from[1], turn[0], turn[1]);
    stroke(turn[0], turn[1], to[0], to[1]);
  } else if (truth == Truth::Refuted) {
    stroke(-shape.cross, -shape.cross, shape.cross, shape.cross);
    stroke(-shape.cross, shape.cross, shape.cross, -shape.cross);
  } else {
    addText(figure, x, y, "?", shape.size, Face::SansMedium, roleOf(truth), Align::Center);
  }
}

double addParagraph(Figure& figure, double x, double y, const std::string& text, const Paragraph& style) {
  for (const std::string& line : wrapped(text, style.face, style.size, style.width)) {
    addText(figure, x, y, line, style.size, style.face, style.role, style.align);
    y += style.step;
  }
  return y;
}

Figure titledFigure(std::string title, std::string subtitle, std::vector<std::string> heads) {
  Figure figure;
  figure.title = std::move(title);
  figure.subtitle = std::move(subtitle);
  if (!heads.empty()) figure.table.push_back(std::move(heads));
  return figure;
}

void setTitle(Figure& figure, const DrawOptions& options, const std::string& view, const std::string& otherwise,
              std::string subtitle) {
  figure.title = options.name.empty() ? otherwise : options.name + " as " + view;
  figure.subtitle = std::move(subtitle);
}

Figure figureOf(Grid grid) {
  const Margins m = headerMargins(grid);
  grid.x = m.left;
  grid.y = m.top;
  Figure figure;
  figure.width = m.left + grid.bounds().w;
  figure.height = m.top + grid.bounds().h;
  figure.grids.push_back(std::move(grid));
  return figure;
}

std::pair<int, int> longestLabels(const CellSource& cells, i64 rows, i64 cols, i64 mostRows) {
  std::size_t first = 1, second = 0;
  const auto look = [&](i64 r, i64 c) {
    const Cell cell = cells.cell(r, c);
    first = std::max(first, countCodePoints(cell.label));
    second = std::max(second, countCodePoints(cell.second));
  };
  for (i64 r = 0; r < std::min(rows, mostRows); ++r)
    for (i64 c = 0; c < std::min<i64>(cols, 64); ++c) look(r, c);
  look(rows - 1, cols - 1);
  look(rows - 1, 0);
  look(0, cols - 1);
  return {static_cast<int>(first), static_cast<int>(second)};
}

void fitSize(Figure& figure) {
  double w = 0, h = 0;
  for (const Grid& g : figure.grids) {
    const Rect b = g.bounds();
    w = std::max(w, b.x + b.w);
    h = std::max(h, b.y + b.h);
  }
  for (const Mark& m : figure.marks) {
    const Rect b = extentOf(m);
    w = std::max(w, b.x + b.w);
    h = std::max(h, b.y + b.h);
  }
  figure.width = w;
  figure.height = h;
}

namespace {

constexpr const char* kEllipsis = "\xE2\x80\xA6";

// A part of a grid: `rows` rows from row0 on; from col0 on, the first and the last columns of every `group`, with an
// ellipsis between.
struct Part {
  i64 row0 = 0, rows = 0, col0 = 0, group = 1, first = 0, last = 0;
};

class PartCells : public CellSource {
 public:
  PartCells(std::shared_ptr<const CellSource> whole, const Part& part) : whole_(std::move(whole)), p_(part) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const auto c = wholeColumn(col);
    return c ? whole_->cell(p_.row0 + row, *c) : Cell{kEllipsis};
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const auto c = wholeColumn(col);
    return c ? whole_->paint(p_.row0 + row, *c) : Paint{};
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    std::vector<std::pair<i64, i64>> shown;
    for (const auto& [row, col] : whole_->find(point, limit)) {
      const i64 r = row - p_.row0, c = col - p_.col0, inside = c % p_.group;
      if (r < 0 || r >= p_.rows || c < 0 || (inside >= p_.first && inside < p_.group - p_.last)) continue;
      const i64 at = inside < p_.first ? inside : inside - (p_.group - p_.last) + p_.first + 1;
      shown.emplace_back(r, c / p_.group * (p_.first + 1 + p_.last) + at);
    }
    return shown;
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override { return whole_->rowHeader(p_.row0 + row); }
  [[nodiscard]] std::string colHeader(i64 col) const override {
    const auto c = wholeColumn(col);
    return c ? whole_->colHeader(*c) : kEllipsis;
  }
  [[nodiscard]] std::vector<std::string> fieldNames() const override { return whole_->fieldNames(); }
  [[nodiscard]] std::vector<std::string> fields(i64 row, i64 col) const override {
    const auto c = wholeColumn(col);
    return c ? whole_->fields(p_.row0 + row, *c) : std::vector<std::string>(fieldNames().size());
  }

 private:
  // nullopt for the ellipsis column.
  [[nodiscard]] std::optional<i64> wholeColumn(i64 col) const {
    const i64 shown = p_.first + 1 + p_.last, inside = col % shown, start = p_.col0 + col / shown * p_.group;
    if (inside < p_.first) return start + inside;
    if (inside == p_.first) return std::nullopt;
    return start + p_.group - p_.last + (inside - p_.first - 1);
  }

  std::shared_ptr<const CellSource> whole_;
  Part p_;
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
  w.cells = std::make_shared<PartCells>(grid.cells, Part{row0, rows, col0, grid.cols + 1, cols, 0});
  int longest = 1;
  eachCell(rows, cols, [&](i64 r, i64 c) {
    longest = std::max(longest, static_cast<int>(countCodePoints(w.cells->cell(r, c).label)));
  });
  w.labelChars = longest;
  w.cellWidth = pitchFor(longest);
  return w;
}

Figure windowed(const Figure& figure, i64 side) {
  const bool small = std::ranges::all_of(
      figure.grids, [side](const Grid& g) { return g.rows <= side * 3 / 2 && g.cols <= side * 3 / 2; });
  if (small || figure.grids.size() != 1) return figure;
  const Grid& whole = figure.grids[0];
  const i64 rows = std::min(side, whole.rows);
  i64 cols = std::min(side, whole.cols);
  struct Start {
    i64 row, col;
  };
  const auto startsWith = [&](const auto& startOf) {
    std::vector<Start> starts;
    for (const Point& p : figure.lit) {
      for (auto [r, c] : whole.cells->find(p, 4)) {
        const bool shown = std::ranges::any_of(starts, [&, r = r, c = c](const Start& s) {
          return r >= s.row && r < s.row + rows && c >= s.col && c < s.col + cols;
        });
        if (!shown && starts.size() < 3) starts.push_back(startOf(r, c));
      }
    }
    return starts;
  };
  std::vector<Start> starts = startsWith([&](i64 r, i64 c) {
    return Start{startAround(r, whole.rows, rows, whole.rowGroup), startAround(c, whole.cols, cols, whole.colGroup)};
  });
  if (starts.size() > 1) {  // side by side: narrow, and from multiples, so that they do not overlap
    cols = std::min(side / 2, whole.cols);
    starts = startsWith([&](i64 r, i64 c) {
      return Start{std::min(r / rows * rows, whole.rows - rows), std::min(c / cols * cols, whole.cols - cols)};
    });
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

Grid elided(const Grid& grid, i64 group, i64 keepFirst, i64 keepLast) {
  const i64 shown = keepFirst + 1 + keepLast;
  if (group < 1 || group <= shown + 1 || grid.cols % group != 0) return grid;
  Grid brief = grid;
  brief.cols = grid.cols / group * shown;
  brief.colGroup = grid.cols == group ? 0 : shown;
  brief.cells = std::make_shared<PartCells>(grid.cells, Part{0, grid.rows, 0, group, keepFirst, keepLast});
  return brief;
}

}  // namespace tessera
