#include "render/draw/grid/layouts.h"

#include <algorithm>
#include <cmath>

#include "render/figure/text_metrics.h"

namespace tessera {

void place(Figure& into, const Figure& part, double dx, double dy, const std::string& prefix) {
  for (Grid g : part.grids) {
    g.x += dx;
    g.y += dy;
    g.name = prefix.empty() ? g.name : g.name.empty() ? prefix : prefix + " " + g.name;
    into.grids.push_back(std::move(g));
  }
  for (Mark m : part.marks) {
    m.rect.x += dx;
    m.rect.y += dy;
    into.marks.push_back(std::move(m));
  }
  into.lit.insert(into.lit.end(), part.lit.begin(), part.lit.end());
  into.links.insert(into.links.end(), part.links.begin(), part.links.end());
  into.width = std::max(into.width, dx + part.width);
  into.height = std::max(into.height, dy + part.height);
}

void addHeading(Figure& figure, double x, double y, const std::string& name, const std::string& what, Face face) {
  addText(figure, x, y, name, 13, Face::SansMedium, Role::Text);
  addText(figure, x + textWidth(name, Face::SansMedium, 13) + 8, y, what, kType.caption, face, Role::Muted);
}

double headingWidth(const std::string& name, const std::string& what, Face face) {
  return textWidth(name, Face::SansMedium, 13) + 8 + textWidth(what, face, kType.caption);
}

double addParagraph(Figure& figure, double x, double y, const std::string& text, const Paragraph& style) {
  for (const std::string& line : wrapped(text, style.face, style.size, style.width)) {
    addText(figure, x, y, line, style.size, style.face, style.role, style.align);
    y += style.step;
  }
  return y;
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

}  // namespace tessera
