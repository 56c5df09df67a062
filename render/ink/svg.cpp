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
#include "render/ink/html.h"
#include "render/ink/page.h"
#include "render/ink/tones.h"

namespace tessera {
namespace {

constexpr std::size_t kRoundedCells = 4096;  // above: runs
constexpr double kCanvasLimit = 2400;        // larger pictures are displayed scaled, with unchanged coordinates

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

std::string fillAttributes(Tone t, Tones& tones) {
  return t.light.a == 255 ? fmt::format("fill=\"{}\"", tones.name(t))
                          : fmt::format("fill=\"{}\" fill-opacity=\"{}\"", tones.name(t), number(t.light.a / 255.0));
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
  // `dark`: the same grid in the other theme of `tones`.
  GridWriter(const PageGrid& grid, const PageGrid& dark, Tones& tones, const SvgParts& parts, std::string id,
             std::string& out)
      : g_(grid), dark_(dark), tones_(tones), parts_(parts), id_(std::move(id)), out_(out) {}

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
      if (g_.fill.size() <= parts_.singleLabels) {
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
    std::map<Tone, std::string> paths;
    eachCell(g_.rows, g_.cols, [&](i64 r, i64 c) {
      const Tone f = resting(r, c);
      if (f.light.a != 0) roundedRect(paths[f], local(r, c), radius());
    });
    for (const auto& [tone, d] : paths) writePath(tone, d);
  }

  void writePath(Tone tone, const std::string& d) {
    out_ += "<path " + fillAttributes(tone, tones_) + " d=\"" + d + "\"/>\n";
  }

  // The colours as runs, in units of cells; repeated patterns are written once.
  void runs() {
    // The period of `lines` rows or columns, compared over `length` cells.
    const auto period = [&](i64 lines, i64 length, bool down) {
      std::vector<u64> hash(static_cast<std::size_t>(lines), 1);
      eachCell(lines, length, [&](i64 line, i64 k) {
        u64& h = hash[static_cast<std::size_t>(line)];
        h = mixed(h, (down ? resting(line, k) : resting(k, line)).key());
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

  [[nodiscard]] Tone resting(i64 r, i64 c) const {
    const std::size_t k = g_.at(r, c);
    return g_.lit[k] ? Tone{{0, 0, 0, 0}, {0, 0, 0, 0}} : Tone{g_.fill[k], dark_.fill[k]};
  }

  void tile(i64 rows, i64 cols) {
    std::map<Tone, std::string> paths;
    std::map<Tone, std::pair<i64, i64>> pen;  // current point of each colour's path
    for (i64 r = 0; r < rows; ++r) {
      for (i64 c = 0; c < cols;) {
        const Tone f = resting(r, c);
        i64 end = c + 1;
        while (end < cols && resting(r, end) == f) ++end;
        if (f.light.a != 0) {
          std::string& d = paths[f];
          auto [it, fresh] = pen.try_emplace(f, 0, 0);
          d += fmt::format("{}{} {}h{}v1h{}z", fresh ? "M" : "m", c - it->second.first, r - it->second.second, end - c,
                           c - end);
          it->second = {c, r};
        }
        c = end;
      }
    }
    for (const auto& [tone, d] : paths) writePath(tone, d);
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
        out_ += fmt::format("<path stroke=\"{}\" stroke-width=\"{}\" d=\"{}\"/>\n", tones_.name(tones_.canvas()),
                            number(wide ? g_.gap + 2.5 : g_.gap), d);
      }
    }
  }

  void hatching() {
    std::string d;
    eachCell(g_.rows, g_.cols, [&](i64 r, i64 c) {
      if (g_.quiet[g_.at(r, c)] == PageGrid::kHatched) roundedRect(d, local(r, c), radius());
    });
    if (!d.empty()) out_ += fmt::format("<path fill=\"url(#{})\" d=\"{}\"/>\n", parts_.hatching(), d);
  }

  void litCells() {
    std::map<Tone, std::string> paths;
    std::string outline;
    eachCell(g_.rows, g_.cols, [&](i64 r, i64 c) {
      if (!g_.lit[g_.at(r, c)]) return;
      const Rect s = litSquare(local(r, c));
      const std::size_t k = g_.at(r, c);
      roundedRect(paths[{g_.fill[k], dark_.fill[k]}], s, radius());
      roundedRect(outline, s, radius());
    });
    for (const auto& [tone, d] : paths) writePath(tone, d);
    if (!outline.empty()) {
      out_ += fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" d=\"{}\"/>\n",
                          tones_.name(tones_.of({Role::Text})), outline);
    }
  }

  void singleLabels() {
    const Tone usual = tones_.of({Role::Text});
    out_ += fmt::format("<g class=\"c\" font-size=\"{}\" fill=\"{}\">\n", number(g_.labelSize), tones_.name(usual));
    for (std::size_t k = 0; k < g_.fill.size(); ++k) {
      g_.eachLine(k, 0, 0, [&](double x, double y, const std::string& line, double size) {
        if (line.empty()) return;
        out_ += "<text x=\"" + number(x) + "\" y=\"" + number(y + size * kCapHeight / 2) + '"';
        const Tone colour{g_.labelColour(k, tones_.light()), dark_.labelColour(k, tones_.dark())};
        if (colour != usual) out_ += " fill=\"" + tones_.name(colour) + "\"";
        if (size != g_.labelSize) out_ += " font-size=\"" + number(size) + "\"";
        out_ += '>' + xmlEscaped(line) + "</text>\n";
      });
    }
    out_ += "</g>\n";
  }

  void rowLabels() {
    const std::size_t width = static_cast<std::size_t>(g_.labelChars) + 1;
    if (out_.size() + g_.fill.size() * width + static_cast<std::size_t>(g_.rows) * 32 > parts_.maxBytes) {
      labelsLeftOut_ = true;
      return;
    }
    const double size = g_.pitchX / (0.6 * static_cast<double>(width));
    out_ += fmt::format("<g xml:space=\"preserve\" font-size=\"{:.5g}\" fill=\"{}\">\n", size,
                        tones_.name(tones_.of({Role::Text})));
    for (i64 r = 0; r < g_.rows; ++r) {
      std::string row;
      std::size_t chars = 0;  // to the end of the last label
      for (i64 c = 0; c < g_.cols; ++c) {
        const std::string& label = g_.labels[g_.at(r, c)];
        const std::size_t pad = width - std::min(width, countCodePoints(label));
        row.append((pad + 1) / 2, ' ');
        row += xmlEscaped(label);
        if (!label.empty()) chars = static_cast<std::size_t>(c + 1) * width - pad / 2;
        row.append(pad / 2, ' ');
      }
      while (!row.empty() && row.back() == ' ') row.pop_back();
      out_ += "<text y=\"" + number((static_cast<double>(r) + 0.5) * g_.pitchY + size * kCapHeight / 2) + "\"";
      // In a page the font is the reader's.
      if (!parts_.prefix.empty() && chars > 0)
        out_ += fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"",
                            number(0.6 * size * static_cast<double>(chars)));
      out_ += ">" + row + "</text>\n";
    }
    out_ += "</g>\n";
  }

  const PageGrid &g_, &dark_;
  Tones& tones_;
  const SvgParts& parts_;
  std::string id_;
  std::string& out_;
  bool labelsLeftOut_ = false;
};

void writeText(std::string& out, const Mark& m, Tones& tones) {
  out += "<text x=\"" + number(m.rect.x) + "\" y=\"" + number(m.rect.y + m.rect.h / 2 + m.size * kCapHeight / 2) + "\"";
  if (m.align != Align::Left) out += m.align == Align::Center ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  if (!isMono(m.face)) out += " class=\"s\"";
  if (m.face == Face::SansMedium) out += " font-weight=\"500\"";
  if (m.face == Face::MonoBold) out += " font-weight=\"700\"";
  out += " font-size=\"" + number(m.size) + "\" " + fillAttributes(tones.of(m.fill), tones) + ">" + xmlEscaped(m.text) +
         "</text>\n";
}

void writeRectangle(std::string& out, const Mark& m, Tones& tones, const std::string& hatching) {
  const Tone fill = tones.of(m.fill), stroke = tones.of(m.stroke);
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"", number(m.rect.x), number(m.rect.y),
                     number(m.rect.w), number(m.rect.h), number(m.radius));
  out += m.fill.role == Role::Padding ? fmt::format(" fill=\"url(#{})\"", hatching)
         : fill.light.a == 0          ? " fill=\"none\""
                                      : ' ' + fillAttributes(fill, tones);
  if (stroke.light.a != 0) out += " stroke=\"" + tones.name(stroke) + "\" stroke-width=\"" + number(m.width) + "\"";
  out += "/>\n";
}

void writeMark(std::string& out, const Mark& m, Tones& tones, const std::string& hatching) {
  if (m.kind == Mark::Kind::Text && m.text.empty()) return;
  if (m.kind == Mark::Kind::Text) return writeText(out, m, tones);
  if (m.kind == Mark::Kind::Rectangle) return writeRectangle(out, m, tones, hatching);
  const double x1 = m.rect.x + m.rect.w, y1 = m.rect.y + m.rect.h;
  out += fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\" d=\"M{} {}L{} {}",
                     tones.name(tones.of(m.fill)), number(m.width), number(m.rect.x), number(m.rect.y), number(x1),
                     number(y1));
  if (m.kind == Mark::Kind::Arrow) {
    const ArrowHead head = headOf(m);
    out += fmt::format("M{} {}L{} {}L{} {}", number(head.x0), number(head.y0), number(x1), number(y1), number(head.x1),
                       number(head.y1));
  }
  out += "\"/>\n";
}

}  // namespace

std::string svgOf(const Figure& figure, const Page& page, const Page& dark, Tones& tones, const SvgParts& parts) {
  const double shown = std::min(1.0, kCanvasLimit / std::max({page.width, page.height, 1.0}));
  std::string out;
  std::size_t cells = 0;
  for (const PageGrid& g : page.grids) cells += g.fill.size();
  out.reserve(4096 + cells * 10);
  out += fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{}\" "
      "height=\"{}\" viewBox=\"0 0 {} {}\" font-family=\"JetBrains Mono,DejaVu Sans Mono,monospace\"{}>\n",
      number(page.width * shown), number(page.height * shown), number(page.width), number(page.height),
      parts.attributes);
  if (!figure.title.empty()) out += "<title>" + xmlEscaped(figure.title) + "</title>\n";
  out += "<style>.s{font-family:Inter,DejaVu Sans,sans-serif}.c{text-anchor:middle}</style>\n";
  out += fmt::format(
      "<defs><pattern id=\"{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path d=\"M0 0v6\" stroke=\"{}\" stroke-width=\"2\"/></pattern></defs>\n",
      parts.hatching(), tones.name(tones.of({Role::Padding})));
  if (!page.transparent)
    out += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", number(page.width), number(page.height),
                       tones.name(tones.canvas()));
  // Grids first, then marks in their order, so that marks are on top.
  bool leftOut = false;
  for (std::size_t k = 0; k < page.grids.size(); ++k) {
    GridWriter writer(page.grids[k], dark.grids[k], tones, parts, fmt::format("{}{}", parts.prefix, k), out);
    writer.write();
    leftOut = leftOut || writer.labelsLeftOut();
  }
  for (const Mark& m : page.marks) writeMark(out, m, tones, parts.hatching());
  if (leftOut) out += "<desc>Labels are omitted; with them this file would exceed 2 MB.</desc>\n";
  out += "</svg>\n";
  return out;
}

Result<std::string> inkSvg(const Figure& figure, const InkOptions& options) {
  const Page page = makePage(figure, options);
  Tones tones(options.theme);
  return svgOf(figure, page, page, tones, {});
}

}  // namespace tessera
