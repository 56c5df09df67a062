#include "render/draw/grid/layouts.h"

#include <algorithm>
#include <cmath>

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
  addText(figure, x, y, name, 13, Face::SansMedium, Role::Text);
  addText(figure, x + textWidth(name, Face::SansMedium, 13) + 8, y, what, kType.caption, face, Role::Muted);
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

}  // namespace tessera
