#include "render/figure/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/figure/text_metrics.h"

namespace tessera {

u64 pointDomain(const std::vector<i64>& extents) {
  // FNV-1a over the extents and their number: (4,8), (8,4) and 32 are three domains.
  u64 h = 0xcbf29ce484222325ULL;
  auto mix = [&h](u64 v) {
    for (int k = 0; k < 8; ++k) {
      h ^= (v >> (8 * k)) & 0xff;
      h *= 0x100000001b3ULL;
    }
  };
  mix(extents.size());
  for (i64 e : extents) mix(static_cast<u64>(e));
  return h;
}

std::string fullLabel(const Cell& cell) {
  return cell.label + (cell.label.empty() || cell.second.empty() ? "" : " ") + cell.second;
}

std::vector<Point> pointsOf(const Cell& cell) {
  if (!cell.point.real()) return {};
  std::vector<Point> points = cell.also;
  points.insert(points.begin(), cell.point);
  return points;
}

Grid makeGrid(std::string name, i64 rows, i64 cols, std::shared_ptr<const CellSource> cells, double cellWidth,
              double cellHeight, int labelChars) {
  Grid grid;
  grid.name = std::move(name);
  grid.rows = rows;
  grid.cols = cols;
  grid.cells = std::move(cells);
  grid.cellWidth = cellWidth;
  grid.cellHeight = cellHeight;
  grid.labelChars = labelChars;
  return grid;
}

std::string CellSource::rowHeader(i64 row) const { return fmt::format("{}", row); }
std::string CellSource::colHeader(i64 col) const { return fmt::format("{}", col); }

Mark textMark(double x, double y, std::string text, double size, Face face, Align align, Role role) {
  return {Mark::Kind::Text, {x, y, 0, 0}, {role}, {}, 1, 3, std::move(text), size, face, align};
}
Mark boxMark(const Rect& rect, Paint fill, Paint stroke, double radius) {
  return {Mark::Kind::Rectangle, rect, fill, stroke, 1, radius};
}
Mark lineMark(double x0, double y0, double x1, double y1, Role role, double width) {
  return {Mark::Kind::Line, {x0, y0, x1 - x0, y1 - y0}, {role}, {}, width};
}
Mark arrowMark(double x0, double y0, double x1, double y1, Role role, double width) {
  return {Mark::Kind::Arrow, {x0, y0, x1 - x0, y1 - y0}, {role}, {}, width};
}

double addText(Figure& figure, double x, double y, std::string text, double size, Face face, Role role, Align align) {
  const double width = textWidth(text, face, size);
  figure.marks.push_back(textMark(x, y, std::move(text), size, face, align, role));
  return width;
}
double addFitted(Figure& figure, double x, double y, double width, std::string_view text, double size, Face face,
                 Role role) {
  return addText(figure, x, y, fitted(text, face, size, width), size, face, role);
}
void addBox(Figure& figure, const Rect& rect, Paint fill, Paint stroke, double radius) {
  figure.marks.push_back(boxMark(rect, fill, stroke, radius));
}
void addArrow(Figure& figure, double x0, double y0, double x1, double y1, Role role, double width) {
  figure.marks.push_back(arrowMark(x0, y0, x1, y1, role, width));
}
void addLine(Figure& figure, double x0, double y0, double x1, double y1, Role role, double width) {
  figure.marks.push_back(lineMark(x0, y0, x1, y1, role, width));
}

void addMoved(Figure& into, const Figure& part, double dx, double dy, const std::string& prefix) {
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

double addBadges(std::vector<Mark>& marks, const std::vector<FigureBadge>& badges, double x, double y, double width) {
  if (badges.empty()) return 0;
  constexpr double kHeight = 19, kBetween = 8, kInside = 9;
  double dx = 0, dy = 0;
  for (const FigureBadge& badge : badges) {
    const double w = textWidth(badge.text, Face::Mono, kType.small) + 2 * kInside;
    if (dx > 0 && dx + w > width) {
      dx = 0;
      dy += kHeight + kBetween / 2;
    }
    marks.push_back(boxMark({x + dx, y + dy, w, kHeight}, {Role::Panel}, {Role::Hairline}, kInside));
    marks.push_back(
        textMark(x + dx + kInside, y + dy + kHeight / 2, badge.text, kType.small, Face::Mono, Align::Left, badge.role));
    dx += w + kBetween;
  }
  return dy + kHeight + kBetween;
}

}  // namespace tessera
