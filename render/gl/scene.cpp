#include "render/gl/scene.h"

#include <algorithm>
#include <cmath>

#include "render/figure/text_metrics.h"
#include "render/figure/thinned.h"

namespace tessera {
namespace {

constexpr double kHeaderSize = 10.5;

// The type size of headers at a scale, unless texts beside the grid leave less room.
double headerSizeAt(double scale, double unit) { return kHeaderSize * std::clamp(scale, 0.87 * unit, 1.25 * unit); }

bool readable(double size, double unit) { return size >= kLeastText * unit * 0.999; }

Rect toDevice(const Rect& r, const View& v) {
  return {(r.x - v.x) * v.scale, (r.y - v.y) * v.scale, r.w * v.scale, r.h * v.scale};
}

bool meets(const Rect& a, const Rect& b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

bool within(const Rect& a, const Rect& b) {
  return a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h;
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

  Omitted run() {
    if (v_.texts) placeTexts();
    for (const Grid& g : figure_.grids) grid(g);
    for (std::size_t k = 0; k < figure_.marks.size(); ++k) mark(figure_.marks[k], k < sizes_.size() ? sizes_[k] : 0);
    return omitted_;
  }

 private:
  // The type size of each text beside grids, 0 if it is not drawn. A text that would be too small keeps the least size
  // where that has room: names of grids stay when a picture is zoomed out.
  void placeTexts() {
    sizes_.assign(figure_.marks.size(), 0.0);
    std::vector<std::vector<std::size_t>> small;  // the lines of a paragraph together
    std::size_t count = 0;
    for (std::size_t k = 0; k < figure_.marks.size(); ++k) {
      const Mark& m = figure_.marks[k];
      if (m.kind != Mark::Kind::Text || m.text.empty()) continue;
      if (readable(m.size * v_.scale, unit_)) {
        sizes_[k] = m.size * v_.scale;
        texts_.push_back(toDevice(extentOf(m), v_));
        continue;
      }
      ++count;
      const bool same = !small.empty() && small.back().back() + 1 == k && continues(figure_.marks[k - 1], m);
      if (!same) small.emplace_back();
      small.back().push_back(k);
    }
    constexpr std::size_t kMostPlaced = 400;  // each is compared with every other
    omitted_.texts = count > kMostPlaced;
    if (omitted_.texts) return;
    // The largest first: titles before remarks.
    std::ranges::stable_sort(small, [&](const auto& one, const auto& other) {
      return figure_.marks[one.front()].size > figure_.marks[other.front()].size;
    });
    for (const std::vector<std::size_t>& lines : small) omitted_.texts |= !placeSmall(lines);
  }

  // Whether a text is the next line of a paragraph.
  static bool continues(const Mark& above, const Mark& below) {
    const double down = below.rect.y + below.rect.h / 2 - above.rect.y - above.rect.h / 2;
    return above.kind == Mark::Kind::Text && above.size == below.size && above.face == below.face &&
           above.align == below.align && above.rect.x == below.rect.x && down > 0 && down < 2 * below.size;
  }

  // Gives all these lines the least size, or none.
  bool placeSmall(const std::vector<std::size_t>& lines) {
    const std::size_t before = texts_.size();
    for (const std::size_t k : lines) {
      const Mark& m = figure_.marks[k];
      const double size = kLeastText * unit_;
      const Rect was = toDevice(extentOf(m), v_);
      Rect r = was;
      r.w = textWidth(m.text, m.face, size);
      r.h = size * 1.1;
      r.x = m.align == Align::Left ? was.x : m.align == Align::Right ? was.x + was.w - r.w : was.x + (was.w - r.w) / 2;
      r.y = was.y + (was.h - r.h) / 2;
      if (!hasRoom(r, was)) {
        texts_.resize(before);
        return false;
      }
      texts_.push_back(r);
    }
    for (const std::size_t k : lines) sizes_[k] = kLeastText * unit_;
    return true;
  }

  // Whether a text that was in `was` can be in `r`: inside the picture and inside the box around it, over no cells and
  // no other text.
  [[nodiscard]] bool hasRoom(const Rect& r, const Rect& was) const {
    if (!within(r, v_.clip) || blocked(r, nullptr)) return false;
    return std::ranges::none_of(figure_.marks, [&](const Mark& m) {
      if (m.kind != Mark::Kind::Rectangle) return false;
      const Rect box = toDevice(m.rect, v_);
      return meets(box, r) && !within(r, box) && (within(was, box) || !meets(was, box));
    });
  }

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
    const bool detailed = v_.texts && std::min(cw, ch) >= std::min(8.0, v_.minLabel);
    form_ = detailed ? formOf(g) : LabelForm{};
    const bool half = form_.kind == LabelForm::Kind::First || form_.kind == LabelForm::Kind::FirstNumber;
    omitted_.labels |= form_.kind == LabelForm::Kind::None && hasLabels(g);
    omitted_.parts |= half && g.secondChars > 0;
    if (detailed) details(g, w);
    boundaries(g, w);
    lights(g, w);
    if (g.headers && v_.texts) headers(g, w);
  }

  void fills(const Grid& g, const Window& w) {
    const double cw = g.cellWidth * v_.scale, ch = g.cellHeight * v_.scale;
    CellBlock block;
    block.grid = &g;
    block.theme = theme_;
    // Below one device unit per cell, a spot of one and a half to three units represents a block of cells.
    const auto side = [](double pitch) { return pitch >= 1 ? i64{1} : blockSide(1.5 / pitch); };
    const i64 down = side(ch), across = side(cw);
    block.down = down;
    block.across = across;
    block.row0 = w.row0 / down * down;
    block.row1 = std::min(g.rows, (w.row1 + down - 1) / down * down);
    block.col0 = w.col0 / across * across;
    block.col1 = std::min(g.cols, (w.col1 + across - 1) / across * across);
    const Rect a = cellRect(g, block.row0, block.col0), b = cellRect(g, block.row1 - 1, block.col1 - 1);
    block.where = {a.x, a.y, b.x + b.w - a.x, b.y + b.h - a.y};
    block.width = static_cast<int>((block.col1 - block.col0 + across - 1) / across);
    block.height = static_cast<int>((block.row1 - block.row0 + down - 1) / down);
    block.gap = std::min(cw, ch) >= v_.minBorder
                    ? std::clamp(std::min(cw, ch) * 0.06, 0.5, 1.5 * std::max(1.0, v_.scale * 0.6))
                    : 0;
    out_.cells(block);
  }

  // Labels and hatching, cell by cell.
  void details(const Grid& g, const Window& w) {
    for (i64 r = w.row0; r < w.row1; ++r)
      for (i64 c = w.col0; c < w.col1; ++c) {
        const Cell cell = g.cells->cell(r, c);
        if (cell.paint.role == Role::Padding) padding(cellRect(g, r, c));
        if (cell.lit) {
          litCell(g, r, c, cell);
        } else {
          label(cellRect(g, r, c), cell, false);
        }
      }
  }

  // The block of fills paints padding solid, as it looks from afar; up close it is empty except for hatching.
  void padding(const Rect& r) {
    out_.rect(r, canvas(theme_), {}, 0, 0);
    out_.hatch(inner(r), color(Role::Padding));
  }

  Rect inner(const Rect& r) const {
    const double gap = std::clamp(std::min(r.w, r.h) * 0.04, 0.3, 1.0);
    return {r.x + gap, r.y + gap, r.w - 2 * gap, r.h - 2 * gap};
  }

  [[nodiscard]] LabelForm formOf(const Grid& g) const {
    return labelForm(g, g.cellWidth * v_.scale, g.cellHeight * v_.scale, kLeastText * unit_);
  }

  void label(const Rect& r, const Cell& cell, bool lit) {
    if (cell.label.empty() || form_.kind == LabelForm::Kind::None) return;
    const Rgba fill = resolve(cell.paint, theme_, lit);
    const bool filled = fill.a > 0 && cell.paint.role != Role::Padding;
    Rgba ink = filled ? labelOn(fill) : color(Role::Faint);
    if (cell.paint.role == Role::Faded) ink.a = 120;
    // A second line that the grid did not declare is drawn if the cell is high enough.
    const bool two =
        !cell.second.empty() &&
        (form_.kind == LabelForm::Kind::TwoLines ||
         (form_.kind == LabelForm::Kind::First && readable(std::min(form_.size, r.h * 0.4) * kSecondLine, unit_)));
    const double room = labelRoom(r.w);
    const auto line = [&](const std::string& text, double size, double at) {
      const double wide = textWidth(text, Face::Mono, size);
      if (wide > room) size *= room / wide;
      if (!readable(size, unit_)) {
        omitted_.parts = true;
        return;
      }
      out_.text(r.x + r.w / 2, r.y + r.h * at, text, ink, size, lit ? Face::MonoBold : Face::Mono, Align::Center);
    };
    const double size = two ? std::min(form_.size, r.h * 0.4) : form_.size;
    line(labelText(cell, form_.kind), size, two ? 0.34 : 0.5);
    if (!two) return;
    ink.a = static_cast<std::uint8_t>(ink.a * 0.75);
    line(cell.second, size * kSecondLine, 0.73);
  }

  void litCell(const Grid& g, i64 row, i64 col, Cell cell) {
    Rect r = cellRect(g, row, col);
    // Show points smaller than a pixel.
    const double least = 4;
    if (r.w < least) r = {r.x + r.w / 2 - least / 2, r.y, least, r.h};
    if (r.h < least) r = {r.x, r.y + r.h / 2 - least / 2, r.w, least};
    const bool group =
        cell.paint.role == Role::Group || cell.paint.role == Role::Faded || cell.paint.role == Role::Heat;
    if (!group) cell.paint = {Role::Lit, 0, 0, 0};
    if (cell.paint.role == Role::Faded) cell.paint.role = Role::Group;
    out_.rect(inner(r), resolve(cell.paint, theme_, true), color(Role::Text), 1.5, std::min(3.0, r.w * 0.12));
    label(r, cell, true);
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

  // Whether a text, or the cells of another grid, is there.
  [[nodiscard]] bool blocked(const Rect& r, const Grid* of) const {
    return std::ranges::any_of(texts_, [&](const Rect& t) { return meets(t, r); }) ||
           std::ranges::any_of(figure_.grids,
                               [&](const Grid& g) { return &g != of && meets(toDevice(g.bounds(), v_), r); });
  }

  // The position of a grid's headers; everything else follows from their type size.
  struct HeaderPlace {
    double size = 0, wide = 0;  // of the type; of the widest row number
    double top = 0, left = 0;
    bool overTop = false, overLeft = false;  // on a band along the edge of the clip
    Rect first;                              // first visible cell
  };
  [[nodiscard]] HeaderPlace placeHeaders(const Grid& g, const Window& w, double size) const {
    HeaderPlace p;
    p.size = size;
    p.first = cellRect(g, w.row0, w.col0);
    p.wide = std::max(textWidth(g.cells->rowHeader(w.row1 - 1), Face::Mono, size),
                      textWidth(g.cells->rowHeader(w.row0), Face::Mono, size));
    const double leastTop = v_.clip.y + size + 6, leastLeft = v_.clip.x + p.wide + 12;
    p.top = std::max(p.first.y, leastTop);
    p.left = std::max(p.first.x, leastLeft);
    p.overTop = p.first.y < leastTop && g.cellHeight * v_.scale * static_cast<double>(g.rows) > 4 * size;
    p.overLeft =
        p.first.x < leastLeft && p.wide > 0 && g.cellWidth * v_.scale * static_cast<double>(g.cols) > 4 * p.wide;
    return p;
  }
  // The largest size at which no header overlaps a text beside the grid; 0 if there is none.
  [[nodiscard]] double headerSize(const Grid& g, const Window& w) const {
    const Rect last = cellRect(g, w.row1 - 1, w.col1 - 1);
    // Columns without names need no space above.
    const bool unnamed =
        g.colTitle.empty() && g.cells->colHeader(w.col0).empty() && g.cells->colHeader(w.col1 - 1).empty();
    for (double size = headerSizeAt(v_.scale, unit_); readable(size, unit_); size -= 0.25 * unit_) {
      const HeaderPlace p = placeHeaders(g, w, size);
      const double above = g.colTitle.empty() ? 1.5 : 3.1;
      const Rect over{p.left, p.top - above * size, last.x + last.w - p.left, above * size - 1},
          beside{p.left - 8 - p.wide, p.top, p.wide, last.y + last.h - p.top};
      if ((p.overTop || unnamed || !blocked(over, &g)) && (p.overLeft || !blocked(beside, &g))) return size;
    }
    return 0;
  }

  // Row and column headers, thinned so that they never overlap. If the grid is scrolled, or has too little space beside
  // it, they are on a band along the edge of the clip.
  void headers(const Grid& g, const Window& w) {
    const HeaderPlace p = placeHeaders(g, w, headerSize(g, w));
    if (p.size == 0) return;
    const Rect last = cellRect(g, w.row1 - 1, w.col1 - 1);
    Rgba band = canvas(theme_);
    band.a = 225;
    const double right = std::min(last.x + last.w, v_.clip.x + v_.clip.w);
    const double bottom = std::min(last.y + last.h, v_.clip.y + v_.clip.h);
    const auto cover = [&](const Rect& r) {
      out_.rect(r, band, {}, 0, 0);
      bands_.push_back(r);
    };
    if (p.overTop) cover({v_.clip.x, p.top - p.size - 6, right - v_.clip.x, p.size + 6});
    if (p.overLeft) cover({v_.clip.x, p.top, p.left - v_.clip.x - 4, bottom - p.top});
    numbers(g, w, p);
    if (!p.overTop && !p.overLeft) titles(g, w, p);
  }

  // Draws a header if its place is free and then marks the place as used, so that headers overlap neither texts nor
  // each other. On a band along the edge (over) they cover what is below.
  void header(const Grid& g, double x, double y, const std::string& text, Rgba ink, double size, Face face, Align align,
              bool over) {
    const double w = textWidth(text, face, size);
    const Rect r{align == Align::Left ? x : align == Align::Center ? x - w / 2 : x - w, y - size * 0.4, w, size * 0.8};
    if (text.empty() || (!over && blocked(r, &g))) return;
    texts_.push_back(r);
    out_.text(x, y, text, ink, size, face, align);
  }

  void numbers(const Grid& g, const Window& w, const HeaderPlace& p) {
    const Rgba faint = color(Role::Faint);
    const double widest = std::max(textWidth(g.cells->colHeader(w.col1 - 1), Face::Mono, p.size),
                                   textWidth(g.cells->colHeader(w.col0), Face::Mono, p.size));
    const i64 cs = blockSide((widest + p.size * 0.6) / (g.cellWidth * v_.scale));
    for (i64 c = (w.col0 + cs - 1) / cs * cs; c < w.col1; c += cs) {
      const Rect r = cellRect(g, w.row0, c);
      if (p.overLeft && r.x + r.w / 2 - widest / 2 < p.left - 4) continue;
      header(g, r.x + r.w / 2, p.top - p.size * 0.95, g.cells->colHeader(c), faint, p.size, Face::Mono, Align::Center,
             p.overTop);
    }
    const i64 rs = blockSide(p.size * 1.35 / (g.cellHeight * v_.scale));
    for (i64 r = (w.row0 + rs - 1) / rs * rs; r < w.row1; r += rs) {
      const Rect at = cellRect(g, r, w.col0);
      if (p.overTop && at.y + at.h / 2 < p.top + p.size / 2) continue;
      header(g, p.left - 8, at.y + at.h / 2, g.cells->rowHeader(r), faint, p.size, Face::Mono, Align::Right,
             p.overLeft);
    }
  }

  void titles(const Grid& g, const Window& w, const HeaderPlace& p) {
    const Rgba muted = color(Role::Muted);
    if (!g.colTitle.empty())
      header(g, p.first.x, p.top - p.size * 2.5, g.colTitle, muted, p.size, Face::Sans, Align::Left, false);
    if (g.rowTitle.empty()) return;
    // Without room beside the numbers, the title goes above them, level with the columns' title.
    const bool beside = p.left - 16 - p.wide - textWidth(g.rowTitle, Face::Sans, p.size) >= v_.clip.x;
    const double y = beside ? cellRect(g, w.row0, w.col0).y + g.cellHeight * v_.scale / 2 : p.top - p.size * 2.5;
    header(g, beside ? p.left - 16 - p.wide : p.left - 8, y, g.rowTitle, muted, p.size, Face::Sans, Align::Right,
           false);
  }

  void mark(const Mark& m, double textSize) {
    const Rect r = toDevice(m.rect, v_);
    const bool lit = m.point.real() && std::ranges::find(lit_, m.point) != lit_.end();
    if (m.kind == Mark::Kind::Rectangle) {
      if (!meets(r, v_.clip)) return;
      if (m.fill.role == Role::Padding) {
        out_.hatch(r, color(Role::Padding));
        return;
      }
      out_.rect(r, resolve(m.fill, theme_, lit), lit ? color(Role::Text) : resolve(m.stroke, theme_),
                m.width * std::max(1.0, v_.scale * 0.7), m.radius * v_.scale);
    } else if (m.kind == Mark::Kind::Text) {
      const double size = textSize;
      if (size == 0) return;
      const Rect at = toDevice(extentOf(m), v_);
      if (std::ranges::any_of(bands_, [&](const Rect& b) { return meets(b, at); })) return;  // it would be over numbers
      Rgba ink = m.fill.role == Role::None ? color(Role::Text) : resolve(m.fill, theme_);
      // A text on a coloured box requests contrast by having the box's paint as its own.
      if (m.fill.role == Role::Group || m.fill.role == Role::BitRead || m.fill.role == Role::BitWrite ||
          m.fill.role == Role::Lit || m.fill.role == Role::Heat || m.fill.role == Role::Shade)
        ink = labelOn(resolve(m.fill, theme_, lit));
      const double x = m.align == Align::Left ? r.x : m.align == Align::Right ? r.x + r.w : r.x + r.w / 2;
      out_.text(x, r.y + r.h / 2, m.text, ink, size, m.face, m.align);
    } else {
      const Rgba c = m.fill.role == Role::None ? color(Role::Faint) : resolve(m.fill, theme_);
      out_.line(r.x, r.y, r.x + r.w, r.y + r.h, c, m.width * std::max(0.6, v_.scale), m.kind == Mark::Kind::Arrow);
    }
  }

  // Whether its cells have labels at any size.
  static bool hasLabels(const Grid& g) { return labelSize(g) > 0; }

  const Figure& figure_;
  const View& v_;
  const double unit_ = v_.minLabel / 22;  // the interface's scale
  Omitted omitted_;
  Theme theme_;
  Painter& out_;
  std::vector<Point> lit_;
  std::vector<double> sizes_;  // of texts, by mark
  LabelForm form_;             // of the grid being drawn
  std::vector<Rect> texts_;    // kept clear of headers
  std::vector<Rect> bands_;    // numbers over the picture
  const std::vector<std::vector<Point>>& grids_;
};

// A colour over the canvas.
Rgba flattened(Rgba c, Rgba background) {
  if (c.a == 255) return c;
  const auto mix = [&](int a, int b) { return static_cast<std::uint8_t>((a * c.a + b * (255 - c.a) + 127) / 255); };
  return {mix(c.r, background.r), mix(c.g, background.g), mix(c.b, background.b), 255};
}

// The first cell and the number of cells of pixel k, for an image of `cells` cells from `from` on.
struct Span {
  i64 begin, cells;
};
Span spanOf(i64 from, i64 cells, i64 side, int pixels, int k, i64 limit) {
  const double per = static_cast<double>(cells) / pixels;
  if (side == 0) {
    const i64 guess = blockSide(per);
    if (from % guess == 0 && (cells + guess - 1) / guess == pixels) side = guess;
  }
  if (side > 1) return {from + k * side, side};
  if (per <= 1) return {std::min(limit - 1, from + static_cast<i64>((k + 0.5) * per)), 1};
  const i64 begin = from + static_cast<i64>(k * per);
  return {std::min(begin, limit - 1), std::max<i64>(1, from + static_cast<i64>((k + 1) * per) - begin)};
}

}  // namespace

Omitted paintScene(const Figure& figure, const View& view, Theme theme, const Lights& lights, Painter& painter) {
  return ScenePainter(figure, view, theme, lights, painter).run();
}

ExtentAt::ExtentAt(const Figure& figure) : x1_(figure.width), y1_(figure.height) {
  for (const Mark& m : figure.marks) {
    const Rect r = extentOf(m);
    x0_ = std::min(x0_, r.x);
    y0_ = std::min(y0_, r.y);
    x1_ = std::max(x1_, r.x + r.w);
    y1_ = std::max(y1_, r.y + r.h);
  }
  for (const Grid& g : figure.grids) {
    GridPart part;
    part.bounds = g.bounds();
    part.headers = g.headers && g.cells && g.rows > 0 && g.cols > 0;
    part.columnTitle = !g.colTitle.empty();
    if (part.headers) {
      part.rowWidth = std::max(textWidth(g.cells->rowHeader(0), Face::Mono, 1),
                               textWidth(g.cells->rowHeader(g.rows - 1), Face::Mono, 1));
      part.titleWidth = textWidth(g.rowTitle, Face::Sans, 1);
    }
    grids_.push_back(part);
  }
}

Rect ExtentAt::operator()(double scale, double unit) const {
  double x0 = x0_ * scale, y0 = y0_ * scale, x1 = x1_ * scale, y1 = y1_ * scale;
  const double size = headerSizeAt(scale, unit);
  for (const GridPart& g : grids_) {
    const Rect& b = g.bounds;
    double left = 0, top = 0;
    if (g.headers) {  // as ScenePainter::placeHeaders and titles need it
      left = 12.5 + g.rowWidth * size + (g.titleWidth > 0 ? 8 + g.titleWidth * size : 0);
      top = std::max(size + 6.5, g.columnTitle ? 3.2 * size : 0.0);
    }
    x0 = std::min(x0, b.x * scale - left);
    y0 = std::min(y0, b.y * scale - top);
    x1 = std::max(x1, (b.x + b.w) * scale);
    y1 = std::max(y1, (b.y + b.h) * scale);
  }
  return {x0, y0, x1 - x0, y1 - y0};
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

std::vector<Rgba> sampleCells(const CellBlock& block) {
  constexpr int kThreadPixels = 20'000;  // with fewer pixels a thread does not pay off
  const Grid& g = *block.grid;
  const Rgba background = canvas(block.theme);
  std::vector<Rgba> pixels(static_cast<std::size_t>(block.width) * static_cast<std::size_t>(block.height));
  inBands(block.height, static_cast<i64>(pixels.size()) / kThreadPixels, [&](i64 from, i64 to) {
    for (i64 y = from; y < to; ++y) {
      const Span row =
          spanOf(block.row0, block.row1 - block.row0, block.down, block.height, static_cast<int>(y), g.rows);
      Rgba* out = &pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(block.width)];
      for (int x = 0; x < block.width; ++x) {
        const Span col = spanOf(block.col0, block.col1 - block.col0, block.across, block.width, x, g.cols);
        const Paint paint = row.cells == 1 && col.cells == 1
                                ? g.cells->paint(row.begin, col.begin)
                                : thinned(*g.cells, row.begin, col.begin, row.cells, col.cells, g.rows, g.cols);
        out[x] = flattened(resolve(paint, block.theme), background);
      }
    }
  });
  return pixels;
}

}  // namespace tessera
