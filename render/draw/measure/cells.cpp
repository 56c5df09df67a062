#include "render/draw/measure/cells.h"

#include <algorithm>

#include "render/draw/grid/layouts.h"
#include "render/figure/marks.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kGap = 22, kRow = 24, kText = 11, kHead = 10, kLongest = 340;

bool isText(const MeasuredCells& cells, std::size_t column) { return !cells.numbers[column]; }
Face faceOf(const MeasuredCells& cells, std::size_t column) { return isText(cells, column) ? Face::Sans : Face::Mono; }

std::vector<double> widthsOf(const MeasuredCells& cells) {
  std::vector<double> out;
  for (std::size_t k = 0; k < cells.heads.size(); ++k) {
    double wide = textWidth(cells.heads[k], Face::Sans, kHead);
    for (const auto& line : cells.lines) wide = std::max(wide, textWidth(line[k], faceOf(cells, k), kText));
    out.push_back(std::min(wide, kLongest));
  }
  return out;
}

}  // namespace

double cellsWidth(const MeasuredCells& cells) {
  double all = 0;
  for (const double wide : widthsOf(cells)) all += wide + kGap;
  return std::max(0.0, all - kGap);
}

double addCells(Figure& figure, const MeasuredCells& cells, double x, double y, double width) {
  if (cells.lines.empty()) return y;
  const std::vector<double> widths = widthsOf(cells);
  const auto add = [&](const std::vector<std::string>& line, double at, bool head) {
    double left = x;
    for (std::size_t k = 0; k < line.size(); ++k) {
      const double size = head ? kHead : kText;
      const Face face = head ? Face::Sans : faceOf(cells, k);
      const Align align = isText(cells, k) ? Align::Left : Align::Right;
      const double anchor = align == Align::Left ? left : left + widths[k];
      addText(figure, anchor, at, fitted(line[k], face, size, widths[k] + 1), size, face,
              head     ? Role::Faint
              : k == 0 ? Role::Text
                       : Role::Muted,
              align);
      left += widths[k] + kGap;
    }
  };
  add(cells.heads, y + kRow / 2, true);
  for (const auto& line : cells.lines) {
    y += kRow;
    figure.marks.push_back(lineMark(x, y, x + width, y, Role::Hairline));
    add(line, y + kRow / 2, false);
  }
  return y + kRow;
}

void addHead(Figure& figure, const MeasuredPicture& picture) {
  figure.title = picture.title;
  figure.subtitle = picture.subtitle;
  figure.caption = picture.caption;
  figure.badges = picture.badges;
  figure.table.push_back(picture.all.heads);
  for (const auto& line : picture.all.lines) figure.table.push_back(line);
}

Figure drawMeasuredTable(const MeasuredPicture& picture) {
  Figure figure;
  addHead(figure, picture);
  (void)addCells(figure, picture.all, 0, 0, cellsWidth(picture.all));
  figure.legible = true;
  fitSize(figure);
  return figure;
}

}  // namespace tessera
