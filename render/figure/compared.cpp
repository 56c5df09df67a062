#include "render/figure/compared.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// A grid and its counterpart.
struct Paired {
  Grid mine;
  std::optional<Grid> other;

  // The corresponding cell of the other picture.
  [[nodiscard]] std::optional<Cell> counterpart(const Cell& cell, i64 row, i64 col) const {
    if (!other) return std::nullopt;
    if (other->rows == mine.rows && other->cols == mine.cols) return other->cells->cell(row, col);
    if (!cell.point.real()) return std::nullopt;
    const auto found = other->cells->find(cell.point, 1);
    if (found.empty()) return std::nullopt;
    return other->cells->cell(found[0].first, found[0].second);
  }
};

bool alike(const Cell& a, const Cell& b) {
  return a.label == b.label && a.second == b.second &&
         (a.paint.role == Role::Padding) == (b.paint.role == Role::Padding);
}

// The cells of a grid: differing ones lit, equal ones faded, those without a counterpart unchanged.
class MarkedCells : public CellSource {
 public:
  explicit MarkedCells(Paired pair) : p_(std::move(pair)) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    Cell cell = p_.mine.cells->cell(row, col);
    const auto other = p_.counterpart(cell, row, col);
    cell.lit = other && !alike(cell, *other);
    if (other && !cell.lit && cell.paint.role != Role::Padding) cell.paint.role = Role::Faded;
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const Cell c = cell(row, col);
    return c.lit ? Paint{Role::Lit} : c.paint;
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    return p_.mine.cells->find(point, limit);
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override { return p_.mine.cells->rowHeader(row); }
  [[nodiscard]] std::string colHeader(i64 col) const override { return p_.mine.cells->colHeader(col); }

 private:
  Paired p_;
};

std::vector<Paired> pairs(const Figure& mine, const Figure& other) {
  std::vector<Paired> all;
  for (std::size_t k = 0; k < mine.grids.size(); ++k) {
    const Grid& g = mine.grids[k];
    if (!g.cells) continue;
    Paired p{g, std::nullopt};
    const auto named = std::find_if(other.grids.begin(), other.grids.end(),
                                    [&](const Grid& o) { return o.cells && o.name == g.name; });
    if (named != other.grids.end()) {
      p.other = *named;
    } else if (k < other.grids.size() && other.grids[k].cells) {
      p.other = other.grids[k];
    }
    all.push_back(std::move(p));
  }
  return all;
}

Figure marked(const Figure& mine, const Figure& other) {
  Figure out = mine;
  const std::vector<Paired> all = pairs(mine, other);
  std::size_t k = 0;
  for (Grid& g : out.grids)
    if (g.cells) g.cells = std::make_shared<MarkedCells>(all[k++]);
  out.lit.clear();
  return out;
}

std::string shapeOf(const Figure& f) {
  return f.grids.empty() ? "no cells" : fmt::format("{} x {}", f.grids.front().rows, f.grids.front().cols);
}

std::string sentence(const FigureComparison& c, const Figure& first, const Figure& second) {
  if (c.cells == 0) return "Neither picture's cells can be compared.";
  const std::string among = c.all ? fmt::format("{}", c.cells) : fmt::format("the first {}", c.cells);
  std::string text =
      c.differing == 0 ? fmt::format("None of {} cells differs", among)
                       : fmt::format("{} of {} cells {}", c.differing, among, c.differing == 1 ? "differs" : "differ");
  if (c.alone == c.cells) {
    text = fmt::format("The shapes differ, {} against {}, and no cell of one stands for a point of the other",
                       shapeOf(first), shapeOf(second));
  } else if (c.alone > 0) {
    text += fmt::format("; {} have no counterpart: the shapes differ, {} against {}", c.alone, shapeOf(first),
                        shapeOf(second));
  }
  return text + ".";
}

// Visits the compared cells of the first picture with their counterparts; false if there were more.
template <class Visit>
bool eachCell(const Figure& first, const Figure& second, Visit visit) {
  i64 cells = 0;
  for (const Paired& p : pairs(first, second)) {
    for (i64 r = 0; r < p.mine.rows; ++r) {
      for (i64 c = 0; c < p.mine.cols; ++c) {
        if (++cells > kMostCompared) return false;
        const Cell cell = p.mine.cells->cell(r, c);
        visit(p.mine, r, c, cell, p.counterpart(cell, r, c));
      }
    }
  }
  return true;
}

std::string saidBy(const Cell& cell) {
  std::string said = cell.label;
  if (!cell.second.empty()) said += (said.empty() ? "" : " ") + cell.second;
  if (said.empty() && cell.paint.role == Role::Padding) said = "padding";
  return said;
}

}  // namespace

FigureComparison compared(const Figure& first, const Figure& second) {
  FigureComparison c;
  c.all = eachCell(first, second, [&](const Grid&, i64, i64, const Cell& cell, const std::optional<Cell>& other) {
    ++c.cells;
    if (!other) {
      ++c.alone;
    } else if (!alike(cell, *other)) {
      ++c.differing;
    }
  });
  c.text = sentence(c, first, second);
  c.first = marked(first, second);
  c.second = marked(second, first);
  return c;
}

std::vector<std::vector<std::string>> differingCells(const Figure& first, const Figure& second) {
  std::vector<std::vector<std::string>> table = {{"grid", "row", "column", "A", "B"}};
  (void)eachCell(first, second,
                 [&](const Grid& grid, i64 r, i64 c, const Cell& cell, const std::optional<Cell>& other) {
                   if (other && !alike(cell, *other))
                     table.push_back(
                         {grid.name, grid.cells->rowHeader(r), grid.cells->colHeader(c), saidBy(cell), saidBy(*other)});
                 });
  return table;
}

}  // namespace tessera
