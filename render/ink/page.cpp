#include "render/ink/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "render/figure/thinned.h"

namespace tessera {
namespace {

constexpr double kMargin = 20;

// Piecewise scaling of one coordinate: intervals of shrunk grids shrink, those between keep their size.
class Squeeze {
 public:
  void add(double begin, double length, double factor) { pieces_.push_back({begin, begin + length, factor}); }
  [[nodiscard]] double operator()(double v) const {
    double shift = 0, doneUpTo = -1e300;
    for (const Piece& p : pieces_) {
      const double begin = std::max(p.begin, doneUpTo);
      if (v <= begin || p.end <= begin) continue;
      shift += (std::min(v, p.end) - begin) * (1 - p.factor);
      doneUpTo = p.end;
    }
    return v - shift;
  }
  void finish() {
    std::ranges::sort(pieces_, [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  }

 private:
  struct Piece {
    double begin, end, factor;
  };
  std::vector<Piece> pieces_;
};

// The squares along one side of a grid: their number, the cells of each, and their size.
std::tuple<i64, i64, double> sideOf(i64 cells, double pitch, bool mustThin, i64 thinnedSide) {
  if (!mustThin && cells <= kMaxPaperSide) return {cells, 1, pitch};
  if (cells <= thinnedSide && static_cast<double>(cells) * pitch <= 1600) return {cells, 1, pitch};
  const i64 per = blockSide(static_cast<double>(cells) / static_cast<double>(thinnedSide));
  const i64 squares = (cells + per - 1) / per;
  return {squares, per, std::min(pitch, 768.0 / static_cast<double>(squares))};
}

void fillThinned(PageGrid& out, const Grid& grid, Theme theme) {
  constexpr i64 kThreadSquares = 20'000;  // with fewer squares a thread does not pay off
  inBands(out.rows, out.rows * out.cols / kThreadSquares, [&](i64 from, i64 to) {
    for (i64 r = from; r < to; ++r) {
      for (i64 c = 0; c < out.cols; ++c) {
        const i64 r0 = r * out.cellsPerRow, c0 = c * out.cellsPerCol;
        out.fill[out.at(r, c)] =
            resolve(thinned(*grid.cells, r0, c0, out.cellsPerRow, out.cellsPerCol, grid.rows, grid.cols), theme);
      }
    }
  });
}

void fillCells(PageGrid& out, const Grid& grid, Theme theme) {
  out.labelSize = labelSize(grid);
  const bool labelled = out.labelSize > 0;
  if (labelled) out.labels.resize(out.fill.size());
  int longest = 1, second = 0;
  eachCell(out.rows, out.cols, [&](i64 r, i64 c) {
    const std::size_t k = out.at(r, c);
    Cell cell = grid.cells->cell(r, c);
    const bool hatched = cell.paint.role == Role::Padding;
    out.quiet[k] = hatched ? PageGrid::kHatched : cell.paint.role == Role::Raised ? PageGrid::kFaint : PageGrid::kPlain;
    out.lit[k] = cell.lit;
    out.fill[k] = hatched ? Rgba{0, 0, 0, 0} : resolve(cell.paint, theme);
    if (!labelled) return;
    longest = std::max(longest, static_cast<int>(countCodePoints(cell.label)));
    if (!cell.second.empty()) {
      if (out.seconds.empty()) out.seconds.resize(out.fill.size());
      second = std::max(second, static_cast<int>(countCodePoints(cell.second)));
      out.seconds[k] = std::move(cell.second);
    }
    out.labels[k] = std::move(cell.label);
  });
  out.labelChars = longest;
  // A label longer than its grid declared must still fit its cell.
  out.labelSize =
      std::min(out.labelSize, (grid.cellWidth - 3) / (0.6 * std::max(1.0 * longest, kSecondLabel * second)));
}

void lightPoints(PageGrid& out, const Grid& grid, const Figure& figure, Theme theme) {
  for (const Point& p : figure.lit) {
    for (auto [r, c] : grid.cells->find(p, 64)) {
      const i64 row = r / out.cellsPerRow, col = c / out.cellsPerCol;
      if (row >= 0 && row < out.rows && col >= 0 && col < out.cols) out.lit[out.at(row, col)] = 1;
    }
  }
  eachCell(out.rows, out.cols, [&](i64 r, i64 c) {
    if (!out.lit[out.at(r, c)]) return;
    const Paint paint = grid.cells->paint(r * out.cellsPerRow, c * out.cellsPerCol);
    const bool coloured = paint.role == Role::Group || paint.role == Role::Heat;
    out.fill[out.at(r, c)] = resolve(coloured ? paint : Paint{Role::Lit}, theme, true);
  });
}

// Headers as marks; only every k-th one if the cells are narrower than their numbers.
void addHeaders(Figure& drawn, const PageGrid& out, const Grid& grid) {
  if (!grid.headers || grid.rows == 0 || grid.cols == 0) return;
  std::size_t chars = 1;
  for (i64 c : {i64{0}, grid.cols / 2, grid.cols - 1})
    chars = std::max(chars, countCodePoints(grid.cells->colHeader(c)));
  const double size = kType.small;
  const bool far = out.thinned();  // numbers at intervals instead of one per square
  const i64 colStep = blockSide((0.6 * size * static_cast<double>(chars) + (far ? 30 : 5)) / out.pitchX);
  const i64 rowStep = blockSide((far ? 44 : size * 1.2) / out.pitchY);
  for (i64 c = 0; c < out.cols; c += colStep)
    addText(drawn, out.x + (static_cast<double>(c) + 0.5) * out.pitchX, out.y - 10,
            grid.cells->colHeader(c * out.cellsPerCol), size, Face::Mono, Role::Faint, Align::Center);
  for (i64 r = 0; r < out.rows; r += rowStep)
    addText(drawn, out.x - 7, out.y + (static_cast<double>(r) + 0.5) * out.pitchY,
            grid.cells->rowHeader(r * out.cellsPerRow), size, Face::Mono, Role::Faint, Align::Right);
  if (!grid.rowTitle.empty())
    addText(drawn, out.x - 7, out.y - 10, grid.rowTitle, size, Face::Sans, Role::Muted, Align::Right);
  if (!grid.colTitle.empty()) addText(drawn, out.x, out.y - 24, grid.colTitle, size, Face::Sans, Role::Muted);
}

std::string thinnedNote(const PageGrid& g) {
  return fmt::format("Each square{} represents {} x {} cells, in the colour of one of them.",
                     g.name.empty() ? "" : " of " + g.name, g.cellsPerRow, g.cellsPerCol);
}

struct Frame {
  Figure drawn;
  double top = 0, bottom = 0, width = 0;
};

// Title, subtitle and badges above, caption below; in page coordinates, with the caption's y relative to the content's
// end.
Frame frameOf(const Figure& figure, const std::string& notes, double contentWidth) {
  Frame f;
  const std::string caption = figure.caption + (figure.caption.empty() || notes.empty() ? "" : " ") + notes;
  const double wanted = std::max(textWidth(figure.title, Face::SansMedium, kType.title),
                                 textWidth(figure.subtitle, Face::Mono, kType.subtitle));
  const double captionWidth = std::min(520.0, textWidth(caption, Face::Sans, kType.caption));
  f.width = std::max({contentWidth, std::min(wanted, 640.0), captionWidth + 1});
  double y = kMargin;
  if (!figure.title.empty()) {
    addFitted(f.drawn, kMargin, y + 9, f.width, figure.title, kType.title, Face::SansMedium, Role::Text);
    y += 22;
  }
  if (!figure.subtitle.empty()) {
    double size = kType.subtitle;
    while (size > 9 && textWidth(figure.subtitle, Face::Mono, size) > f.width) size -= 0.5;
    addFitted(f.drawn, kMargin, y + 8, f.width, figure.subtitle, size, Face::Mono, Role::Muted);
    y += 20;
  }
  if (!figure.badges.empty()) y += 4 + addBadges(f.drawn.marks, figure.badges, kMargin, y + 4, f.width);
  f.top = y + (f.drawn.marks.empty() ? 0 : 10);
  double below = 0;
  for (const std::string& line : wrapped(caption, Face::Sans, kType.caption, std::max(f.width, 200.0))) {
    if (below == 0) below = 16;
    addText(f.drawn, kMargin, 1e7 + below + 8, line, kType.caption, Face::Sans, Role::Muted);
    below += 17;
  }
  f.bottom = below + kMargin;
  return f;
}

// The cell limit of each of the figure's grids, such that all together have at most twice maxCells: sixteen slices of a
// tensor do not become sixteen full pages.
i64 shareOf(const Figure& figure, i64 maxCells) {
  double total = 0;
  for (const Grid& grid : figure.grids)
    total += std::min(static_cast<double>(grid.rows) * static_cast<double>(grid.cols), static_cast<double>(maxCells));
  if (total <= 2 * static_cast<double>(maxCells)) return maxCells;
  return std::max<i64>(1, 2 * maxCells / static_cast<i64>(figure.grids.size()));
}

}  // namespace

Rgba PageGrid::labelColour(std::size_t k, Theme theme) const {
  if (lit[k] == 0 && quiet[k] != kPlain) return resolve({quiet[k] == kHatched ? Role::Muted : Role::Faint}, theme);
  return labelOn(fill[k].a < 255 ? canvas(theme) : fill[k]);
}

Rect PageGrid::square(i64 row, i64 col) const {
  const double g = gap / 2, extra = gap > 0 ? 1.25 : 0;
  const bool left = colGroup > 0 && col > 0 && col % colGroup == 0;
  const bool right = colGroup > 0 && col + 1 < cols && (col + 1) % colGroup == 0;
  const bool top = rowGroup > 0 && row > 0 && row % rowGroup == 0;
  const bool bottom = rowGroup > 0 && row + 1 < rows && (row + 1) % rowGroup == 0;
  const double x0 = x + static_cast<double>(col) * pitchX + g + (left ? extra : 0);
  const double y0 = y + static_cast<double>(row) * pitchY + g + (top ? extra : 0);
  const double x1 = x + static_cast<double>(col + 1) * pitchX - g - (right ? extra : 0);
  const double y1 = y + static_cast<double>(row + 1) * pitchY - g - (bottom ? extra : 0);
  return {x0, y0, x1 - x0, y1 - y0};
}

Rect litSquare(Rect s) {
  if (s.w < 3) s = {s.x - (3 - s.w) / 2, s.y, 3, s.h};
  if (s.h < 3) s = {s.x, s.y - (3 - s.h) / 2, s.w, 3};
  return s;
}

ArrowHead headOf(const Mark& m) {
  const double x1 = m.rect.x + m.rect.w, y1 = m.rect.y + m.rect.h;
  const double length = std::max(1e-9, std::hypot(m.rect.w, m.rect.h));
  const double ux = m.rect.w / length * 5, uy = m.rect.h / length * 5;
  return {x1 - ux + uy * 0.6, y1 - uy - ux * 0.6, x1 - ux - uy * 0.6, y1 - uy + ux * 0.6};
}

Page makePage(const Figure& figure, const InkOptions& options, i64 maxCells) {
  Page page;
  maxCells = shareOf(figure, maxCells);
  page.theme = options.theme;
  page.transparent = options.transparent;
  const i64 side = std::max<i64>(1, std::min(kThinnedSide, static_cast<i64>(std::sqrt(static_cast<double>(maxCells)))));
  Squeeze squeezeX, squeezeY;
  for (const Grid& grid : figure.grids) {
    const bool tooMany =
        static_cast<double>(grid.rows) * static_cast<double>(grid.cols) > static_cast<double>(maxCells);
    PageGrid& out = page.grids.emplace_back();
    out.name = grid.name;
    std::tie(out.rows, out.cellsPerRow, out.pitchY) = sideOf(grid.rows, grid.cellHeight, tooMany, side);
    std::tie(out.cols, out.cellsPerCol, out.pitchX) = sideOf(grid.cols, grid.cellWidth, tooMany, side);
    const Rect b = grid.bounds();
    if (b.w > 0) squeezeX.add(b.x, b.w, out.pitchX * static_cast<double>(out.cols) / b.w);
    if (b.h > 0) squeezeY.add(b.y, b.h, out.pitchY * static_cast<double>(out.rows) / b.h);
  }
  squeezeX.finish();
  squeezeY.finish();

  std::string notes;
  Figure headers;
  for (std::size_t k = 0; k < figure.grids.size(); ++k) {
    const Grid& grid = figure.grids[k];
    PageGrid& out = page.grids[k];
    out.x = squeezeX(grid.x);
    out.y = squeezeY(grid.y);
    const double small = std::min(out.pitchX, out.pitchY);
    out.gap = small >= 12 ? 1.5 : small >= 6 ? 0.75 : 0;
    if (out.cellsPerRow == 1) out.rowGroup = grid.rowGroup;
    if (out.cellsPerCol == 1) out.colGroup = grid.colGroup;
    out.fill.resize(out.at(out.rows, 0));
    out.lit.resize(out.fill.size());
    out.quiet.resize(out.fill.size());
    if (out.thinned()) {
      fillThinned(out, grid, options.theme);
      notes += (notes.empty() ? "" : " ") + thinnedNote(out);
    } else {
      fillCells(out, grid, options.theme);
    }
    lightPoints(out, grid, figure, options.theme);
    addHeaders(headers, out, grid);
  }

  const double contentWidth = squeezeX(figure.width), contentHeight = squeezeY(figure.height);
  const Frame frame = options.frame ? frameOf(figure, notes, contentWidth) : Frame{{}, kMargin, kMargin, contentWidth};
  for (PageGrid& g : page.grids) {
    g.x += kMargin;
    g.y += frame.top;
  }
  auto move = [&](Mark m, bool squeezed) {
    if (squeezed) {
      const double x1 = squeezeX(m.rect.x + m.rect.w), y1 = squeezeY(m.rect.y + m.rect.h);
      m.rect.x = squeezeX(m.rect.x);
      m.rect.y = squeezeY(m.rect.y);
      m.rect.w = x1 - m.rect.x;
      m.rect.h = y1 - m.rect.y;
    }
    m.rect.x += kMargin;
    m.rect.y += frame.top;
    if (m.point.real() && std::ranges::find(figure.lit, m.point) != figure.lit.end() &&
        m.kind == Mark::Kind::Rectangle) {
      m.fill = {Role::Lit};
    }
    page.marks.push_back(std::move(m));
  };
  for (Mark& m : headers.marks) move(std::move(m), false);
  for (const Mark& m : figure.marks) move(m, true);
  for (Mark m : frame.drawn.marks) {
    if (m.rect.y > 1e6) m.rect.y += frame.top + contentHeight - 1e7;
    page.marks.push_back(std::move(m));
  }
  page.width = frame.width + 2 * kMargin;
  page.height = frame.top + contentHeight + frame.bottom;
  return page;
}

Figure framed(const Figure& figure) {
  const Frame frame = frameOf(figure, "", figure.width);
  Figure out;
  addMoved(out, figure, kMargin, frame.top, "");
  for (Mark m : frame.drawn.marks) {
    if (m.rect.y > 1e6) m.rect.y += frame.top + figure.height - 1e7;
    out.marks.push_back(std::move(m));
  }
  out.lit = figure.lit;
  out.width = frame.width + 2 * kMargin;
  out.height = frame.top + figure.height + frame.bottom;
  return out;
}

std::string validUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t k = 0; k < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[k]);
    const std::size_t n = c < 0x80 ? 1 : (c >> 5) == 6 ? 2 : (c >> 4) == 14 ? 3 : (c >> 3) == 30 ? 4 : 0;
    bool good = n > 0 && k + n <= text.size();
    std::uint32_t code = n == 1 ? c : c & (0xffu >> (n + 1));
    for (std::size_t j = 1; good && j < n; ++j) {
      const unsigned char next = static_cast<unsigned char>(text[k + j]);
      good = (next & 0xc0) == 0x80;
      code = (code << 6) | (next & 0x3fu);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (good) {
      good = code >= kLeast[n] && code < 0x110000 && !(code >= 0xd800 && code < 0xe000) && (code & 0xfffe) != 0xfffe &&
             (code >= 0x20 || code == '\t' || code == '\n') && code != 0x7f;
    }
    out += good ? text.substr(k, n) : std::string_view("\ufffd");
    k += good ? n : 1;
  }
  return out;
}

std::string xmlEscaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= 32 && c < 127; });
  for (char c : plain ? std::string(text) : validUtf8(text)) {
    constexpr std::string_view kSpecial = "&<>\"", kEscaped[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    const std::size_t k = kSpecial.find(c);
    out += k == std::string_view::npos ? std::string_view(&c, 1) : kEscaped[k];
  }
  return out;
}

}  // namespace tessera
