#include "render/figure/compared.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/figure/text_metrics.h"

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
    const auto named = std::ranges::find_if(other.grids, [&](const Grid& o) { return o.cells && o.name == g.name; });
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
    text = fmt::format("The shapes differ, {} against {}, and no cell of one represents a point of the other",
                       shapeOf(first), shapeOf(second));
  } else if (c.alone > 0) {
    text += fmt::format("; {} have no counterpart: the shapes differ, {} against {}", c.alone, shapeOf(first),
                        shapeOf(second));
  }
  return text + ".";
}

// Visits the compared cells of the first picture with their counterparts; false if there were more.
template <class Visit>
bool eachPair(const Figure& first, const Figure& second, Visit visit) {
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
  const std::string said = fullLabel(cell);
  return said.empty() && cell.paint.role == Role::Padding ? "padding" : said;
}

constexpr double kGap = 36;
constexpr double kHead = 48;
// Upper limit of a head's width if the page shrinks its grid.
constexpr double kWidest = 700, kNarrowest = 150;

struct Half {
  const Figure& figure;
  const char* letter;
  double width;  // including head and caption
  std::vector<std::string> caption = {};
  [[nodiscard]] double height() const {
    return kHead + figure.height + (caption.empty() ? 0 : 12 + 15 * static_cast<double>(caption.size()));
  }
};

Half halfOf(const Figure& figure, const char* letter) {
  Half h{figure, letter, std::max(figure.width, kNarrowest)};
  if (!figure.caption.empty()) h.caption = wrapped(figure.caption, Face::Sans, kType.small, std::min(h.width, kWidest));
  return h;
}

// Adds a half with its corner at (x, y).
void add(Figure& out, const Half& h, double x, double y) {
  const double room = std::min(h.width, kWidest) - 22;
  addText(out, x, y + 10, h.letter, kType.title, Face::SansMedium, Role::Accent);
  addFitted(out, x + 20, y + 10, room, h.figure.title, kType.subtitle, Face::SansMedium, Role::Text);
  addFitted(out, x + 20, y + 28, room, h.figure.subtitle, kType.small, Face::Mono, Role::Muted);
  addMoved(out, h.figure, x, y + kHead, h.letter);
  double below = y + kHead + h.figure.height + 20;
  for (const std::string& line : h.caption) {
    addText(out, x, below, line, kType.small, Face::Sans, Role::Muted);
    below += 15;
  }
  for (const Point& p : h.figure.lit)
    if (std::ranges::find(out.lit, p) == out.lit.end()) out.lit.push_back(p);
}

}  // namespace

FigureComparison compared(const Figure& first, const Figure& second) {
  FigureComparison c;
  c.all = eachPair(first, second, [&](const Grid&, i64, i64, const Cell& cell, const std::optional<Cell>& other) {
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
  (void)eachPair(first, second,
                 [&](const Grid& grid, i64 r, i64 c, const Cell& cell, const std::optional<Cell>& other) {
                   if (other && !alike(cell, *other))
                     table.push_back(
                         {grid.name, grid.cells->rowHeader(r), grid.cells->colHeader(c), saidBy(cell), saidBy(*other)});
                 });
  return table;
}

Figure besideEachOther(const Figure& a, const Figure& b, bool marks) {
  const FigureComparison c = compared(a, b);
  const Half first = halfOf(marks ? c.first : a, "A"), second = halfOf(marks ? c.second : b, "B");
  Figure out;
  out.title = fmt::format("{} and {}", a.title.empty() ? "A" : a.title, b.title.empty() ? "B" : b.title);
  out.caption = c.text;
  if (marks && c.differing > 0) out.caption += " Those that differ are lit.";
  const double wide = first.width + kGap + second.width, high = first.height() + kGap + second.height();
  const double tall = std::max(first.height(), second.height()), broad = std::max(first.width, second.width);
  // Choose the shape closer to a landscape page.
  const bool stacked = std::max(wide / 1.5, tall) > std::max(broad / 1.5, high);
  add(out, first, 0, 0);
  if (stacked) {
    add(out, second, 0, first.height() + kGap);
  } else {
    add(out, second, first.width + kGap, 0);
  }
  out.width = stacked ? broad : wide;
  out.height = stacked ? high : tall;
  out.table = differingCells(a, b);
  return out;
}

Figure comparisonFor(const std::string& format, const Figure& a, const Figure& b, bool marks) {
  Figure out = besideEachOther(a, b, marks);
  if (format == "csv") out.grids.clear();
  if (format != "csv" && format != "json") out.table.clear();
  return out;
}

}  // namespace tessera
