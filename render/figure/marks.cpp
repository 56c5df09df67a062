#include "render/figure/marks.h"

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

void addText(Figure& figure, double x, double y, std::string text, double size, Face face, Role role, Align align) {
  figure.marks.push_back(textMark(x, y, std::move(text), size, face, align, role));
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

}  // namespace tessera
