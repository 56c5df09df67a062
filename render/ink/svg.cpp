// Compact handwritten SVG: cells of one colour are one path, adjacent cells of one colour one run, and a repeated
// pattern (as in swizzles) is drawn once and placed with <use>.
//
// Two ways to draw a grid:
//   few cells   a rounded rectangle per cell and a centred text per label;
//   many cells  runs of colour, with the gaps drawn over them as lines, and one monospaced text per row of labels,
//               padded to equal numbers of characters; the type size makes their width the pitch of the cells.
// So Sw<3,3,3> o (512,512):(512,1) with its 262,144 labels takes 1.9 MB, and without them 40 kB.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "render/figure/text_metrics.h"
#include "render/ink/page.h"

namespace tessera {
namespace {

constexpr std::size_t kRoundedCells = 4096;   // above: runs
constexpr std::size_t kSingleLabels = 16384;  // above: one text per row
constexpr std::size_t kMaxBytes = 1990000;    // labels that would exceed it are omitted
constexpr double kCanvasLimit = 2400;         // larger pictures are displayed scaled, with unchanged coordinates

// The shortest decimal with at most two places, without a leading zero.
std::string number(double v) {
  const i64 h = std::llround(v * 100);
  const u64 a = static_cast<u64>(h < 0 ? -h : h), f = a % 100;
  std::string out = h < 0 ? "-" : "";
  if (a >= 100 || a == 0) out += fmt::format("{}", a / 100);
  if (f == 0) return out;
  out += '.';
  out += static_cast<char>('0' + f / 10);
  if (f % 10 != 0) out += static_cast<char>('0' + f % 10);
  return out;
}

std::string hex(Rgba c) {
  if (c.r % 17 == 0 && c.g % 17 == 0 && c.b % 17 == 0)
    return fmt::format("#{:x}{:x}{:x}", c.r / 17, c.g / 17, c.b / 17);
  return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b);
}

u64 key(Rgba c) { return (u64{c.r} << 24) | (u64{c.g} << 16) | (u64{c.b} << 8) | c.a; }

std::string fillAttributes(Rgba c) {
  return c.a == 255 ? fmt::format("fill=\"{}\"", hex(c))
                    : fmt::format("fill=\"{}\" fill-opacity=\"{}\"", hex(c), number(c.a / 255.0));
}

void roundedRect(std::string& out, const Rect& r, double radius) {
  const double k = std::min({radius, r.w / 2, r.h / 2});
  out += 'M' + number(r.x + k) + ' ' + number(r.y);
  const std::string s = number(k), m = number(-k);
  out += 'h' + number(r.w - 2 * k) + "q" + s + " 0 " + s + ' ' + s + 'v' + number(r.h - 2 * k) + "q0 " + s + ' ' + m +
         ' ' + s;
  out += 'h' + number(2 * k - r.w) + "q" + m + " 0 " + m + ' ' + m + 'v' + number(2 * k - r.h) + "q0 " + m + ' ' + s +
         ' ' + m + 'z';
}

// The smallest p that divides n with h[i] == h[i+p] for all i.
std::size_t periodOf(const std::vector<u64>& h) {
  const std::size_t n = h.size();
  std::vector<std::size_t> fail(n + 1, 0);
  for (std::size_t i = 1, k = 0; i < n; ++i) {
    while (k > 0 && h[i] != h[k]) k = fail[k];
    if (h[i] == h[k]) ++k;
    fail[i + 1] = k;
  }
  const std::size_t p = n - fail[n];
  return p > 0 && n % p == 0 ? p : n;
}

u64 mixed(u64 h, u64 v) { return (h ^ v) * 0x9e3779b97f4a7c15ULL + (h >> 29); }

class GridWriter {
 public:
  GridWriter(const PageGrid& grid, Theme theme, int id, std::string& out)
      : g_(grid), theme_(theme), id_(id), out_(out) {}

  void write() {
    if (g_.fill.empty()) return;
    out_ += fmt::format("<g transform=\"translate({} {})\">\n", number(g_.x), number(g_.y));
    if (g_.fill.size() <= kRoundedCells && g_.gap > 0) {
      roundedCells();
    } else {
      runs();
      gapLines();
    }
    hatching();
    litCells();
    if (!g_.labels.empty() && g_.labelSize >= 4) {
      if (g_.fill.size() <= kSingleLabels) {
        singleLabels();
      } else {
        rowLabels();
      }
    }
    out_ += "</g>\n";
  }
  [[nodiscard]] bool labelsLeftOut() const { return labelsLeftOut_; }

 private:
  [[nodiscard]] Rect local(i64 r, i64 c) const {
    const Rect s = g_.square(r, c);
    return {s.x - g_.x, s.y - g_.y, s.w, s.h};
  }
  [[nodiscard]] double radius() const { return std::min(3.0, g_.pitchY * 0.12); }

  void roundedCells() {
    std::map<u64, std::string> paths;
    eachCell(g_.rows, g_.cols, [&](i64 r, i64 c) {
      const Rgba f = resting(r, c);
      if (f.a != 0) roundedRect(paths[key(f)], local(r, c), radius());
    });
    for (const auto& [k, d] : paths) writePath(k, d);
  }

  void writePath(u64 k, const std::string& d) {
    const Rgba c{static_cast<std::uint8_t>(k >> 24), static_cast<std::uint8_t>(k >> 16),
                 static_cast<std::uint8_t>(k >> 8), static_cast<std::uint8_t>(k)};
    out_ += "<path " + fillAttributes(c) + " d=\"" + d + "\"/>\n";
  }

  // The colours as runs, in units of cells; repeated patterns are written once.
  void runs() {
    // The period of `lines` rows or columns, compared over `length` cells.
    const auto period = [&](i64 lines, i64 length, bool down) {
      std::vector<u64> hash(static_cast<std::size_t>(lines), 1);
      eachCell(lines, length, [&](i64 line, i64 k) {
        u64& h = hash[static_cast<std::size_t>(line)];
        h = mixed(h, key(down ? resting(line, k) : resting(k, line)));
      });
      return static_cast<i64>(periodOf(hash));
    };
    const i64 tileRows = period(g_.rows, g_.cols, true), tileCols = period(g_.cols, tileRows, false);
    const bool repeats = tileRows < g_.rows || tileCols < g_.cols;
    out_ += fmt::format("<g transform=\"scale({} {})\">", fmt::format("{:.6g}", g_.pitchX),
                        fmt::format("{:.6g}", g_.pitchY));
    if (repeats) out_ += fmt::format("<g id=\"s{}\"><g id=\"t{}\">", id_, id_);
    out_ += '\n';
    tile(tileRows, tileCols);
    if (repeats) {
      out_ += "</g>";
      for (i64 c = tileCols; c < g_.cols; c += tileCols)
        out_ += fmt::format("<use xlink:href=\"#t{}\" x=\"{}\"/>", id_, c);
      out_ += "</g>\n";
      for (i64 r = tileRows; r < g_.rows; r += tileRows)
        out_ += fmt::format("<use xlink:href=\"#s{}\" y=\"{}\"/>", id_, r);
    }
    out_ += "</g>\n";
  }

  [[nodiscard]] Rgba resting(i64 r, i64 c) const {
    const std::size_t k = g_.at(r, c);
    return g_.lit[k] ? Rgba{0, 0, 0, 0} : g_.fill[k];
  }

  void tile(i64 rows, i64 cols) {
    std::map<u64, std::string> paths;
    std::map<u64, std::pair<i64, i64>> pen;  // current point of each colour's path
    for (i64 r = 0; r < rows; ++r) {
      for (i64 c = 0; c < cols;) {
        const Rgba f = resting(r, c);
        i64 end = c + 1;
        while (end < cols && resting(r, end) == f) ++end;
        if (f.a != 0) {
          std::string& d = paths[key(f)];
          auto [it, fresh] = pen.try_emplace(key(f), 0, 0);
          d += fmt::format("{}{} {}h{}v1h{}z", fresh ? "M" : "m", c - it->second.first, r - it->second.second, end - c,
                           c - end);
          it->second = {c, r};
        }
        c = end;
      }
    }
    for (const auto& [k, d] : paths) writePath(k, d);
  }

  void gapLines() {
    if (g_.gap <= 0) return;
    const double w = static_cast<double>(g_.cols) * g_.pitchX, h = static_cast<double>(g_.rows) * g_.pitchY;
    for (bool wide : {false, true}) {
      std::string d;
      for (i64 r = 1; r < g_.rows; ++r) {
        if ((g_.rowGroup > 0 && r % g_.rowGroup == 0) == wide)
          d += "M0 " + number(static_cast<double>(r) * g_.pitchY) + "h" + number(w);
      }
      for (i64 c = 1; c < g_.cols; ++c) {
        if ((g_.colGroup > 0 && c % g_.colGroup == 0) == wide)
          d += "M" + number(static_cast<double>(c) * g_.pitchX) + " 0v" + number(h);
      }
      if (!d.empty()) {
        out_ += fmt::format("<path stroke=\"{}\" stroke-width=\"{}\" d=\"{}\"/>\n", hex(canvas(theme_)),
                            number(wide ? g_.gap + 2.5 : g_.gap), d);
      }
    }
  }

  void hatching() {
    std::string d;
    eachCell(g_.rows, g_.cols, [&](i64 r, i64 c) {
      if (g_.quiet[g_.at(r, c)] == PageGrid::kHatched) roundedRect(d, local(r, c), radius());
    });
    if (!d.empty()) out_ += "<path fill=\"url(#h)\" d=\"" + d + "\"/>\n";
  }

  void litCells() {
    std::map<u64, std::string> paths;
    std::string outline;
    eachCell(g_.rows, g_.cols, [&](i64 r, i64 c) {
      if (!g_.lit[g_.at(r, c)]) return;
      const Rect s = litSquare(local(r, c));
      roundedRect(paths[key(g_.fill[g_.at(r, c)])], s, radius());
      roundedRect(outline, s, radius());
    });
    for (const auto& [k, d] : paths) writePath(k, d);
    if (!outline.empty()) {
      out_ += fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" d=\"{}\"/>\n",
                          hex(resolve({Role::Text}, theme_)), outline);
    }
  }

  void singleLabels() {
    const Rgba usual = resolve({Role::Text}, theme_);
    out_ += fmt::format("<g class=\"c\" font-size=\"{}\" fill=\"{}\">\n", number(g_.labelSize), hex(usual));
    for (std::size_t k = 0; k < g_.fill.size(); ++k) {
      g_.eachLine(k, 0, 0, [&](double x, double y, const std::string& line, double size) {
        if (line.empty()) return;
        out_ += "<text x=\"" + number(x) + "\" y=\"" + number(y + size * kCapHeight / 2) + '"';
        const Rgba colour = g_.labelColour(k, theme_);
        if (colour != usual) out_ += " fill=\"" + hex(colour) + "\"";
        if (size != g_.labelSize) out_ += " font-size=\"" + number(size) + "\"";
        out_ += '>' + xmlEscaped(line) + "</text>\n";
      });
    }
    out_ += "</g>\n";
  }

  void rowLabels() {
    const std::size_t width = static_cast<std::size_t>(g_.labelChars) + 1;
    if (out_.size() + g_.fill.size() * width + static_cast<std::size_t>(g_.rows) * 32 > kMaxBytes) {
      labelsLeftOut_ = true;
      return;
    }
    const double size = g_.pitchX / (0.6 * static_cast<double>(width));
    out_ += fmt::format("<g xml:space=\"preserve\" font-size=\"{:.5g}\" fill=\"{}\">\n", size,
                        hex(resolve({Role::Text}, theme_)));
    for (i64 r = 0; r < g_.rows; ++r) {
      out_ += "<text y=\"" + number((static_cast<double>(r) + 0.5) * g_.pitchY + size * kCapHeight / 2) + "\">";
      for (i64 c = 0; c < g_.cols; ++c) {
        const std::string& label = g_.labels[g_.at(r, c)];
        const std::size_t pad = width - std::min(width, countCodePoints(label));
        out_.append((pad + 1) / 2, ' ');
        out_ += xmlEscaped(label);
        out_.append(pad / 2, ' ');
      }
      while (out_.back() == ' ') out_.pop_back();
      out_ += "</text>\n";
    }
    out_ += "</g>\n";
  }

  const PageGrid& g_;
  Theme theme_;
  int id_;
  std::string& out_;
  bool labelsLeftOut_ = false;
};

void writeText(std::string& out, const Mark& m, Theme theme) {
  out += "<text x=\"" + number(m.rect.x) + "\" y=\"" + number(m.rect.y + m.rect.h / 2 + m.size * kCapHeight / 2) + "\"";
  if (m.align != Align::Left) out += m.align == Align::Center ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  if (!isMono(m.face)) out += " class=\"s\"";
  if (m.face == Face::SansMedium) out += " font-weight=\"500\"";
  if (m.face == Face::MonoBold) out += " font-weight=\"700\"";
  out += " font-size=\"" + number(m.size) + "\" " + fillAttributes(resolve(m.fill, theme)) + ">" + xmlEscaped(m.text) +
         "</text>\n";
}

void writeRectangle(std::string& out, const Mark& m, Rgba fill, Rgba stroke) {
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"", number(m.rect.x), number(m.rect.y),
                     number(m.rect.w), number(m.rect.h), number(m.radius));
  out += m.fill.role == Role::Padding ? " fill=\"url(#h)\""
         : fill.a == 0                ? " fill=\"none\""
                                      : ' ' + fillAttributes(fill);
  if (stroke.a != 0) out += " stroke=\"" + hex(stroke) + "\" stroke-width=\"" + number(m.width) + "\"";
  out += "/>\n";
}

void writeMark(std::string& out, const Mark& m, Theme theme) {
  const Rgba fill = resolve(m.fill, theme);
  if (m.kind == Mark::Kind::Text && m.text.empty()) return;
  if (m.kind == Mark::Kind::Text) return writeText(out, m, theme);
  if (m.kind == Mark::Kind::Rectangle) return writeRectangle(out, m, fill, resolve(m.stroke, theme));
  const double x1 = m.rect.x + m.rect.w, y1 = m.rect.y + m.rect.h;
  out += fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\" d=\"M{} {}L{} {}",
                     hex(fill), number(m.width), number(m.rect.x), number(m.rect.y), number(x1), number(y1));
  if (m.kind == Mark::Kind::Arrow) {
    const ArrowHead head = headOf(m);
    out += fmt::format("M{} {}L{} {}L{} {}", number(head.x0), number(head.y0), number(x1), number(y1), number(head.x1),
                       number(head.y1));
  }
  out += "\"/>\n";
}

}  // namespace

Result<std::string> inkSvg(const Figure& figure, const InkOptions& options) {
  const Page page = makePage(figure, options);
  const double shown = std::min(1.0, kCanvasLimit / std::max({page.width, page.height, 1.0}));
  std::string out;
  std::size_t cells = 0;
  for (const PageGrid& g : page.grids) cells += g.fill.size();
  out.reserve(4096 + cells * 10);
  out += fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{}\" "
      "height=\"{}\" viewBox=\"0 0 {} {}\" font-family=\"JetBrains Mono,DejaVu Sans Mono,monospace\">\n",
      number(page.width * shown), number(page.height * shown), number(page.width), number(page.height));
  if (!figure.title.empty()) out += "<title>" + xmlEscaped(figure.title) + "</title>\n";
  out += "<style>.s{font-family:Inter,DejaVu Sans,sans-serif}.c{text-anchor:middle}</style>\n";
  out += fmt::format(
      "<defs><pattern id=\"h\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path d=\"M0 0v6\" stroke=\"{}\" stroke-width=\"2\"/></pattern></defs>\n",
      hex(resolve({Role::Padding}, options.theme)));
  if (!options.transparent)
    out += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", number(page.width), number(page.height),
                       hex(canvas(options.theme)));
  // Grids first, then marks in their order, so that marks are on top.
  int id = 0;
  bool leftOut = false;
  for (const PageGrid& g : page.grids) {
    GridWriter writer(g, options.theme, id++, out);
    writer.write();
    leftOut = leftOut || writer.labelsLeftOut();
  }
  for (const Mark& m : page.marks) writeMark(out, m, options.theme);
  if (leftOut) out += "<desc>Labels are omitted; with them this file would exceed 2 MB.</desc>\n";
  out += "</svg>\n";
  return out;
}

}  // namespace tessera
