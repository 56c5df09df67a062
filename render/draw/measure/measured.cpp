#include "render/draw/measure/measured.h"

#include <algorithm>

#include "render/draw/grid/layouts.h"
#include "render/figure/figure.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kWidth = 760, kName = 12, kSettings = 10, kSection = 10.5;
constexpr double kRow = 30, kSettingsRow = 14, kBar = 18, kGap = 14, kLongestName = 200;

Paint paintOf(MeasuredBar::Look look) {
  using Look = MeasuredBar::Look;
  if (look == Look::Kernel || look == Look::Wrong) return {look == Look::Kernel ? Role::Accent : Role::Refuted};
  return {Role::Group, static_cast<int>(look), 2};
}

constexpr double kCellGap = 22, kCellRow = 24, kCellText = 11, kCellHead = 10, kLongest = 340;

bool isText(const MeasuredCells& cells, std::size_t column) { return !cells.numbers[column]; }
Face faceOf(const MeasuredCells& cells, std::size_t column) { return isText(cells, column) ? Face::Sans : Face::Mono; }

std::vector<double> widthsOf(const MeasuredCells& cells) {
  std::vector<double> out;
  for (std::size_t k = 0; k < cells.heads.size(); ++k) {
    double wide = textWidth(cells.heads[k], Face::Sans, kCellHead);
    for (const auto& line : cells.lines) wide = std::max(wide, textWidth(line[k], faceOf(cells, k), kCellText));
    out.push_back(std::min(wide, kLongest));
  }
  return out;
}

// Preferred total width of the columns.
double cellsWidth(const MeasuredCells& cells) {
  double all = 0;
  for (const double wide : widthsOf(cells)) all += wide + kCellGap;
  return std::max(0.0, all - kCellGap);
}

// A small table of texts: faint heads, right-aligned numbers, hairlines between the rows. It starts at (x, y) and is at
// most `width` wide; long texts are cut. Returns its bottom.
double addCells(Figure& figure, const MeasuredCells& cells, double x, double y, double width) {
  if (cells.lines.empty()) return y;
  const std::vector<double> widths = widthsOf(cells);
  const auto add = [&](const std::vector<std::string>& line, double at, bool head) {
    double left = x;
    for (std::size_t k = 0; k < line.size(); ++k) {
      const double size = head ? kCellHead : kCellText;
      const Face face = head ? Face::Sans : faceOf(cells, k);
      const Align align = isText(cells, k) ? Align::Left : Align::Right;
      const double anchor = align == Align::Left ? left : left + widths[k];
      const Role role = head ? Role::Faint : k == 0 ? Role::Text : Role::Muted;
      addText(figure, anchor, at, fitted(line[k], face, size, widths[k] + 1), size, face, role, align);
      left += widths[k] + kCellGap;
    }
  };
  add(cells.heads, y + kCellRow / 2, true);
  for (const auto& line : cells.lines) {
    y += kCellRow;
    addLine(figure, x, y, x + width, y, Role::Hairline);
    add(line, y + kCellRow / 2, false);
  }
  return y + kCellRow;
}

// Adds title and badges, and the complete results as the table that inks export.
void addHead(Figure& figure, const MeasuredPicture& picture) {
  figure.title = picture.title;
  figure.subtitle = picture.subtitle;
  figure.caption = picture.caption;
  figure.badges = picture.badges;
  figure.table.push_back(picture.all.heads);
  for (const auto& line : picture.all.lines) figure.table.push_back(line);
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
  addLine(figure, from, middle, to, middle, Role::Text, 1.2);
  for (const double x : {from, to}) addLine(figure, x, middle - 4.5, x, middle + 4.5, Role::Text, 1.2);
}

// Draws name, track, bar, whiskers and number; returns its bottom.
double addBar(Figure& figure, const MeasuredBar& bar, const Columns& columns, double y) {
  const double middle = y + kRow / 2;
  addFitted(figure, 0, middle, columns.left - kGap, bar.name, kName, Face::SansMedium, Role::Text);
  const double below = bar.settings.empty() ? y + kRow : y + kRow + kSettingsRow;
  if (!bar.settings.empty())
    addFitted(figure, 0, middle + 16, columns.left - kGap, bar.settings, kSettings, Face::Mono, Role::Muted);
  if (!bar.value) {
    addFitted(figure, columns.left, middle, kWidth - columns.left, bar.text, 11, Face::Sans, Role::Muted);
    return below;
  }
  const double top = middle - kBar / 2, wide = columns.at(*bar.value) - columns.left;
  addBox(figure, {columns.left, top, columns.right - columns.left, kBar}, {Role::Raised}, {Role::None}, 5);
  if (wide > 0) addBox(figure, {columns.left, top, wide, kBar}, paintOf(bar.look), {Role::None}, 5);
  if (bar.least) {
    const double x = columns.at(*bar.least);
    addLine(figure, x, top - 3, x, top + kBar + 3, Role::Text, 1.6);
  }
  addWhiskers(figure, bar, columns, middle);
  addText(figure, columns.right + kGap, middle, bar.text, 11, Face::Mono, Role::Text);
  return below;
}

// The meaning of a line across the bars, at the right end of their title.
void addLegend(Figure& figure, const std::string& text, Role line, double right, double y) {
  const double x = right - textWidth(text, Face::Sans, 10);
  addLine(figure, x - 8, y - 20, x - 8, y - 8, line, 1.6);
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
      addLine(figure, columns.at(*group.line), top, columns.at(*group.line), y, Role::Muted, 1.4);
  }
  return y + 14;
}

constexpr SignShape kSign = {{{-4, 0}, {-1, 3.5}, {4.5, -4}}, 4, 1.7, 12};

double addChecks(Figure& figure, const std::vector<MeasuredFact>& checks, double y) {
  if (checks.empty()) return y;
  y = sectionTitle(figure, "CHECKS", y);
  double names = 60;
  for (const MeasuredFact& c : checks) names = std::max(names, textWidth(c.name, Face::SansMedium, kName));
  const double at = 18 + std::min(names, kLongestName) + kGap;
  for (const MeasuredFact& c : checks) {
    addSign(figure, c.state, 6, y + 10, kSign);
    addFitted(figure, 18, y + 10, kLongestName, c.name, kName, Face::SansMedium, Role::Text);
    const Role role = c.state == Truth::Refuted ? Role::Text : Role::Muted;
    const double below = addParagraph(figure, at, y + 10, c.text, {kWidth - at, 16, 11.5, Face::Sans, role});
    y = std::max(below, y + 26) - 2;
  }
  return y + 12;
}

}  // namespace

Figure drawMeasuredTable(const MeasuredPicture& picture) {
  Figure figure;
  addHead(figure, picture);
  (void)addCells(figure, picture.all, 0, 0, cellsWidth(picture.all));
  figure.legible = true;
  fitSize(figure);
  return figure;
}

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
