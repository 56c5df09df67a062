#include "render/draw/layouts.h"

#include <algorithm>
#include <cmath>

#include "render/figure/text_metrics.h"

namespace tessera {

Mark textMark(double x, double y, std::string text, double size, Face face, Align align, Role role) {
  Mark m;
  m.kind = Mark::Kind::Text;
  m.rect = {x, y, 0, 0};
  m.text = std::move(text);
  m.size = size;
  m.face = face;
  m.align = align;
  m.fill = {role};
  return m;
}

Mark boxMark(const Rect& rect, Paint fill, Paint stroke, double radius) {
  Mark m;
  m.kind = Mark::Kind::Rectangle;
  m.rect = rect;
  m.fill = fill;
  m.stroke = stroke;
  m.radius = radius;
  return m;
}

Mark lineMark(double x0, double y0, double x1, double y1, Role role, double width) {
  Mark m;
  m.kind = Mark::Kind::Line;
  m.rect = {x0, y0, x1 - x0, y1 - y0};
  m.fill = {role};
  m.width = width;
  return m;
}

Mark arrowMark(double x0, double y0, double x1, double y1, Role role, double width) {
  Mark m = lineMark(x0, y0, x1, y1, role, width);
  m.kind = Mark::Kind::Arrow;
  return m;
}

Rect extentOf(const Mark& m) {
  if (m.kind == Mark::Kind::Text) {
    const double w = textWidth(m.text, m.face, m.size);
    const double x = m.align == Align::Left ? m.rect.x : m.align == Align::Center ? m.rect.x - w / 2 : m.rect.x - w;
    return {x, m.rect.y + m.rect.h / 2 - m.size * 0.6, w, m.size * 1.2};
  }
  return {std::min(m.rect.x, m.rect.x + m.rect.w), std::min(m.rect.y, m.rect.y + m.rect.h), std::abs(m.rect.w),
          std::abs(m.rect.h)};
}

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
  into.width = std::max(into.width, dx + part.width);
  into.height = std::max(into.height, dy + part.height);
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
