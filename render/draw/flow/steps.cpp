// steps: a derivation as numbered lines: the operation, its numbers, the layout so far.
#include <fmt/format.h>

#include <algorithm>

#include "render/draw/grid/layouts.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kWidest = 340;

// Adds lines below one another, with the first centred at `middle`; returns the position of the next line.
double addLines(Figure& figure, const std::string& text, double x, double middle, Role role) {
  if (text.empty()) return middle;
  return addParagraph(figure, x, middle, text, {kWidest, 17, 11, Face::Mono, role});
}

}  // namespace

Result<Figure> drawSteps(const cute::Explanation& explanation, const DrawOptions& options) {
  Figure figure;
  // A long line is already shown below.
  const bool named = !options.name.empty() && options.name.size() <= 60 && options.name.find('\n') == std::string::npos;
  figure.title = named ? options.name : "Derivation";
  figure.subtitle = explanation.title;
  figure.table.push_back({"step", "text", "formula", "layout"});
  double formulaWidth = 0, layoutWidth = 0;
  for (const cute::ExplanationStep& s : explanation.steps) {
    formulaWidth = std::max(formulaWidth, std::min(kWidest, textWidth(s.formula, Face::Mono, 11)));
    layoutWidth = std::max(layoutWidth, std::min(kWidest, textWidth(s.layout, Face::Mono, 11)));
  }
  const double text = 30, textWidthMax = 380;
  const double formula = text + textWidthMax + 20, layout = formula + formulaWidth + (formulaWidth > 0 ? 20 : 0);
  const double right = layout + layoutWidth;
  double y = 0;
  int n = 0;
  for (const cute::ExplanationStep& s : explanation.steps) {
    figure.table.push_back({fmt::format("{}", ++n), s.text, s.formula, s.layout});
    if (n > 1) addLine(figure, 0, y, right, y, Role::Hairline, 0.75);
    const double middle = y + 14;
    addText(figure, 14, middle, fmt::format("{}", n), kType.small, Face::Mono, Role::Faint, Align::Right);
    const double below =
        addParagraph(figure, text, middle, s.text, {textWidthMax, 17, kType.body, Face::Sans, Role::Text});
    const double formulaEnd = addLines(figure, s.formula, formula, middle, Role::Muted);
    const double layoutEnd = addLines(figure, s.layout, layout, middle, Role::Accent);
    y = std::max({below - 3, formulaEnd - 3, layoutEnd - 3, middle + 14});
  }
  addLine(figure, 0, y, right, y, Role::Hairline, 0.75);
  y += 8;
  const Role role = explanation.refused ? Role::Refuted : Role::Text;
  const Face face = explanation.refused ? Face::Sans : Face::Mono;
  addText(figure, 14, y + 9, explanation.refused ? "\u00d7" : "=", 13, Face::SansMedium, role, Align::Right);
  addParagraph(figure, text, y + 9, explanation.result, {std::max(right - text, 300.0), 18, 12.5, face, role});
  figure.table.push_back({"=", explanation.result, "", ""});
  fitSize(figure);
  return figure;
}

}  // namespace tessera
