// TikZ: a document of one page of the picture's size; requires only tikz and amssymb. Cells are one \fill per run of
// colour, labels one \node each. More than kCells cells are thinned, because TeX keeps every node in memory.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/chars.h"
#include "render/figure/text_metrics.h"
#include "render/ink/page.h"

namespace tessera {
namespace {

constexpr i64 kCells = 16384;
constexpr double kTexLimit = 12000;  // points; TeX's largest length is 16383

std::string texEscaped(std::string_view text) {
  static const std::map<std::string_view, std::string_view> kWritten = {{"\u2192", "$\\to$"},
                                                                        {"\u2260", "$\\ne$"},
                                                                        {"\u2218", "$\\circ$"},
                                                                        {"\u00d7", "$\\times$"},
                                                                        {"\u2026", "\\ldots{}"},
                                                                        {"\u2713", "$\\checkmark$"},
                                                                        {"\u00b7", "$\\cdot$"},
                                                                        {"{", "\\{"},
                                                                        {"}", "\\}"},
                                                                        {"_", "\\_"},
                                                                        {"$", "\\$"},
                                                                        {"&", "\\&"},
                                                                        {"#", "\\#"},
                                                                        {"%", "\\%"},
                                                                        {"\\", "\\textbackslash{}"},
                                                                        {"^", "\\textasciicircum{}"},
                                                                        {"~", "\\textasciitilde{}"},
                                                                        {"<", "\\textless{}"},
                                                                        {">", "\\textgreater{}"},
                                                                        {"\n", " "},
                                                                        {"\t", " "}};
  std::string out;
  const std::string valid = validUtf8(text);
  for (std::size_t k = 0, next = 0; k < valid.size(); k = next) {
    next = nextCodePoint(valid, k);
    const std::string_view c = std::string_view(valid).substr(k, next - k);
    const auto written = kWritten.find(c);
    out += written != kWritten.end() ? written->second : c.size() > 1 ? "?" : c;
  }
  return out;
}

std::string num(double v) {
  std::string s = fmt::format("{:.2f}", v);
  while (s.back() == '0') s.pop_back();
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}

class TexWriter {
 public:
  explicit TexWriter(const Page& page) : page_(page) {}

  std::string document() {
    const double scale = std::min(1.0, kTexLimit / std::max({page_.width, page_.height, 1.0}));
    // Without a background the page must still have its size.
    const std::string how = page_.transparent ? "use as bounding box" : "fill=" + colour(canvas(page_.theme));
    body_ += fmt::format("\\path[{}] (0,0) rectangle ({},{});\n", how, num(page_.width), num(page_.height));
    for (const PageGrid& g : page_.grids) grid(g);
    for (const Mark& m : page_.marks) mark(m);
    std::string out = "\\documentclass{article}\n\\usepackage{tikz,amssymb}\n\\usetikzlibrary{patterns}\n";
    for (const auto& [key, name] : colours_) {
      out += fmt::format("\\definecolor{{{}}}{{HTML}}{{{:06X}}}\n", name, key);
    }
    out += "\\tikzset{lab/.style={inner sep=0pt,outer sep=0pt,font=\\ttfamily,anchor=mid}}\n";
    out += "\\newcommand{\\sz}[1]{\\fontsize{#1}{#1}\\selectfont}\n";
    // The box is shipped out directly, so no page style and no class beyond LaTeX's own is needed.
    out += fmt::format(
        "\\begin{{document}}\n\\hoffset=-1in\\voffset=-1in\n"
        "\\setbox0=\\hbox{{\\begin{{tikzpicture}}[x={0}bp,y=-{0}bp]\n",
        num(scale));
    return out + body_ +
           "\\end{tikzpicture}}\n\\ifdefined\\pagewidth\\pagewidth=\\wd0 \\pageheight=\\dimexpr\\ht0+\\dp0\\relax\n"
           "\\else\\pdfpagewidth=\\wd0 \\pdfpageheight=\\dimexpr\\ht0+\\dp0\\relax\\fi\n"
           "\\shipout\\box0\n\\end{document}\n";
  }

 private:
  std::string colour(Rgba c) {
    const unsigned key = (static_cast<unsigned>(c.r) << 16) | (static_cast<unsigned>(c.g) << 8) | c.b;
    auto [it, fresh] = colours_.try_emplace(key, "");
    if (fresh) it->second = "c" + letters(colours_.size() - 1);
    return c.a == 255 ? it->second : fmt::format("{},opacity={}", it->second, num(c.a / 255.0));
  }
  static std::string letters(std::size_t n) {
    std::string s;
    for (++n; n > 0; n = (n - 1) / 26) s += static_cast<char>('a' + (n - 1) % 26);
    return s;
  }

  void rectangle(const Rect& r, const std::string& how) {
    body_ +=
        fmt::format("\\path[{}] ({},{}) rectangle ({},{});\n", how, num(r.x), num(r.y), num(r.x + r.w), num(r.y + r.h));
  }

  void grid(const PageGrid& g) {
    const std::string rounded = g.gap > 0 ? ",rounded corners=2bp" : "";
    for (i64 r = 0; r < g.rows; ++r) {
      for (i64 c = 0; c < g.cols;) {
        const std::size_t k = g.at(r, c);
        i64 end = c + 1;
        if (g.gap == 0) {
          while (end < g.cols && g.fill[g.at(r, end)] == g.fill[k]) ++end;
        }
        Rect s = g.square(r, c);
        s.w = g.square(r, end - 1).x + g.square(r, end - 1).w - s.x;
        if (g.quiet[k] == PageGrid::kHatched)
          rectangle(
              s, "pattern=north west lines,pattern color=" + colour(resolve({Role::Padding}, page_.theme)) + rounded);
        if (g.fill[k].a != 0) rectangle(s, "fill=" + colour(g.fill[k]) + rounded);
        c = end;
      }
    }
    eachCell(g.rows, g.cols, [&](i64 r, i64 c) {
      const std::size_t k = g.at(r, c);
      if (g.lit[k])
        rectangle(g.square(r, c), "draw=" + colour(resolve({Role::Text}, page_.theme)) + ",line width=1.5bp" + rounded);
      if (g.labels.empty()) return;
      g.eachLine(k, g.x, g.y, [&](double x, double y, const std::string& line, double size) {
        node(x, y, line, size, "\\ttfamily", "", g.labelColour(k, page_.theme));
      });
    });
  }

  void node(double x, double y, const std::string& text, double size, const char* family, const char* anchor,
            Rgba ink) {
    if (text.empty()) return;
    // Computer Modern's typewriter face is 0.525 em wide, JetBrains Mono 0.6: at the same size text never overflows.
    body_ += fmt::format("\\node[lab{},font={},text={}] at ({},{}) {{\\sz{{{}}}{}}};\n", anchor, family, colour(ink),
                         num(x), num(y), num(size), texEscaped(text));
  }

  void mark(const Mark& m) {
    const Rgba fill = resolve(m.fill, page_.theme), stroke = resolve(m.stroke, page_.theme);
    if (m.kind == Mark::Kind::Text) {
      constexpr const char* kFamilies[] = {"\\sffamily", "\\sffamily\\bfseries", "\\ttfamily", "\\ttfamily\\bfseries"};
      constexpr const char* kAnchors[] = {",anchor=mid west", "", ",anchor=mid east"};
      node(m.rect.x, m.rect.y + m.rect.h / 2, m.text, m.size, kFamilies[static_cast<std::size_t>(m.face)],
           kAnchors[static_cast<std::size_t>(m.align)], fill);
    } else if (m.kind == Mark::Kind::Rectangle) {
      const double radius = std::min({m.radius, m.rect.w / 2, m.rect.h / 2});
      std::string how = m.radius > 0 ? fmt::format("rounded corners={}bp", num(radius)) : "sharp corners";
      if (fill.a != 0) how += ",fill=" + colour(fill);
      if (stroke.a != 0) how += ",draw=" + colour(stroke) + ",line width=" + num(m.width) + "bp";
      rectangle(m.rect, how);
    } else {
      body_ += fmt::format("\\draw[{}{},line width={}bp] ({},{}) -- ({},{});\n",
                           m.kind == Mark::Kind::Arrow ? "->," : "", colour(fill), num(m.width), num(m.rect.x),
                           num(m.rect.y), num(m.rect.x + m.rect.w), num(m.rect.y + m.rect.h));
    }
  }

  const Page& page_;
  std::string body_;
  std::map<unsigned, std::string> colours_;
};

}  // namespace

Result<std::string> inkTex(const Figure& figure, const InkOptions& options) {
  const Page page = makePage(figure, options, kCells);
  return TexWriter(page).document();
}

}  // namespace tessera
