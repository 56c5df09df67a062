// A frame of a path: the words of the step beside all linked pictures, with the cells and arrows up to a stop.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/views/present/linked_path.h"
#include "render/figure/text_metrics.h"
#include "render/gl/first_fit.h"

namespace tessera::panes {
namespace {

constexpr double kGap = 36, kTitle = 30;

// The cells of another source, some of them lit.
class LitCells final : public CellSource {
 public:
  LitCells(std::shared_ptr<const CellSource> own, std::vector<PathCell> lit)
      : own_(std::move(own)), lit_(std::move(lit)) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    Cell c = own_->cell(row, col);
    c.lit = c.lit || std::ranges::any_of(lit_, [&](const PathCell& l) { return l.row == row && l.col == col; });
    return c;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override { return own_->paint(row, col); }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    return own_->find(point, limit);
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override { return own_->rowHeader(row); }
  [[nodiscard]] std::string colHeader(i64 col) const override { return own_->colHeader(col); }

 private:
  std::shared_ptr<const CellSource> own_;
  std::vector<PathCell> lit_;
};

// The picture with its cells of these stops lit.
Figure litPicture(const Figure& figure, std::size_t picture, const std::vector<PathStop>& shown) {
  Figure out = figure;
  for (std::size_t k = 0; k < out.grids.size(); ++k) {
    std::vector<PathCell> lit;
    for (const PathStop& s : shown)
      if (s.picture == picture && s.at && s.at->grid == k) lit.push_back(*s.at);
    if (!lit.empty()) out.grids[k].cells = std::make_shared<LitCells>(out.grids[k].cells, std::move(lit));
  }
  return out;
}

double addWords(Figure& frame, const FrameWords& words, double width, double size) {
  double y = size;
  const auto block = [&](const std::string& text, Face face, double points, Role role) {
    for (const std::string& line : wrapped(text, face, points, width)) {
      addText(frame, 0, y, line, points, face, role);
      y += points * 1.4;
    }
    y += points * 0.6;
  };
  if (!words.heading.empty()) block(words.heading, Face::SansMedium, size * 1.4, Role::Text);
  for (const std::string& paragraph : words.paragraphs) block(paragraph, Face::Sans, size, Role::Text);
  for (const std::string& line : words.code) {
    addFitted(frame, 0, y, width, line, size * 0.8, Face::Mono, Role::Muted);
    y += size * 1.2;
  }
  return y;
}

// The stops as pills, the first `lit` of them filled; returns the height.
double addStops(Figure& frame, const std::vector<PathStop>& stops, std::size_t lit, double x, double y, double width,
                double size) {
  const double left = x, h = size * 2;
  double bottom = y + h;
  for (std::size_t k = 0; k < stops.size(); ++k) {
    const double w = textWidth(stops[k].text, Face::SansMedium, size) + size * 1.4;
    if (x + w > left + width && x > left) {
      x = left;
      y = bottom + size * 0.5;
      bottom = y + h;
    }
    addBox(frame, {x, y, w, h}, {k < lit ? Role::Lit : Role::Raised}, {}, size * 0.5);
    addText(frame, x + w / 2, y + h / 2, stops[k].text, size, Face::SansMedium, k < lit ? Role::OnLit : Role::Muted,
            Align::Center);
    x += w + size;
  }
  return bottom - y;
}

}  // namespace

Rect rectOf(const Figure& figure, const PathCell& cell) {
  const Grid& g = figure.grids[cell.grid];
  return {g.x + static_cast<double>(cell.col) * g.cellWidth, g.y + static_cast<double>(cell.row) * g.cellHeight,
          g.cellWidth, g.cellHeight};
}

std::size_t columnsFor(const std::vector<const Figure*>& figures, double width, double height) {
  std::size_t best = 1;
  double most = 0;
  for (std::size_t columns = 1; columns <= std::max<std::size_t>(1, figures.size()); ++columns) {
    const std::size_t rows = (figures.size() + columns - 1) / columns;
    if (rows * columns >= figures.size() + columns) continue;
    double least = 1e9;
    for (const Figure* f : figures) {
      const Rect e = wantedExtent(*f);
      least = std::min({least, width / static_cast<double>(columns) / std::max(1.0, e.w),
                        height / static_cast<double>(rows) / std::max(1.0, e.h)});
    }
    if (least > most * 1.02) {
      most = least;
      best = columns;
    }
  }
  return best;
}

Figure frameOf(const PathScene& scene, const FrameWords& words, const PathMoment& moment) {
  std::vector<const Figure*> figures;
  for (const PathPicture& p : scene.pictures) figures.push_back(&*p.outcome->figure);
  const std::size_t columns = columnsFor(figures, 1000, 640);
  // Places of the pictures, each column and row as large as its largest picture.
  std::vector<double> widths(columns, 0), heights((figures.size() + columns - 1) / columns, 0);
  std::vector<Rect> extents;
  for (std::size_t k = 0; k < figures.size(); ++k) {
    const Rect e = wantedExtent(*figures[k]);
    extents.push_back(e);
    widths[k % columns] = std::max({widths[k % columns], e.w, textWidth(figures[k]->title, Face::SansMedium, 14)});
    heights[k / columns] = std::max(heights[k / columns], e.h + kTitle);
  }
  double block = -kGap, tall = -kGap;
  for (const double w : widths) block += w + kGap;
  for (const double h : heights) tall += h + kGap;
  const double size = std::clamp(tall / 34, 13.0, 34.0), column = size * 26;
  Figure frame;
  const double left = column + 2 * kGap;
  const std::vector<PathStop>& stops = moment.stops;
  const std::size_t reached = std::min(moment.stop + 1, stops.size());
  const std::vector<PathStop> shown(stops.begin(), stops.begin() + static_cast<std::ptrdiff_t>(reached));
  std::vector<PathStop> lit = shown;
  for (const auto& earlier : moment.before) lit.insert(lit.end(), earlier.begin(), earlier.end());
  const std::size_t active = shown.empty() ? SIZE_MAX : shown.back().picture;
  std::vector<std::pair<double, double>> moved;
  for (std::size_t k = 0; k < figures.size(); ++k) {
    double x = left, y = 0;
    for (std::size_t c = 0; c < k % columns; ++c) x += widths[c] + kGap;
    for (std::size_t r = 0; r < k / columns; ++r) y += heights[r] + kGap;
    addText(frame, x, y + 10, figures[k]->title, 14, Face::SansMedium, k == active ? Role::Accent : Role::Text);
    moved.emplace_back(x - extents[k].x, y + kTitle - extents[k].y);
    addMoved(frame, litPicture(*figures[k], k, lit), moved[k].first, moved[k].second, fmt::format("{}", k + 1));
  }
  const auto centre = [&](const PathStop& s) {
    const Rect r = rectOf(*figures[s.picture], *s.at);
    return std::pair(r.x + r.w / 2 + moved[s.picture].first, r.y + r.h / 2 + moved[s.picture].second);
  };
  const auto arrows = [&](const std::vector<PathStop>& path, Role role) {
    const PathStop* last = nullptr;
    for (const PathStop& s : path) {
      if (!s.at) continue;
      if (last != nullptr && last->picture != s.picture) {
        const auto [x0, y0] = centre(*last);
        const auto [x1, y1] = centre(s);
        addArrow(frame, x0, y0, x1, y1, role, 2);
      }
      last = &s;
    }
  };
  for (const auto& earlier : moment.before) arrows(earlier, Role::Accent);
  arrows(shown, moment.before.empty() ? Role::Accent : Role::Refuted);
  const double said = addWords(frame, words, column, size);
  const double bar = std::max(tall, said) + kGap;
  const double pills = addStops(frame, stops, shown.size(), left, bar, std::max(block, column), size * 0.9);
  frame.width = left + std::max(block, column);
  frame.height = bar + pills;
  return frame;
}

}  // namespace tessera::panes
