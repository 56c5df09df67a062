// verdict: a claim and its verdict as a card; a counterexample is a picture with the offending cells lit.
#include <fmt/format.h>

#include <algorithm>

#include "core/claim/claim.h"
#include "core/layout/layout.h"
#include "render/draw/draw.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/subject.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kCard = 560;

constexpr SignShape kSign = {{{-5, 0.5}, {-1.5, 4}, {5, -4}}, 4, 2, 15};

double paragraph(Figure& figure, double x, double y, const std::string& text, double size, Face face, Role role,
                 double width) {
  for (const std::string& line : wrapped(text, face, size, width)) {
    addText(figure, x, y + size * 0.7, line, size, face, role);
    y += size * 1.45;
  }
  return y;
}

// The card's text; returns its height.
double card(Figure& figure, const Verdict& v) {
  const Role role = roleOf(v.truth);
  const double left = 54;
  addBox(figure, {0, 0, kCard, 10}, {Role::Panel}, {Role::Hairline}, 7);  // height is set below
  const std::size_t panel = figure.marks.size() - 1;
  addBox(figure, {0, 10, 3, 10}, {role}, {}, 1.5);
  const std::size_t stripe = figure.marks.size() - 1;
  addBox(figure, {18, 17, 24, 24}, {}, {role}, 12);
  figure.marks.back().width = 1.5;
  addSign(figure, v.truth, 30, 29, kSign);
  double size = 13;
  while (size > 9.5 && textWidth(v.claim, Face::Mono, size) > kCard - left - 16) size -= 0.5;
  double y = addParagraph(figure, left, 24, v.claim, {kCard - left - 16, 18, size, Face::Mono, Role::Text}) - 6;
  const std::string truth = name(v.truth);
  const double width = addText(figure, left, y + 8, truth, kType.body, Face::SansMedium, role);
  // No time: the same claim gives the same picture.
  std::string rest = v.method;
  if (v.truth == Truth::Refuted) rest += rest.empty() ? "replayed" : "  \u00b7  replayed";
  addText(figure, left + width + 10, y + 8, rest, kType.body, Face::Sans, Role::Muted);
  y += 24;
  if (v.counterexample && !v.counterexample->text.empty())
    y = paragraph(figure, left, y, v.counterexample->text, kType.body, Face::Sans, Role::Text, kCard - left - 20) + 4;
  if (!v.detail.empty())
    y = paragraph(figure, left, y, v.detail, kType.caption, Face::Sans, Role::Muted, kCard - left - 20) + 4;
  if (v.counterexample && !v.counterexample->witnesses.empty()) {
    double nameWidth = 30;
    for (const Witness& w : v.counterexample->witnesses)
      nameWidth = std::max(nameWidth, textWidth(w.name, Face::Mono, 11.5));
    nameWidth = std::min(nameWidth, 200.0);
    y += 2;
    for (const Witness& w : v.counterexample->witnesses) {
      addFitted(figure, left, y + 8, nameWidth, w.name, 11.5, Face::Mono, Role::Muted);
      addFitted(figure, left + nameWidth + 18, y + 8, kCard - left - nameWidth - 36, coordText(w.values), 11.5,
                Face::Mono, Role::Text);
      figure.table.push_back({w.name, coordText(w.values)});
      y += 18;
    }
  }
  y += 12;
  figure.marks[panel].rect.h = y;
  figure.marks[stripe].rect = {0, 8, 3, y - 16};
  return y;
}

// A mode by the name of its digit, if it has only one.
std::string nameOf(const Subject& s, std::size_t mode) {
  std::size_t leaf = 0;
  for (std::size_t m = 0; m < mode; ++m) leaf += s.modes[m].size();
  if (s.modes[mode].size() != 1) return fmt::format("mode {}", mode);
  return s.map.digits()[static_cast<std::size_t>(s.leafDigit[leaf])].name;
}

// Map k with the modes of its original layout.
Arrow arrowOfMap(const Map& map, const std::vector<i64>& modes) {
  Arrow arrow = arrowOf(map, SpaceKind::Elements, LinearOrder::Colex, SpaceKind::Coordinates);
  std::vector<Mode> grouped;
  std::size_t digit = 0;
  for (const i64 extent : modes) {
    Mode mode;
    i64 seen = 1;
    while (digit < arrow.from.modes.size() && (seen < extent || mode.digits.empty())) {
      const Mode& own = arrow.from.modes[digit++];
      if (mode.digits.empty())
        mode = own;
      else
        mode.digits.push_back(own.extent());
      seen *= own.extent();
    }
    if (seen != extent) return arrow;
    grouped.push_back(std::move(mode));
  }
  if (digit == arrow.from.modes.size()) arrow.from.modes = std::move(grouped);
  return arrow;
}

// Grids of one map with the points lit: one slice per choice of the modes beyond the second.
Result<Figure> pictureOf(const SubjectPtr& s, const std::vector<i64>& indices) {
  std::vector<std::vector<i64>> slices;
  for (i64 index : indices) {
    std::vector<i64> rest = s->coordOf(index);
    rest.erase(rest.begin(), rest.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(rest.size())));
    if (std::ranges::find(slices, rest) == slices.end() && slices.size() < 4) slices.push_back(rest);
  }
  if (slices.empty()) slices.emplace_back(static_cast<std::size_t>(std::max(0, s->rank() - 2)), 0);
  Figure all;
  double x = 0;
  for (const std::vector<i64>& slice : slices) {
    DrawOptions options;
    std::string label;
    for (std::size_t k = 0; k < slice.size(); ++k) {
      options.fixed.emplace_back(static_cast<int>(k) + 2, slice[k]);
      label += fmt::format("{}{} = {}", label.empty() ? "" : "  ", nameOf(*s, k + 2), slice[k]);
    }
    TESSERA_TRY(Figure part, drawGrid(s, options));
    for (i64 index : indices) part.lit.push_back({s->domain, index});
    part = windowed(part, 16);
    const double top = label.empty() ? 0 : 18;
    if (!label.empty()) addText(all, x + 20, 8, label, kType.small, Face::SansMedium, Role::Muted);
    place(all, part, x, top, label);
    x += part.width + 28;
  }
  return all;
}

}  // namespace

std::vector<Point> pointsOf(const Claim& claim, const Counterexample& why) {
  std::vector<Point> points;
  for (std::size_t k = 0; k < claim.maps().size(); ++k) {
    const u64 domain = pointDomain(modesOf(claim, k));
    for (const i64 index : indicesOf(claim, why, k))
      if (const Point p{domain, index}; std::ranges::find(points, p) == points.end()) points.push_back(p);
  }
  return points;
}

std::vector<Layout> layoutsOf(const Claim& claim) {
  std::vector<Layout> layouts;
  for (std::size_t k = 0; k < claim.maps().size(); ++k) {
    layouts.emplace_back(arrowOfMap(claim.maps()[k], modesOf(claim, k)));
  }
  return layouts;
}

Result<Figure> drawVerdict(const Verdict& verdict, const DrawOptions& options, const Claim* claim) {
  Figure figure;
  figure.title = options.name.empty() ? std::string("Verdict") : options.name;
  figure.table = {{"name", "value"},
                  {"claim", verdict.claim},
                  {"verdict", name(verdict.truth)},
                  {"method", verdict.method},
                  {"ms", fmt::format("{:.3f}", verdict.milliseconds)}};
  if (verdict.counterexample) figure.table.push_back({"counterexample", verdict.counterexample->text});
  if (!verdict.detail.empty()) figure.table.push_back({"detail", verdict.detail});
  double y = card(figure, verdict) + 22;
  if (verdict.counterexample && claim != nullptr) {
    const std::span<const Map> maps = claim->maps();
    double x = 0;
    int shown = 0;
    for (std::size_t k = 0; k < maps.size() && shown < 2; ++k) {
      const auto subject = subjectOf(Layout(arrowOfMap(maps[k], modesOf(*claim, k))));
      if (!subject) continue;
      auto picture = pictureOf(*subject, indicesOf(*claim, *verdict.counterexample, k));
      if (!picture) continue;
      const std::string label = maps.size() > 1 ? std::string(1, static_cast<char>('f' + static_cast<int>(k))) : "";
      if (!label.empty()) addText(figure, x + 20, y + 6, label, 12.5, Face::Mono, Role::Text);
      place(figure, *picture, x, y + (label.empty() ? 0 : 20), label);
      x += picture->width + 36;
      ++shown;
    }
    std::ranges::sort(figure.lit, [](const Point& a, const Point& b) { return a.index < b.index; });
    figure.lit.erase(std::unique(figure.lit.begin(), figure.lit.end()), figure.lit.end());
    if (shown > 0)
      figure.caption =
          "Lit: " + verdict.counterexample->text + (verdict.counterexample->text.ends_with('.') ? "" : ".");
  }
  fitSize(figure);
  return figure;
}

}  // namespace tessera
