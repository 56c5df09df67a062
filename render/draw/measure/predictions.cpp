// predictions: the table of core/analysis/memory/prediction.h as a picture: one line per access with predicted and
// measured values; disagreements are lit, agreements muted.
#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/memory/prediction.h"
#include "core/base/mapped.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/modes.h"
#include "render/draw/views.h"
#include "render/figure/figure.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kRowH = 26, kHeadH = 24, kGap = 22, kBarW = 128, kBarH = 8, kSize = 11.5, kMostLayout = 330;

Role roleOf(Agreement a) {
  return a == Agreement::Disagrees ? Role::Refuted : a == Agreement::Agrees ? Role::Proved : Role::Muted;
}

std::string number(const std::optional<double>& x) { return x ? fmt::format("{:.3g}", *x) : "\u2013"; }

struct Field {
  const char* head;
  Face face;
  bool right;
  std::string (*text)(const PredictionRow& row);
};
constexpr Field kFields[] = {
    {"line", Face::Sans, true, [](const PredictionRow& r) { return r.line > 0 ? fmt::format("{}", r.line) : ""; }},
    {"instruction", Face::Mono, false, [](const PredictionRow& r) { return r.instruction; }},
    {"operand", Face::Mono, false, [](const PredictionRow& r) { return r.operand; }},
    {"layout", Face::Mono, false,
     [](const PredictionRow& r) { return fitted(r.layout, Face::Mono, kSize, kMostLayout); }},
    {"times", Face::Sans, true, [](const PredictionRow& r) { return fmt::format("{}", r.times); }},
    {"ideal", Face::Sans, true, [](const PredictionRow& r) { return fmt::format("{}", r.ideal); }},
    {"predicted", Face::SansMedium, true, [](const PredictionRow& r) { return fmt::format("{}", r.wavefronts); }},
    {"measured", Face::Sans, true, [](const PredictionRow& r) { return number(r.measured); }},
    {"cycles", Face::Sans, true, [](const PredictionRow& r) { return number(r.cycles); }}};

// A field that some row has: its texts, position and width.
struct Column {
  Field field;
  std::vector<std::string> texts;
  double x = 0, width = 0;
};

std::vector<Column> columnsOf(const PredictionTable& table) {
  std::vector<Column> out;
  double x = 12;
  for (const Field& f : kFields) {
    Column c{f, mapped<std::string>(table.rows, f.text), x, textWidth(f.head, Face::Sans, kSize - 1)};
    const auto isEmpty = [](const std::string& t) { return t.empty() || t == "\u2013"; };
    if (std::ranges::all_of(c.texts, isEmpty)) continue;
    for (const std::string& t : c.texts) c.width = std::max(c.width, textWidth(t, f.face, kSize));
    x += c.width + kGap;
    out.push_back(std::move(c));
  }
  return out;
}

// Wavefronts as a bar: the instruction's minimum, plus conflicts; a line marks the measurement.
void addBar(Figure& figure, const PredictionRow& r, int most, double x, double y) {
  const double one = kBarW / most, top = y - kBarH / 2;
  addBox(figure, {x, top, kBarW, kBarH}, {Role::Panel}, {Role::None}, 3);
  if (r.wavefronts > r.ideal)
    addBox(figure, {x, top, one * r.wavefronts, kBarH}, {Role::Heat, 0, 0, 0.85F}, {Role::None}, 3);
  addBox(figure, {x, top, one * std::min(r.ideal, r.wavefronts), kBarH}, {Role::Faint}, {Role::None}, 3);
  if (r.measured) {
    const double at = x + std::clamp(one * *r.measured, 0.0, kBarW);
    addLine(figure, at, top - 4, at, top + kBarH + 4, Role::Text, 1.5);
  }
}

std::string verdictOf(const PredictionRow& r, const PredictionTable& table) {
  if (r.agreement != Agreement::Disagrees) {
    const bool same = r.why.empty() || r.why == table.notMeasured;
    return same ? std::string(name(r.agreement)) : fmt::format("{}: {}", name(r.agreement), r.why);
  }
  return r.why;
}

double addRows(Figure& figure, const PredictionTable& table, const std::vector<Column>& columns) {
  const double bar = columns.back().x + columns.back().width + kGap, verdict = bar + kBarW + kGap;
  int most = 8;
  for (const PredictionRow& r : table.rows) most = std::max(most, r.wavefronts);
  double wide = verdict;
  for (const PredictionRow& r : table.rows)
    wide = std::max(wide, verdict + textWidth(verdictOf(r, table), Face::Sans, kSize) + 12);
  const auto addCell = [&](const Column& c, double y, const std::string& text, double size, Face face, Role role) {
    addText(figure, c.field.right ? c.x + c.width : c.x, y, text, size, face, role,
            c.field.right ? Align::Right : Align::Left);
  };
  for (const Column& c : columns) addCell(c, kHeadH / 2, c.field.head, kSize - 1, Face::Sans, Role::Muted);
  addText(figure, bar, kHeadH / 2, "wavefronts", kSize - 1, Face::Sans, Role::Muted);
  addLine(figure, 0, kHeadH, wide, kHeadH, Role::Hairline);
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const PredictionRow& r = table.rows[k];
    const double y = kHeadH + 4 + (static_cast<double>(k) + 0.5) * kRowH;
    const bool flagged = r.agreement == Agreement::Disagrees;
    if (flagged) addBox(figure, {0, y - kRowH / 2 + 1, wide, kRowH - 2}, {Role::None}, {Role::Refuted}, 5);
    for (const Column& c : columns) addCell(c, y, c.texts[k], kSize, c.field.face, Role::Text);
    addBar(figure, r, most, bar, y);
    addText(figure, verdict, y, verdictOf(r, table), kSize, flagged ? Face::SansMedium : Face::Sans,
            roleOf(r.agreement));
  }
  return kHeadH + 4 + static_cast<double>(table.rows.size()) * kRowH;
}

void addCounters(Figure& figure, const PredictionTable& table, double y) {
  for (const ProfiledKernel& k : table.profiled) {
    y += 24;
    addText(figure, 0, y, fmt::format("{}: {} wavefronts predicted", k.kernel, k.wavefronts), 12, Face::SansMedium,
            Role::Text);
    const std::string said = k.why.empty() ? std::string(name(k.agreement)) : k.why;
    addText(figure, 0, y + 18, said, kSize, Face::Sans, roleOf(k.agreement));
    y += 18;
    for (const auto& [metric, value] : k.counters) {
      y += 18;
      addText(figure, 0, y, metric, kSize - 1, Face::Mono, Role::Muted);
      addText(figure, 520, y, fmt::format("{:.10g}", value), kSize, Face::Sans, Role::Text, Align::Right);
    }
  }
}

std::string captionOf(const PredictionTable& table) {
  if (table.rows.empty()) return "";
  const auto any = [&](const auto& test) { return std::ranges::any_of(table.rows, test); };
  std::string out = any([](const PredictionRow& r) { return r.wavefronts > r.ideal; })
                        ? "The bar is what one execution needs: without conflicts, and what conflicts add."
                        : "No access has conflicts.";
  if (any([](const PredictionRow& r) { return r.measured.has_value(); })) out += " A line marks the measured value.";
  if (!table.notMeasured.empty()) out += fmt::format(" Not measured: {}.", table.notMeasured);
  if (!table.remark.empty()) out += " " + table.remark + ".";
  return out;
}

}  // namespace

Result<Figure> drawPredictions(const PredictionTable& table, const DrawOptions& options) {
  TESSERA_CHECKED(expectNoWords(options.arguments, "predictions"));
  Figure figure;
  figure.title = fmt::format("{}: shared memory", table.title.empty() ? "program" : table.title);
  if (!table.rows.empty() || !table.profiled.empty())
    figure.subtitle = table.device.empty() ? summaryOf(table) : fmt::format("{}; {}", table.device, summaryOf(table));
  double y = 0;
  if (table.rows.empty()) {
    const std::string empty = table.remark.empty() ? "No instruction of it touches shared memory." : table.remark + ".";
    addText(figure, 0, 12, empty, kType.body, Face::Sans, Role::Muted);
    y = 24;
  } else {
    y = addRows(figure, table, columnsOf(table));
  }
  addCounters(figure, table, y);
  figure.table = cellsOf(table);
  figure.caption = captionOf(table);
  fitSize(figure);
  return figure;
}

}  // namespace tessera
