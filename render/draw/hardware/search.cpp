// search: what `find swizzle` found: the answers as rows (CuTe, TMA, Triton, CUDA), and the banks of the first access
// as the layout is and with the first answer. When there is none: the accesses that clash.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/notation/cute/notation.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/links.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr std::size_t kShown = 8;   // answers in the picture; the text has all
constexpr std::size_t kHeats = 32;  // accesses in the picture

std::string counted(std::size_t n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

struct Column {
  const char* title;
  std::vector<std::string> cells;
};

std::vector<Column> columnsOf(const SwizzleFinding& finding) {
  std::vector<Column> columns = {{"layout", {}}, {"", {}}, {"TMA", {}}, {"Triton", {}}, {"CUDA", {}}};  // CUDA: below
  const auto add = [&](const SwizzleAnswer& a, const std::string& note) {
    if (columns[0].cells.size() >= kShown) return;
    columns[0].cells.push_back(a.cute);
    columns[1].cells.push_back(note);
    columns[2].cells.push_back(a.tma);
    columns[3].cells.push_back(a.triton);
    columns[4].cells.push_back(a.cuda);
  };
  for (const SwizzleAnswer& a : finding.search.swizzles)
    add(a, a.kind == SwizzleAnswer::Kind::AsIs ? "as it is"
           : a.bytes > finding.search.bytes    ? fmt::format("needs {} bytes", a.bytes)
                                               : "");
  for (const SwizzleAnswer& a : finding.search.paddings) add(a, fmt::format("+{} a row", a.padding));
  if (finding.linear && finding.linear->exists()) {
    columns[0].cells.push_back(print(*finding.linear));
    for (std::size_t k = 1; k < 4; ++k) columns[k].cells.emplace_back();
    columns[4].cells.push_back(cudaIndexCode(*finding.linear, finding.layout));
  }
  return columns;
}

double drawTable(Figure& figure, const std::vector<Column>& columns, double y) {
  double x = 0;
  for (const Column& column : columns) {
    if (&column == &columns.back()) continue;
    if (std::all_of(column.cells.begin(), column.cells.end(), [](const std::string& s) { return s.empty(); })) continue;
    double width = textWidth(column.title, Face::Sans, kType.small);
    figure.marks.push_back(textMark(x, y, column.title, kType.small, Face::Sans, Align::Left, Role::Faint));
    for (std::size_t k = 0; k < column.cells.size(); ++k) {
      const bool first = k == 0 && &column == columns.data();
      figure.marks.push_back(textMark(x, y + 22 + 20 * static_cast<double>(k), column.cells[k], 11,
                                      first ? Face::MonoBold : Face::Mono, Align::Left,
                                      k == 0 ? Role::Text : Role::Muted));
      width = std::max(width, textWidth(column.cells[k], first ? Face::MonoBold : Face::Mono, 11));
    }
    x += width + 24;
  }
  figure.marks.push_back(lineMark(0, y + 10, std::max(x - 24, 1.0), y + 10, Role::Hairline));
  y += 30 + 20 * static_cast<double>(columns.front().cells.size());
  if (columns.back().cells.empty()) return y;
  figure.marks.push_back(textMark(0, y + 6, "CUDA", kType.small, Face::Sans, Align::Left, Role::Faint));
  figure.marks.push_back(textMark(48, y + 6, columns.back().cells.front(), 11, Face::Mono, Align::Left, Role::Text));
  return y + 24;
}

// The heat of every access, as the layout is and with the first answer.
void drawHeats(Figure& figure, const SwizzleFinding& finding, double y) {
  const auto tile = Tile::of(finding.layout, finding.elementBits);
  if (!tile) return;
  std::optional<Tile> better;
  std::string name;
  if (finding.linear && finding.linear->exists()) {
    std::vector<i64> offsets;
    for (const i64 o : tile->offsets()) offsets.push_back((*finding.linear)(o));
    better = Tile::ofTable(tile->rows(), tile->columns(), std::move(offsets), finding.elementBits, "");
    name = print(*finding.linear);
  } else {
    const auto& found = finding.search.swizzles;
    const auto best = std::find_if(found.begin(), found.end(),
                                   [](const SwizzleAnswer& a) { return a.kind == SwizzleAnswer::Kind::Swizzled; });
    if (best != found.end()) {
      std::vector<i64> offsets;
      for (const i64 o : tile->offsets()) offsets.push_back(best->swizzle(o));
      better = Tile::ofTable(tile->rows(), tile->columns(), std::move(offsets), finding.elementBits, "");
      name = print(best->swizzle);
    }
  }
  int n = 0;
  for (const AccessSpec& spec : std::span(finding.specs).first(std::min(kHeats, finding.specs.size()))) {
    for (const auto& [which, title] :
         {std::pair<const Tile*, std::string>{&*tile, "As it is"}, {better ? &*better : nullptr, name}}) {
      if (which == nullptr) continue;
      const auto heat = drawBankHeat(*which, pointDomainOf(Value(Layout(finding.layout))), spec, title);
      if (!heat) continue;
      place(figure, *heat, 0, y, fmt::format("{} ", ++n));
      y += heat->height + 26;
    }
  }
}

}  // namespace

Result<Figure> drawSearch(const SwizzleFinding& finding, const DrawOptions& options) {
  if (!options.arguments.empty())
    return Diag{fmt::format("the search view knows no \"{}\"", options.arguments.front()), "no word behind it", "", {}};
  Figure figure;
  figure.title = "find swizzle";
  std::string specs;
  for (const AccessSpec& s : finding.specs) specs += (specs.empty() ? "" : ", ") + s.text;
  figure.subtitle = fmt::format("{}, {}-bit elements: {}", print(finding.layout), finding.elementBits, specs);
  const std::vector<Column> columns = columnsOf(finding);
  double y = 8;
  if (columns.front().cells.empty()) {
    for (const std::string& line : wrapped(print(Value(finding)), Face::Mono, 11.5, 760)) {
      figure.marks.push_back(textMark(0, y, line, 11.5, Face::Mono, Align::Left, Role::Text));
      y += 18;
    }
  } else {
    y = drawTable(figure, columns, y);
  }
  drawHeats(figure, finding, y + 16);
  for (std::size_t k = 0; k < columns.front().cells.size(); ++k) {
    if (k == 0) figure.table.push_back({"layout", "note", "TMA", "Triton", "CUDA"});
    figure.table.push_back(
        {columns[0].cells[k], columns[1].cells[k], columns[2].cells[k], columns[3].cells[k], columns[4].cells[k]});
  }
  fitSize(figure);
  const std::size_t all = finding.search.swizzles.size() + finding.search.paddings.size();
  figure.caption = finding.linear
                       ? "Found by Z3, and run through the bank model on every access of the tile."
                       : fmt::format("{} and {} serve every access at every position; {} were tried.",
                                     counted(finding.search.swizzles.size(), "swizzle"),
                                     counted(finding.search.paddings.size(), "padding"),
                                     counted(static_cast<std::size_t>(finding.search.candidates), "swizzle"));
  if (all > kShown) figure.caption += fmt::format(" The first {} are shown.", kShown);
  if (finding.specs.size() > kHeats)
    figure.caption += fmt::format(" The first {} of {} accesses are drawn.", kHeats, finding.specs.size());
  return figure;
}

}  // namespace tessera
