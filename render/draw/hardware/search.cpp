// search: the result of `find swizzle`: the answers as a list, the first one in TMA, Triton and CUDA notation, and the
// banks of the most conflicting access, for the original layout and for the first answer. Without an answer, only the
// conflicts.
//
//     find swizzle for A where conflict_free(ldmatrix.x4, fp16) and conflict_free(st.shared.v4, fp16)
//     show F as search st.shared.v4       the banks of that access;  all: of every access
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "core/base/chars.h"
#include "core/base/mapped.h"
#include "core/notation/cute/notation.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/links.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr std::size_t kShown = 8;   // answers in the picture; the text lists all
constexpr std::size_t kHeats = 32;  // accesses in the picture of all
constexpr double kTextWidth = 940;

struct Column {
  const char* title;
  std::vector<std::string> cells;
};

std::vector<Column> columnsOf(const SwizzleFinding& finding) {
  std::vector<Column> columns = {{"layout", {}}, {"", {}}, {"TMA", {}}, {"Triton", {}}, {"CUDA", {}}};
  const auto add = [&](const std::string(&line)[5]) {
    for (std::size_t k = 0; k < 5; ++k) columns[k].cells.push_back(line[k]);
  };
  const auto answer = [&](const SwizzleAnswer& a, const std::string& note) {
    if (columns[0].cells.size() < kShown) add({a.cute, note, a.tma, a.triton, a.cuda});
  };
  for (const SwizzleAnswer& a : finding.search.swizzles)
    answer(a, a.kind == SwizzleAnswer::Kind::AsIs ? "unchanged"
              : a.bytes > finding.search.bytes    ? fmt::format("needs {} bytes", a.bytes)
                                                  : "");
  for (const SwizzleAnswer& a : finding.search.paddings) answer(a, fmt::format("+{} a row", a.padding));
  if (finding.linear && finding.linear->exists())
    add({print(*finding.linear), "", "", "", cudaIndexCode(*finding.linear, finding.layout)});
  return columns;
}

// The layouts with notes, then the first of them in each notation; returns the position of the next part.
double drawAnswers(Figure& figure, const std::vector<Column>& columns, double y) {
  const std::vector<std::string>& layouts = columns[0].cells;
  addText(figure, 0, y, layouts.size() == 1 ? "layout" : "layouts, best first", kType.small, Face::Sans, Role::Faint);
  double note = 0;
  for (const std::string& layout : layouts) note = std::max(note, textWidth(layout, Face::MonoBold, 12.5) + 24);
  y += 24;
  for (std::size_t k = 0; k < layouts.size(); ++k, y += 21) {
    addText(figure, 0, y, fitted(layouts[k], Face::MonoBold, 12.5, kTextWidth), 12.5,
            k == 0 ? Face::MonoBold : Face::Mono, k == 0 ? Role::Text : Role::Muted);
    if (note < kTextWidth) addText(figure, note, y, columns[1].cells[k], 12, Face::Sans, Role::Muted);
  }
  y += 8;
  for (const Column& column : std::span(columns).subspan(2)) {
    if (column.cells.empty() || column.cells.front().empty()) continue;
    addText(figure, 0, y, column.title, kType.small, Face::Sans, Role::Faint);
    y = addParagraph(figure, 52, y, column.cells.front(), {kTextWidth - 52, 18, 11.5, Face::Mono, Role::Text}) + 4;
  }
  return y;
}

// The layout with the first answer that changes it, and the name of that answer.
std::optional<std::pair<Tile, std::string>> improved(const SwizzleFinding& finding, const Tile& tile) {
  const auto with = [&](const auto& moved, const std::string& name) -> std::optional<std::pair<Tile, std::string>> {
    auto offsets = mapped<i64>(tile.offsets(), moved);
    return std::pair{Tile::ofTable(tile.rows(), tile.columns(), std::move(offsets), finding.elementBits, ""), name};
  };
  if (finding.linear && finding.linear->exists()) return with(*finding.linear, print(*finding.linear));
  for (const SwizzleAnswer& a : finding.search.swizzles)
    if (a.kind == SwizzleAnswer::Kind::Swizzled) return with(a.swizzle, print(a.swizzle));
  return std::nullopt;
}

// The access with the most conflicts on the original layout; the first if there are none.
std::size_t worstOf(const SwizzleFinding& finding, const Tile& tile) {
  std::size_t worst = 0;
  i64 most = 0;
  for (std::size_t k = 0; k < finding.specs.size(); ++k) {
    const auto list = accesses(tile, finding.specs[k]);
    if (!list) continue;
    const TileBankReport report = bankReport(*list);
    if (report.excess > most) {
      most = report.excess;
      worst = k;
    }
  }
  return worst;
}

// The accesses selected by the word after the view: the worst, a named one, or all.
Result<std::vector<std::size_t>> chosen(const SwizzleFinding& finding, const Tile& tile,
                                        const std::vector<std::string>& words, Figure& figure) {
  FigureChoice choice{"access", {"worst"}, words.empty() ? "worst" : words.back()};
  for (const AccessSpec& spec : finding.specs)
    if (std::ranges::find(choice.words, spec.text) == choice.words.end() && choice.words.size() < kHeats)
      choice.words.push_back(spec.text);
  choice.words.emplace_back("all");
  for (const std::string& word : words)
    if (std::ranges::find(choice.words, word) == choice.words.end())
      return Diag{fmt::format("the search view knows no \"{}\"", word),
                  fmt::format("one of {}", fmt::join(choice.words, ", "))};
  const std::string now = choice.now;
  if (finding.specs.size() > 1) figure.choices.push_back(std::move(choice));
  std::vector<std::size_t> out;
  if (now == "worst") return std::vector<std::size_t>{worstOf(finding, tile)};
  for (std::size_t k = 0; k < finding.specs.size() && out.size() < kHeats; ++k)
    if (now == "all" || finding.specs[k].text == now) out.push_back(k);
  return out;
}

// Heat of the chosen accesses, for the original layout and for the first answer.
Result<void> drawHeats(Figure& figure, const SwizzleFinding& finding, const std::vector<std::string>& words, double y) {
  const auto tile = Tile::of(finding.layout, finding.elementBits);
  if (!tile || finding.specs.empty()) return {};
  const auto better = improved(finding, *tile);
  TESSERA_TRY(const std::vector<std::size_t> shown, chosen(finding, *tile, words, figure));
  const u64 domain = pointDomainOf(finding.layout);
  int n = 0;
  for (const std::size_t k : shown) {
    const auto heat = [&](const Tile& which, const std::string& title) {
      const auto picture = drawBankHeat(which, domain, finding.specs[k], title);
      if (!picture) return;
      place(figure, *picture, 0, y, fmt::format("{} ", ++n));
      y += picture->height + 22;
    };
    heat(*tile, "Original");
    if (better) heat(better->first, better->second);
  }
  return {};
}

}  // namespace

Result<Figure> drawSearch(const SwizzleFinding& finding, const DrawOptions& options) {
  const auto specs = mapped<std::string>(finding.specs, &AccessSpec::text);
  Figure figure = titledFigure("find swizzle", fmt::format("{}, {}-bit elements: {}", print(finding.layout),
                                                           finding.elementBits, fmt::join(specs, ", ")));
  const std::vector<Column> columns = columnsOf(finding);
  double y = 8;
  if (columns.front().cells.empty()) {
    y = addParagraph(figure, 0, y, print(finding), {760, 18, 11.5, Face::Mono, Role::Text});
  } else {
    y = drawAnswers(figure, columns, y);
  }
  TESSERA_CHECKED(drawHeats(figure, finding, options.arguments, y + 16));
  if (!columns.front().cells.empty()) figure.table.push_back({"layout", "note", "TMA", "Triton", "CUDA"});
  for (std::size_t k = 0; k < columns.front().cells.size(); ++k)
    figure.table.push_back(mapped<std::string>(columns, [k](const Column& c) { return c.cells[k]; }));
  fitSize(figure);
  const std::size_t all = finding.search.swizzles.size() + finding.search.paddings.size();
  figure.caption = finding.linear
                       ? "Found by Z3, and run through the bank model on every access of the tile."
                       : fmt::format("{} and {} serve every access at every position; {} were tried.",
                                     counted(finding.search.swizzles.size(), "swizzle"),
                                     counted(finding.search.paddings.size(), "padding"),
                                     counted(static_cast<std::size_t>(finding.search.candidates), "swizzle"));
  if (all > kShown) figure.caption += fmt::format(" The first {} are shown.", kShown);
  const bool worst = options.arguments.empty() || options.arguments.back() == "worst";
  if (worst && finding.specs.size() > 1)
    figure.caption +=
        fmt::format(" Of {} accesses, the one with the most conflicts is drawn; the view's menu has the others.",
                    finding.specs.size());
  return figure;
}

}  // namespace tessera
