#include "render/figure/beside.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/figure/marks.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kGap = 36;
constexpr double kHead = 48;
// Upper limit of a head's width if the page shrinks its grid.
constexpr double kWidest = 700, kNarrowest = 150;

struct Half {
  const Figure& figure;
  const char* letter;
  Rect extent;       // all of the picture that paper shows, in its own points
  double width = 0;  // including head and caption
  std::vector<std::string> caption = {};
  [[nodiscard]] double height() const {
    return kHead + extent.h + (caption.empty() ? 0 : 12 + 15 * static_cast<double>(caption.size()));
  }
};

Half halfOf(const Figure& figure, const char* letter) {
  Half h{figure, letter, {0, 0, figure.width, figure.height}};
  h.width = std::max(h.extent.w, kNarrowest);
  if (!figure.caption.empty()) h.caption = wrapped(figure.caption, Face::Sans, kType.small, std::min(h.width, kWidest));
  return h;
}

// Adds a half with its corner at (x, y).
void add(Figure& out, const Half& h, double x, double y) {
  const double room = std::min(h.width, kWidest) - 22;
  addText(out, x, y + 10, h.letter, kType.title, Face::SansMedium, Role::Accent);
  addText(out, x + 20, y + 10, fitted(h.figure.title, Face::SansMedium, kType.subtitle, room), kType.subtitle,
          Face::SansMedium, Role::Text);
  addText(out, x + 20, y + 28, fitted(h.figure.subtitle, Face::Mono, kType.small, room), kType.small, Face::Mono,
          Role::Muted);
  const double dx = x - h.extent.x, dy = y + kHead - h.extent.y;
  for (Grid g : h.figure.grids) {
    g.x += dx;
    g.y += dy;
    g.name = h.letter + (g.name.empty() ? "" : " " + g.name);
    out.grids.push_back(std::move(g));
  }
  for (Mark m : h.figure.marks) {
    m.rect.x += dx;
    m.rect.y += dy;
    out.marks.push_back(std::move(m));
  }
  double below = y + kHead + h.extent.h + 20;
  for (const std::string& line : h.caption) {
    addText(out, x, below, line, kType.small, Face::Sans, Role::Muted);
    below += 15;
  }
  for (const Point& p : h.figure.lit)
    if (std::find(out.lit.begin(), out.lit.end(), p) == out.lit.end()) out.lit.push_back(p);
}

}  // namespace

Figure besideEachOther(const Figure& a, const Figure& b, bool marks) {
  const FigureComparison c = compared(a, b);
  const Half first = halfOf(marks ? c.first : a, "A"), second = halfOf(marks ? c.second : b, "B");
  Figure out;
  out.title = fmt::format("{} and {}", a.title.empty() ? "A" : a.title, b.title.empty() ? "B" : b.title);
  out.caption = c.text;
  if (marks && c.differing > 0) out.caption += " Those that differ are lit.";
  const double wide = first.width + kGap + second.width, high = first.height() + kGap + second.height();
  const double tall = std::max(first.height(), second.height()), broad = std::max(first.width, second.width);
  // Choose the shape closer to a landscape page.
  const bool stacked = std::max(wide / 1.5, tall) > std::max(broad / 1.5, high);
  add(out, first, 0, 0);
  if (stacked) {
    add(out, second, 0, first.height() + kGap);
  } else {
    add(out, second, first.width + kGap, 0);
  }
  out.width = stacked ? broad : wide;
  out.height = stacked ? high : tall;
  out.table = differingCells(a, b);
  return out;
}

Figure comparisonFor(const std::string& format, const Figure& a, const Figure& b, bool marks) {
  Figure out = besideEachOther(a, b, marks);
  if (format == "csv") out.grids.clear();
  if (format != "csv" && format != "json") out.table.clear();
  return out;
}

}  // namespace tessera
