#include "render/gl/scene.h"

#include <algorithm>
#include <cmath>

#include "render/figure/bands.h"
#include "render/figure/marks.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kHeaderSize = 10.5;

Rect toDevice(const Rect& r, const View& v) {
  return {(r.x - v.x) * v.scale, (r.y - v.y) * v.scale, r.w * v.scale, r.h * v.scale};
}

bool meets(const Rect& a, const Rect& b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

// The visible cells of a grid, half open.
struct Window {
  i64 row0 = 0, row1 = 0, col0 = 0, col1 = 0;
  [[nodiscard]] bool empty() const { return row0 >= row1 || col0 >= col1; }
};

Window windowOf(const Grid& g, const View& v) {
  const Rect d = toDevice(g.bounds(), v);
  const double cw = g.cellWidth * v.scale, ch = g.cellHeight * v.scale;
  const auto clampTo = [](double x, i64 hi) { return static_cast<i64>(std::clamp(x, 0.0, static_cast<double>(hi))); };
  return {
      clampTo(std::floor((v.clip.y - d.y) / ch), g.rows), clampTo(std::ceil((v.clip.y + v.clip.h - d.y) / ch), g.rows),
      clampTo(std::floor((v.clip.x - d.x) / cw), g.cols), clampTo(std::ceil((v.clip.x + v.clip.w - d.x) / cw), g.cols)};
}

class ScenePainter {
 public:
  ScenePainter(const Figure& figure, const View& view, Theme theme, const Lights& lights, Painter& out)
      : figure_(figure), v_(view), theme_(theme), out_(out), lit_(lights.points), grids_(lights.grids) {
    lit_.insert(lit_.end(), figure.lit.begin(), figure.lit.end());
  }

  void run() {
    for (const Grid& g : figure_.grids) grid(g);
    for (const Mark& m : figure_.marks) mark(m);
  }

 private:
  Rgba color(Role role) const { return resolve({role, 0, 0, 0}, theme_); }

  Rect cellRect(const Grid& g, i64 row, i64 col) const {
    return toDevice({g.x + static_cast<double>(col) * g.cellWidth, g.y + static_cast<double>(row) * g.cellHeight,
                     g.cellWidth, g.cellHeight},
                    v_);
  }

  void grid(const Grid& g) {
    const Window w = windowOf(g, v_);
    if (w.empty() || !g.cells) return;
    fills(g, w);
    const double cw = g.cellWidth * v_.scale, ch = g.cellHeight * v_.scale;
    const bool detailed = std::min(cw, ch) >= std::min(8.0, v_.minLabel);
    if (detailed) details(g, w, cw >= v_.minLabel && ch >= v_.minLabel * 0.6);
    boundaries(g, w);
    lights(g, w);
    if (g.headers) headers(g, w);
  }

  void fills(const Grid& g, const Window& w) {
    const double cw = g.cellWidth * v_.scale, ch = g.cellHeight * v_.scale;
    CellBlock block;
    block.grid = &g;
    block.theme = theme_;
    block.row0 = w.row0;
    block.row1 = w.row1;
    block.col0 = w.col0;
    block.col1 = w.col1;
    const Rect a = cellRect(g, w.row0, w.col0), b = cellRect(g, w.row1 - 1, w.col1 - 1);
    block.where = {a.x, a.y, b.x + b.w - a.x, b.y + b.h - a.y};
    // Below one device unit a cell, one sample for two units each way is what the eye gets and the frame can pay.
    const auto pixels = [](i64 cells, double pitch, double length) {
      return static_cast<int>(pitch >= 1 ? cells : std::max<i64>(1, std::llround(length / 2)));
    };
    block.width = pixels(w.col1 - w.col0, cw, block.where.w);
    block.height = pixels(w.row1 - w.row0, ch, block.where.h);
    block.gap = std::min(cw, ch) >= v_.minBorder
                    ? std::clamp(std::min(cw, ch) * 0.06, 0.5, 1.5 * std::max(1.0, v_.scale * 0.6))
                    : 0;
    out_.cells(block);
  }

  // Labels and hatching, cell by cell.
  void details(const Grid& g, const Window& w, bool labels) {
    for (i64 r = w.row0; r < w.row1; ++r)
      for (i64 c = w.col0; c < w.col1; ++c) {
        const Cell cell = g.cells->cell(r, c);
        if (cell.paint.role == Role::Padding) padding(cellRect(g, r, c));
        if (cell.lit) {
          litCell(g, r, c, cell);
        } else if (labels) {
          label(g, cellRect(g, r, c), cell, false);
        }
      }
  }

  // The block of fills has them solid, as they look from afar; seen near they are empty but for the hatching.
  void padding(const Rect& r) {
    out_.rect(r, canvas(theme_), {}, 0, 0);
    out_.hatch(inner(r), color(Role::Padding));
  }

  Rect inner(const Rect& r) const {
    const double gap = std::clamp(std::min(r.w, r.h) * 0.04, 0.3, 1.0);
    return {r.x + gap, r.y + gap, r.w - 2 * gap, r.h - 2 * gap};
  }

  void label(const Grid& g, const Rect& r, const Cell& cell, bool lit) {
    if (cell.label.empty()) return;
    const Rgba fill = resolve(cell.paint, theme_, lit);
    const bool filled = fill.a > 0 && cell.paint.role != Role::Padding;
    Rgba ink = filled ? labelOn(fill, theme_) : color(Role::Faint);
    if (cell.paint.role == Role::Faded) ink.a = 120;
    const double room = r.w - std::max(2.0, r.w * 0.12);
    const bool two = !cell.second.empty() && r.h >= 20;
    double size = std::min(r.h * (two ? 0.38 : 0.46), 12.5 * std::max(1.0, r.h / 34));
    // One size for the whole grid when it says how long its labels get.
    if (g.labelChars > 0) size = std::min(size, room / (0.6 * g.labelChars));
    const double wide = textWidth(cell.label, Face::Mono, size);
    if (wide > room) size *= room / wide;
    if (size < std::min(5.0, v_.minLabel * 0.3)) return;
    out_.text(r.x + r.w / 2, r.y + r.h * (two ? 0.36 : 0.5), cell.label, ink, size, lit ? Face::MonoBold : Face::Mono,
              Align::Center);
    if (!two) return;
    ink.a = static_cast<std::uint8_t>(ink.a * 0.7);
    double small = size * 0.88;
    const double secondWide = textWidth(cell.second, Face::Mono, small);
    if (secondWide > room) small *= room / secondWide;
    out_.text(r.x + r.w / 2, r.y + r.h * 0.72, cell.second, ink, small, Face::Mono, Align::Center);
  }

  void litCell(const Grid& g, i64 row, i64 col, Cell cell) {
    Rect r = cellRect(g, row, col);
    // A point that is smaller than a pixel is still shown.
    const double least = 4;
    if (r.w < least) r = {r.x + r.w / 2 - least / 2, r.y, least, r.h};
    if (r.h < least) r = {r.x, r.y + r.h / 2 - least / 2, r.w, least};
    const bool group =
        cell.paint.role == Role::Group || cell.paint.role == Role::Faded || cell.paint.role == Role::Heat;
    if (!group) cell.paint = {Role::Lit, 0, 0, 0};
    if (cell.paint.role == Role::Faded) cell.paint.role = Role::Group;
    out_.rect(inner(r), resolve(cell.paint, theme_, true), color(Role::Text), 1.5, std::min(3.0, r.w * 0.12));
    if (r.w >= v_.minLabel && r.h >= v_.minLabel * 0.6) label(g, r, cell, true);
  }

  void lights(const Grid& g, const Window& w) {
    const auto light = [&](const std::vector<Point>& points) {
      for (const Point& p : points) {
        if (!p.real()) continue;
        for (const auto& [row, col] : g.cells->find(p, 256))
          if (row >= w.row0 && row < w.row1 && col >= w.col0 && col < w.col1)
            litCell(g, row, col, g.cells->cell(row, col));
      }
    };
    const auto k = static_cast<std::size_t>(&g - figure_.grids.data());
    if (k < grids_.size()) {
      light(grids_[k]);
      light(figure_.lit);
    } else {
      light(lit_);
    }
  }

  // Tile boundaries: a line in the canvas colour, wider than the cell gap.
  void boundaries(const Grid& g, const Window& w) {
    const Rgba c = canvas(theme_);
    const auto lines = [&](i64 every, i64 from, i64 to, double pitch, bool vertical) {
      if (every <= 0 || pitch * static_cast<double>(every) < 6) return;
      const double width = std::clamp(pitch * 0.12, 1.0, 3.5);
      const Rect a = cellRect(g, w.row0, w.col0), b = cellRect(g, w.row1 - 1, w.col1 - 1);
      for (i64 k = (from / every + 1) * every; k < to; k += every) {
        const Rect at = cellRect(g, vertical ? w.row0 : k, vertical ? k : w.col0);
        if (vertical) {
          out_.line(at.x, a.y, at.x, b.y + b.h, c, width, false);
        } else {
          out_.line(a.x, at.y, b.x + b.w, at.y, c, width, false);
        }
      }
    };
    lines(g.colGroup, w.col0, w.col1, g.cellWidth * v_.scale, true);
    lines(g.rowGroup, w.row0, w.row1, g.cellHeight * v_.scale, false);
  }

  // Row and column headers, thinned so that they never collide. When the grid is scrolled, or too small for them beside
  // it, they stand on a band along the edge of the clip.
  void headers(const Grid& g, const Window& w) {
    const Rgba faint = color(Role::Faint), muted = color(Role::Muted);
    const double size = kHeaderSize * std::clamp(v_.scale, 0.87, 1.25);
    const double cw = g.cellWidth * v_.scale, ch = g.cellHeight * v_.scale;
    const Rect first = cellRect(g, w.row0, w.col0), last = cellRect(g, w.row1 - 1, w.col1 - 1);
    const auto widthOf = [&](const std::string& s) { return textWidth(s, Face::Mono, size); };
    const double wide = std::max(widthOf(g.cells->rowHeader(w.row1 - 1)), widthOf(g.cells->rowHeader(w.row0)));
    const double leastTop = v_.clip.y + size + 6, leastLeft = v_.clip.x + wide + 12;
    const double top = std::max(first.y, leastTop), left = std::max(first.x, leastLeft);
    const bool overTop = first.y < leastTop && ch * static_cast<double>(g.rows) > 4 * size;
    const bool overLeft = first.x < leastLeft && wide > 0 && cw * static_cast<double>(g.cols) > 4 * wide;
    Rgba band = canvas(theme_);
    band.a = 225;
    const double right = std::min(last.x + last.w, v_.clip.x + v_.clip.w);
    const double bottom = std::min(last.y + last.h, v_.clip.y + v_.clip.h);
    if (overTop) out_.rect({v_.clip.x, top - size - 6, right - v_.clip.x, size + 6}, band, {}, 0, 0);
    if (overLeft) out_.rect({v_.clip.x, top, left - v_.clip.x - 4, bottom - top}, band, {}, 0, 0);
    const auto step = [](double need, double pitch) {
      i64 s = 1;
      while (static_cast<double>(s) * pitch < need && s < (i64{1} << 50)) s *= 2;
      return s;
    };
    const double widest = std::max(widthOf(g.cells->colHeader(w.col1 - 1)), widthOf(g.cells->colHeader(w.col0)));
    const i64 cs = step(widest + 10, cw);
    for (i64 c = (w.col0 + cs - 1) / cs * cs; c < w.col1; c += cs) {
      const Rect r = cellRect(g, w.row0, c);
      if (overLeft && r.x + r.w / 2 - widest / 2 < left - 4) continue;
      out_.text(r.x + r.w / 2, top - size * 0.95, g.cells->colHeader(c), faint, size, Face::Mono, Align::Center);
    }
    const i64 rs = step(size + 4, ch);
    for (i64 r = (w.row0 + rs - 1) / rs * rs; r < w.row1; r += rs) {
      const Rect at = cellRect(g, r, w.col0);
      if (overTop && at.y + at.h / 2 < top + size / 2) continue;
      out_.text(left - 8, at.y + at.h / 2, g.cells->rowHeader(r), faint, size, Face::Mono, Align::Right);
    }
    if (overTop || overLeft) return;
    if (!g.colTitle.empty()) out_.text(first.x, top - size * 2.5, g.colTitle, muted, size, Face::Sans, Align::Left);
    if (!g.rowTitle.empty()) {
      // Without room beside the numbers it stands above them, level with the columns' title.
      const bool beside = left - 16 - wide - textWidth(g.rowTitle, Face::Sans, size) >= v_.clip.x;
      const double y = beside ? cellRect(g, w.row0, w.col0).y + ch / 2 : top - size * 2.5;
      out_.text(beside ? left - 16 - wide : left - 8, y, g.rowTitle, muted, size, Face::Sans, Align::Right);
    }
  }

  void mark(const Mark& m) {
    const Rect r = toDevice(m.rect, v_);
    const bool lit = m.point.real() && std::find(lit_.begin(), lit_.end(), m.point) != lit_.end();
    if (m.kind == Mark::Kind::Rectangle) {
      if (!meets(r, v_.clip)) return;
      if (m.fill.role == Role::Padding) {
        out_.hatch(r, color(Role::Padding));
        return;
      }
      out_.rect(r, resolve(m.fill, theme_, lit), lit ? color(Role::Text) : resolve(m.stroke, theme_),
                m.width * std::max(1.0, v_.scale * 0.7), m.radius * v_.scale);
    } else if (m.kind == Mark::Kind::Text) {
      const double size = m.size * v_.scale;
      if (size < 3 || m.text.empty()) return;
      Rgba ink = m.fill.role == Role::None ? color(Role::Text) : resolve(m.fill, theme_);
      // Text on a coloured box asks for contrast by naming the box's paint as its own.
      if (m.fill.role == Role::Group || m.fill.role == Role::BitRead || m.fill.role == Role::BitWrite ||
          m.fill.role == Role::Lit || m.fill.role == Role::Heat || m.fill.role == Role::Shade)
        ink = labelOn(resolve(m.fill, theme_, lit), theme_);
      const double x = m.align == Align::Left ? r.x : m.align == Align::Right ? r.x + r.w : r.x + r.w / 2;
      out_.text(x, r.y + r.h / 2, m.text, ink, size, m.face, m.align);
    } else {
      const Rgba c = m.fill.role == Role::None ? color(Role::Faint) : resolve(m.fill, theme_);
      out_.line(r.x, r.y, r.x + r.w, r.y + r.h, c, m.width * std::max(0.6, v_.scale), m.kind == Mark::Kind::Arrow);
    }
  }

  const Figure& figure_;
  const View& v_;
  Theme theme_;
  Painter& out_;
  std::vector<Point> lit_;
  const std::vector<std::vector<Point>>& grids_;
};

}  // namespace

void paintScene(const Figure& figure, const View& view, Theme theme, const Lights& lights, Painter& painter) {
  ScenePainter(figure, view, theme, lights, painter).run();
}

Rect extentOf(const Figure& figure) {
  double x0 = 0, y0 = 0, x1 = figure.width, y1 = figure.height;
  const auto grow = [&](double ax, double ay, double bx, double by) {
    x0 = std::min(x0, ax);
    y0 = std::min(y0, ay);
    x1 = std::max(x1, bx);
    y1 = std::max(y1, by);
  };
  for (const Grid& g : figure.grids) {
    const Rect b = g.bounds();
    double left = 0, top = 0;
    if (g.headers && g.cells && g.rows > 0) {
      left = textWidth(g.cells->rowHeader(g.rows - 1), Face::Mono, kHeaderSize) + 14;
      if (!g.rowTitle.empty()) left += textWidth(g.rowTitle, Face::Sans, kHeaderSize) + 12;
      top = g.colTitle.empty() ? 20 : 36;
    }
    grow(b.x - left, b.y - top, b.x + b.w, b.y + b.h);
  }
  for (const Mark& m : figure.marks) {
    const Rect r = extentOf(m);
    grow(r.x, r.y, r.x + r.w, r.y + r.h);
  }
  return {x0, y0, x1 - x0, y1 - y0};
}

namespace {

// What one image of cells is sampled from.
struct Sampling {
  const CellSource& cells;
  i64 rows, cols;
  double row0, col0, perRow, perCol;
  int down, across, width;
  Theme theme;
  Rgba background;
};

Rgba samplePixel(const Sampling& s, int x, int y) {
  const auto at = [](double v, i64 n) { return std::clamp<i64>(static_cast<i64>(std::floor(v)), 0, n - 1); };
  int r = 0, g = 0, b = 0;
  for (int sy = 0; sy < s.down; ++sy)
    for (int sx = 0; sx < s.across; ++sx) {
      // Odd fractions of the pixel, jittered by its position,
      // so that a stride of the layout does not beat with the samples.
      const double fy = (sy + 0.5 + (s.down > 1 ? 0.29 * (((x * 7 + y * 3) % 5) - 2) / 2 : 0)) / s.down;
      const double fx = (sx + 0.5 + (s.across > 1 ? 0.29 * (((x * 3 + y * 5) % 7) - 3) / 3 : 0)) / s.across;
      const Rgba c = resolve(
          s.cells.paint(at(s.row0 + (y + fy) * s.perRow, s.rows), at(s.col0 + (x + fx) * s.perCol, s.cols)), s.theme);
      const double alpha = c.a / 255.0;
      r += static_cast<int>(c.r * alpha + s.background.r * (1 - alpha));
      g += static_cast<int>(c.g * alpha + s.background.g * (1 - alpha));
      b += static_cast<int>(c.b * alpha + s.background.b * (1 - alpha));
    }
  const int n = s.down * s.across;
  return {static_cast<std::uint8_t>(r / n), static_cast<std::uint8_t>(g / n), static_cast<std::uint8_t>(b / n), 255};
}

}  // namespace

std::vector<Rgba> sampleCells(const CellSource& cells, i64 rows, i64 cols, double row0, double row1, double col0,
                              double col1, int width, int height, Theme theme) {
  constexpr int kThreadPixels = 20'000;  // fewer are not worth a thread
  std::vector<Rgba> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const double perRow = (row1 - row0) / height, perCol = (col1 - col0) / width;
  const auto samples = [](double per) { return per > 1.001 ? static_cast<int>(std::min(2.0, std::ceil(per))) : 1; };
  const Sampling sampling{cells,           rows,  cols,  row0,         col0, perRow, perCol, samples(perRow),
                          samples(perCol), width, theme, canvas(theme)};
  inBands(height, static_cast<i64>(pixels.size()) / kThreadPixels, [&](i64 from, i64 to) {
    for (i64 y = from; y < to; ++y)
      for (int x = 0; x < width; ++x)
        pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)] =
            samplePixel(sampling, x, static_cast<int>(y));
  });
  return pixels;
}

}  // namespace tessera
