// A frame of a path: the words of the step beside all linked pictures, with the cells and arrows up to a stop.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/views/present/linked_path.h"
#include "render/figure/text_metrics.h"
#include "render/gl/first_fit.h"

namespace tessera::panes {
namespace {

constexpr double kPageWidth = 1560, kPageHeight = 860, kPageEdge = 20, kPageGap = 28, kPageTitle = 30;
constexpr double kPageWords = 400, kStopsHeight = 60;
constexpr double kLargestWords = 22, kSmallestWords = 11;  // type sizes of the words

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

// Everything in the figure larger or smaller, except that too small texts are left out.
Figure resized(Figure figure, double scale) {
  constexpr double kLeast = 6;
  for (Grid& g : figure.grids) {
    for (double* v : {&g.x, &g.y, &g.cellWidth, &g.cellHeight}) *v *= scale;
    g.headers = g.headers && std::min(g.cellWidth, g.cellHeight) >= kLeast;
  }
  for (Mark& m : figure.marks) {
    for (double* v : {&m.rect.x, &m.rect.y, &m.rect.w, &m.rect.h, &m.radius, &m.size}) *v *= scale;
    m.width = std::max(0.5, m.width * scale);
  }
  std::erase_if(figure.marks, [](const Mark& m) { return m.kind == Mark::Kind::Text && m.size < kLeast; });
  return figure;
}

// Adds the words; returns the height.
double addWords(Figure& frame, const FrameWords& words, double left, double top, double width, double size) {
  double y = top + size;
  const auto block = [&](const std::string& text, Face face, double points, Role role, double after) {
    for (const std::string& line : wrapped(text, face, points, width)) {
      addText(frame, left, y, line, points, face, role);
      y += points * 1.4;
    }
    y += points * after;
  };
  if (!words.heading.empty()) block(words.heading, Face::SansMedium, size * 1.4, Role::Text, 0.6);
  for (const std::string& paragraph : words.paragraphs) block(paragraph, Face::Sans, size, Role::Text, 0.6);
  for (const std::string& line : words.code) block(line, Face::Mono, size * 0.75, Role::Muted, 0.15);
  return y - top;
}

// The largest type size at which they fit.
double sizeOfWords(const FrameWords& words, double width, double height) {
  double size = kLargestWords;
  for (; size > kSmallestWords; size -= 0.5) {
    Figure tried;
    if (addWords(tried, words, 0, 0, width, size) <= height) break;
  }
  return size;
}

// The stops as pills, the first `lit` of them filled, smaller if they need more width.
void addStops(Figure& frame, const std::vector<PathStop>& stops, std::size_t lit, double x, double y, double width) {
  const auto pill = [](const PathStop& s, double size) {
    return textWidth(s.text, Face::SansMedium, size) + size * 1.4;
  };
  double size = 18;
  const auto all = [&] {
    double sum = 0;
    for (const PathStop& s : stops) sum += pill(s, size) + size;
    return sum;
  };
  while (size > 9 && all() > width) size -= 0.5;
  const double h = size * 2;
  for (std::size_t k = 0; k < stops.size(); ++k) {
    const double w = pill(stops[k], size);
    addBox(frame, {x, y, w, h}, {k < lit ? Role::Lit : Role::Raised}, {}, size * 0.5);
    addText(frame, x + w / 2, y + h / 2, stops[k].text, size, Face::SansMedium, k < lit ? Role::OnLit : Role::Muted,
            Align::Center);
    x += w + size;
  }
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
  const std::vector<PathStop>& stops = moment.stops;
  const std::size_t reached = std::min(moment.stop + 1, stops.size());
  const std::vector<PathStop> shown(stops.begin(), stops.begin() + static_cast<std::ptrdiff_t>(reached));
  std::vector<PathStop> lit = shown;
  for (const auto& earlier : moment.before) lit.insert(lit.end(), earlier.begin(), earlier.end());
  const std::size_t active = shown.empty() ? SIZE_MAX : shown.back().picture;
  Figure frame;
  frame.width = kPageWidth;
  frame.height = kPageHeight;
  const double size = sizeOfWords(words, kPageWords, kPageHeight - 2 * kPageEdge);
  (void)addWords(frame, words, kPageEdge, kPageEdge, kPageWords, size);
  const double left = kPageEdge + kPageWords + kPageGap, width = kPageWidth - kPageEdge - left,
               height = kPageHeight - 2 * kPageEdge - kStopsHeight;
  const std::size_t columns = columnsFor(figures, width, height);
  const std::size_t rows = std::max<std::size_t>(1, (figures.size() + columns - 1) / columns);
  const double w = (width - kPageGap * static_cast<double>(columns - 1)) / static_cast<double>(columns),
               h = (height - kPageGap * static_cast<double>(rows - 1)) / static_cast<double>(rows);
  struct Box {
    double scale = 1, x = 0, y = 0;  // of the figure's origin
  };
  std::vector<Box> boxes;
  for (std::size_t k = 0; k < figures.size(); ++k) {
    const double x = left + (w + kPageGap) * static_cast<double>(k % columns),
                 y = kPageEdge + (h + kPageGap) * static_cast<double>(k / columns);
    addFitted(frame, x, y + 10, w, figures[k]->title, 15, Face::SansMedium, k == active ? Role::Accent : Role::Text);
    addBox(frame, {x, y + kPageTitle - 4, w, h - kPageTitle + 4}, {}, {k == active ? Role::Accent : Role::Hairline}, 4);
    const FirstFit fits = fitInto(*figures[k], w, h - kPageTitle, 1);
    const Box box{fits.scale, x - fits.x * fits.scale, y + kPageTitle - fits.y * fits.scale};
    addMoved(frame, resized(litPicture(*figures[k], k, lit), box.scale), box.x, box.y, fmt::format("{}", k + 1));
    boxes.push_back(box);
  }
  const auto cellOf = [&](const PathStop& s) {
    const Rect r = rectOf(*figures[s.picture], *s.at);
    const Box& in = boxes[s.picture];
    return Rect{r.x * in.scale + in.x, r.y * in.scale + in.y, r.w * in.scale, r.h * in.scale};
  };
  const auto path = [&](const std::vector<PathStop>& way, Role role) {
    const PathStop* last = nullptr;
    for (const PathStop& s : way) {
      if (!s.at) continue;
      const Rect to = cellOf(s);
      const double dx = std::max(3.0, (14 - to.w) / 2), dy = std::max(3.0, (14 - to.h) / 2);
      addBox(frame, {to.x - dx, to.y - dy, to.w + 2 * dx, to.h + 2 * dy}, {}, {role}, 4);
      frame.marks.back().width = 2;
      if (last != nullptr && last->picture != s.picture) {
        const Rect from = cellOf(*last);
        addArrow(frame, from.x + from.w / 2, from.y + from.h / 2, to.x + to.w / 2, to.y + to.h / 2, role, 2);
      }
      last = &s;
    }
  };
  for (const auto& earlier : moment.before) path(earlier, Role::Accent);
  path(shown, moment.before.empty() ? Role::Accent : Role::Refuted);
  addStops(frame, stops, shown.size(), left, kPageHeight - kPageEdge - 36, width);
  return frame;
}

}  // namespace tessera::panes
