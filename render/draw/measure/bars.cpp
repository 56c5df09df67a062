#include <algorithm>

#include "render/draw/grid/layouts.h"
#include "render/draw/measure/cells.h"
#include "render/figure/marks.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kWidth = 760, kName = 12, kSettings = 10, kSection = 10.5;
constexpr double kRow = 30, kSettingsRow = 14, kBar = 18, kGap = 14, kLongestName = 200;

Paint paintOf(MeasuredBar::Look look) {
  using Look = MeasuredBar::Look;
  switch (look) {
    case Look::Kernel:
      return {Role::Accent};
    case Look::Variant:
      return {Role::Group, 1, 2};
    case Look::Library:
      return {Role::Group, 2, 2};
    case Look::Unfused:
      return {Role::Group, 3, 2};
    case Look::Wrong:
      break;
  }
  return {Role::Refuted};
}

// The columns of a group, and the length of a unit.
struct Columns {
  double left = 0, right = 0, unit = 0;
  [[nodiscard]] double at(double value) const { return left + value * unit; }
};

// Names and numbers share one column across all groups.
Columns columnsOf(const MeasuredPicture& picture, const MeasuredBars& group) {
  double names = 60, texts = 40, most = group.line.value_or(0);
  for (const MeasuredBars& each : picture.groups) {
    for (const MeasuredBar& b : each.bars) {
      names =
          std::max({names, textWidth(b.name, Face::SansMedium, kName), textWidth(b.settings, Face::Mono, kSettings)});
      if (b.value) texts = std::max(texts, textWidth(b.text, Face::Mono, 11));
    }
  }
  for (const MeasuredBar& b : group.bars)
    if (b.value) most = std::max({most, *b.value, b.upper, b.least.value_or(0)});
  Columns out;
  out.left = std::min(names, kLongestName) + kGap;
  out.right = kWidth - texts - kGap;
  out.unit = most > 0 ? (out.right - out.left) / most : 0;
  return out;
}

double sectionTitle(Figure& figure, const std::string& title, double y) {
  addText(figure, 0, y + 8, title, kSection, Face::SansMedium, Role::Faint);
  return y + 22;
}

void addWhiskers(Figure& figure, const MeasuredBar& bar, const Columns& columns, double middle) {
  if (!(bar.upper > bar.lower)) return;
  const double from = columns.at(bar.lower), to = columns.at(bar.upper);
  figure.marks.push_back(lineMark(from, middle, to, middle, Role::Text, 1.2));
  for (const double x : {from, to}) figure.marks.push_back(lineMark(x, middle - 4.5, x, middle + 4.5, Role::Text, 1.2));
}

// Draws name, track, bar, whiskers and number; returns its bottom.
double addBar(Figure& figure, const MeasuredBar& bar, const Columns& columns, double y) {
  const double middle = y + kRow / 2;
  addText(figure, 0, middle, fitted(bar.name, Face::SansMedium, kName, columns.left - kGap), kName, Face::SansMedium,
          Role::Text);
  const double below = bar.settings.empty() ? y + kRow : y + kRow + kSettingsRow;
  if (!bar.settings.empty())
    addText(figure, 0, middle + 16, fitted(bar.settings, Face::Mono, kSettings, columns.left - kGap), kSettings,
            Face::Mono, Role::Muted);
  if (!bar.value) {
    addText(figure, columns.left, middle, fitted(bar.text, Face::Sans, 11, kWidth - columns.left), 11, Face::Sans,
            Role::Muted);
    return below;
  }
  const double top = middle - kBar / 2, wide = columns.at(*bar.value) - columns.left;
  figure.marks.push_back(
      boxMark({columns.left, top, columns.right - columns.left, kBar}, {Role::Raised}, {Role::None}, 5));
  if (wide > 0) figure.marks.push_back(boxMark({columns.left, top, wide, kBar}, paintOf(bar.look), {Role::None}, 5));
  if (bar.least) {
    const double x = columns.at(*bar.least);
    figure.marks.push_back(lineMark(x, top - 3, x, top + kBar + 3, Role::Text, 1.6));
  }
  addWhiskers(figure, bar, columns, middle);
  addText(figure, columns.right + kGap, middle, bar.text, 11, Face::Mono, Role::Text);
  return below;
}

// The meaning of a line across the bars, at the right end of their title.
void addLegend(Figure& figure, const std::string& text, Role line, double right, double y) {
  const double x = right - textWidth(text, Face::Sans, 10);
  figure.marks.push_back(lineMark(x - 8, y - 20, x - 8, y - 8, line, 1.6));
  addText(figure, x, y - 14, text, 10, Face::Sans, Role::Muted);
}

double addGroup(Figure& figure, const MeasuredPicture& picture, const MeasuredBars& group, double y) {
  const Columns columns = columnsOf(picture, group);
  y = sectionTitle(figure, group.title, y);
  if (!group.leastText.empty()) addLegend(figure, group.leastText, Role::Text, columns.right, y);
  if (group.line) addLegend(figure, group.lineText, Role::Muted, columns.right, y);
  for (const MeasuredBar& bar : group.bars) {
    const double top = y;
    y = addBar(figure, bar, columns, y);
    if (group.line && bar.value)  // not across the text of a bar without a value
      figure.marks.push_back(lineMark(columns.at(*group.line), top, columns.at(*group.line), y, Role::Muted, 1.4));
  }
  return y + 14;
}

Role roleOf(MeasuredFact::State state) {
  return state == MeasuredFact::State::Good  ? Role::Proved
         : state == MeasuredFact::State::Bad ? Role::Refuted
                                             : Role::Unknown;
}

// A tick, a cross or a question mark.
void addSign(Figure& figure, MeasuredFact::State state, double x, double y) {
  const Role role = roleOf(state);
  if (state == MeasuredFact::State::Good) {
    figure.marks.push_back(lineMark(x - 4, y, x - 1, y + 3.5, role, 1.7));
    figure.marks.push_back(lineMark(x - 1, y + 3.5, x + 4.5, y - 4, role, 1.7));
  } else if (state == MeasuredFact::State::Bad) {
    figure.marks.push_back(lineMark(x - 4, y - 4, x + 4, y + 4, role, 1.7));
    figure.marks.push_back(lineMark(x - 4, y + 4, x + 4, y - 4, role, 1.7));
  } else {
    addText(figure, x, y, "?", 12, Face::SansMedium, role, Align::Center);
  }
}

double addChecks(Figure& figure, const std::vector<MeasuredFact>& checks, double y) {
  if (checks.empty()) return y;
  y = sectionTitle(figure, "CHECKS", y);
  double names = 60;
  for (const MeasuredFact& c : checks) names = std::max(names, textWidth(c.name, Face::SansMedium, kName));
  const double at = 18 + std::min(names, kLongestName) + kGap;
  for (const MeasuredFact& c : checks) {
    addSign(figure, c.state, 6, y + 10);
    addText(figure, 18, y + 10, fitted(c.name, Face::SansMedium, kName, kLongestName), kName, Face::SansMedium,
            Role::Text);
    const auto lines = wrapped(c.text, Face::Sans, 11.5, kWidth - at);
    for (std::size_t k = 0; k < lines.size(); ++k)
      addText(figure, at, y + 10 + 16 * static_cast<double>(k), lines[k], 11.5, Face::Sans,
              c.state == MeasuredFact::State::Bad ? Role::Text : Role::Muted);
    y += 24 + 16 * (static_cast<double>(std::max<std::size_t>(1, lines.size())) - 1);
  }
  return y + 12;
}

}  // namespace

Figure drawBars(const MeasuredPicture& picture) {
  Figure figure;
  addHead(figure, picture);
  double y = 0;
  for (const MeasuredBars& group : picture.groups) y = addGroup(figure, picture, group, y);
  y = addChecks(figure, picture.checks, y);
  if (!picture.resources.lines.empty()) {
    y = sectionTitle(figure, "RESOURCES", y);
    (void)addCells(figure, picture.resources, 0, y - 6, kWidth);
  }
  figure.legible = true;
  fitSize(figure);
  return figure;
}

}  // namespace tessera
