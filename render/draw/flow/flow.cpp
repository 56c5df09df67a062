// flow: one point, from its linear index to its address, every step with its numbers.
//
//     linear 13 -> coordinate (1,3) -> digits 1 | 1 1 -> products 1*1 | 1*2 1*8 -> sum 11 -> Sw<1,0,3> -> 10
//
// With a swizzle, it also shows the address bits before and after, with the bits read and the bits written boxed in two
// colours.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/mapped.h"
#include "render/draw/flow/flow_boxes.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

i64 tellingPoint(const Subject& s) {
  std::vector<i64> coord;
  for (const std::vector<i64>& mode : s.modes) {
    i64 c = 0, weight = 1;
    for (i64 e : mode) {
      c += weight * (e / 2 + (e > 4 ? 1 : 0));
      weight *= e;
    }
    coord.push_back(c);
  }
  return s.indexOf(coord);
}

// Rows of bit boxes: before and after, with bit numbers above.
void bitPanel(Figure& figure, const cute::Swizzle& swizzle, i64 before, i64 after, double top) {
  const u64 all = static_cast<u64>(before | after | swizzle.yyyMask() | swizzle.zzzMask());
  const int bits = std::max(4, static_cast<int>(std::bit_width(all)));
  const double size = bits > 32 ? 17 : 22, labels = 78;
  const double right = labels + size * bits + 14;
  for (int b = 0; b < bits; ++b) {
    const double x = labels + size * (bits - 1 - b);
    const bool read = ((swizzle.yyyMask() >> b) & 1) != 0, written = ((swizzle.zzzMask() >> b) & 1) != 0;
    addText(figure, x + size / 2, top, fmt::format("{}", b), 9, Face::Mono, Role::Faint, Align::Center);
    for (int row = 0; row < 2; ++row) {
      const i64 v = row == 0 ? before : after;
      const Role role = read ? Role::BitRead : written ? Role::BitWrite : Role::BitPlain;
      const double y = top + 12 + row * (size + 22);
      addBox(figure, {x + 1, y, size - 2, size}, {role}, {Role::Hairline}, 3);
      const bool changed = row == 1 && ((before ^ after) >> b & 1) != 0;
      addText(figure, x + size / 2, y + size / 2, ((v >> b) & 1) != 0 ? "1" : "0", 11.5,
              changed ? Face::MonoBold : Face::Mono, read || written || changed ? Role::Text : Role::Muted,
              Align::Center);
    }
    // This bit is xored with the one |S| places away.
    if (written) {
      const double from = x - size * swizzle.shift();
      addArrow(figure, from + size / 2, top + 12 + size + 2, x + size / 2, top + 12 + size + 19, Role::Faint, 0.9);
    }
  }
  const double y0 = top + 12 + size / 2, y1 = y0 + size + 22;
  addText(figure, labels - 10, y0, "sum", kType.small, Face::Sans, Role::Muted, Align::Right);
  addText(figure, labels - 10, y1, "address", kType.small, Face::Sans, Role::Muted, Align::Right);
  addText(figure, right, y0, fmt::format("{} = 0x{:x}", before, before), 11, Face::Mono, Role::Text);
  addText(figure, right, y1, fmt::format("{} = 0x{:x}", after, after), 11, Face::Mono, Role::Text);
  const double legend = y1 + size / 2 + 20;
  const int readLow = std::countr_zero(static_cast<u64>(swizzle.yyyMask()));
  const int writeLow = std::countr_zero(static_cast<u64>(swizzle.zzzMask()));
  auto range = [&](int low) {
    return swizzle.bits() == 1 ? fmt::format("bit {}", low)
                               : fmt::format("bits {} to {}", low, low + swizzle.bits() - 1);
  };
  // Returns the right end.
  const auto addLegend = [&](double x, Role role, const std::string& text) {
    addBox(figure, {x, legend - 6, 12, 12}, {role}, {Role::Hairline}, 3);
    return x + 18 + addText(figure, x + 18, legend, text, kType.small, Face::Sans, Role::Muted);
  };
  const double end = addLegend(labels + 1, Role::BitRead, "reads " + range(readLow));
  (void)addLegend(end + 18, Role::BitWrite, "xors them into " + range(writeLow));
}

// linear, coordinate, digits: common to all maps.
Flow readingPart(const Subject& s, i64 index, const std::vector<i64>& coord, const std::vector<double>& leafY,
                 double middle) {
  Flow flow;
  flow.columns.push_back({"linear index", {{fmt::format("{}", index), "", middle, Role::Panel}}});
  FlowColumn coords{"coordinate"}, digits{"digits"};
  FlowWires fromLinear(1), fromCoords;
  std::size_t leaf = 0;
  i64 before = 1;
  for (std::size_t m = 0; m < s.modes.size(); ++m) {
    const std::vector<i64>& leaves = s.modes[m];
    const double y = (leafY[leaf] + leafY[leaf + leaves.size() - 1]) / 2;
    std::string how = m == 0 ? fmt::format("{}", index) : fmt::format("{} / {}", index, before);
    if (m + 1 < s.modes.size()) how += fmt::format(" % {}", s.extents[m]);
    coords.boxes.push_back({fmt::format("{}", coord[m]), s.modes.size() == 1 ? "" : how, y, Role::Panel});
    fromLinear[0].push_back(m);
    fromCoords.emplace_back();
    i64 rest = coord[m], inner = 1;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      const bool last = k + 1 == leaves.size();
      std::string digitHow;
      if (leaves.size() > 1) {
        digitHow = inner == 1 ? fmt::format("{}", coord[m]) : fmt::format("{} / {}", coord[m], inner);
        if (!last) digitHow += fmt::format(" % {}", leaves[k]);
      }
      digits.boxes.push_back({fmt::format("{}", last ? rest : rest % leaves[k]), digitHow, leafY[leaf], Role::Panel});
      fromCoords.back().push_back(leaf++);
      rest /= leaves[k];
      inner *= leaves[k];
    }
    before *= s.extents[m];
  }
  const bool nested = coords.boxes.size() != digits.boxes.size();
  addFlowColumn(flow, std::move(coords), std::move(fromLinear));
  if (nested) addFlowColumn(flow, std::move(digits), std::move(fromCoords));  // else the coordinates are the digits
  return flow;
}

constexpr double kBoxHeight = 28, kGap = 40;
constexpr double kWidest = 340;  // of a formula

}  // namespace

Result<Figure> drawFlow(const SubjectPtr& s, const DrawOptions& options) {
  if (s->leafDigit.empty())
    return Diag{s->text + " has a single point and no digits, so there is no flow", "a layout of rank 1 or more",
                "as grid"};
  if (s->leafDigit.size() > 24)
    return Diag{fmt::format("{} digits are too many for a flow", s->leafDigit.size()), "at most 24", "as grid"};
  i64 index = tellingPoint(*s);
  if (options.hover && options.hover->isIn(s->domain, s->size)) index = options.hover->index;
  const std::vector<i64> coord = s->coordOf(index);
  std::vector<i64> digits;
  s->digitsOf(coord.data(), digits);
  std::vector<double> leafY;
  for (std::size_t k = 0; k < s->leafDigit.size(); ++k) leafY.push_back(38 + kFlowRow * static_cast<double>(k));
  const double middle = (leafY.front() + leafY.back()) / 2;

  Figure figure;
  Flow flow = readingPart(*s, index, coord, leafY, middle);
  const i64 address = s->axes() == 1 ? s->valueAt(digits) : 0;
  i64 sum = s->offset;
  if (!s->strides.empty() && s->axes() == 1) {
    FlowColumn products{"digit \u00d7 stride"};
    std::string how = s->offset != 0 ? fmt::format("{}", s->offset) : "";
    for (std::size_t k = 0; k < leafY.size(); ++k) {
      const i64 d = digits[static_cast<std::size_t>(s->leafDigit[k])], product = d * s->strides[k];
      sum += product;
      products.boxes.push_back(
          {fmt::format("{}", product), fmt::format("{} * {}", d, s->strides[k]), leafY[k], Role::Panel});
      how += (how.empty() ? "" : " + ") + fmt::format("{}", product);
    }
    addFlowColumn(flow, std::move(products), true);
    const bool more = s->swizzle || s->outer;
    if (textWidth(how, Face::Mono, 9.5) > 170)
      how = s->offset != 0 ? fmt::format("offset {} + products", s->offset) : "of the products";
    addFlowColumn(flow, {more ? "sum" : "sum = address",
                         {{fmt::format("{}", sum), leafY.size() > 1 || s->offset != 0 ? how : "", middle,
                           more ? Role::Panel : Role::Lit}}});
    if (more) {
      const std::string map = s->swizzle ? print(*s->swizzle) : "outer layout";
      how = s->swizzle ? fmt::format("{} xor {}", sum, sum ^ address) : fmt::format("{}({})", print(*s->outer), sum);
      addFlowColumn(flow, {map + " \u2192 address", {{fmt::format("{}", address), how, middle, Role::Lit}}});
    }
  } else {
    FlowColumn axes{"axes"};
    const auto names = mapped<std::string>(s->map.digits(), &Digit::name);
    const std::vector<double> y = flowRows(static_cast<std::size_t>(s->axes()), middle);
    for (int a = 0; a < s->axes(); ++a) {
      const Axis& axis = s->map.axes()[static_cast<std::size_t>(a)];
      axes.boxes.push_back({fmt::format("{} = {}", axis.name, s->valueAt(digits, a)),
                            fitted(print(axis.value, names), Face::Mono, 9.5, 320), y[static_cast<std::size_t>(a)],
                            Role::Lit});
    }
    addFlowColumn(flow, std::move(axes));
  }
  addFlow(figure, std::move(flow), {s->domain, index});
  if (s->swizzle) bitPanel(figure, *s->swizzle, sum, address, leafY.back() + 62);
  fitSize(figure);

  setTitle(figure, options, "flow", "Digit flow", s->text);
  figure.caption = fmt::format("{} has linear index {}", coordText(coord), index);
  if (s->axes() == 1) figure.caption += fmt::format(" and address {}", address);
  if (s->swizzle) figure.caption += fmt::format(": {} = 0b{:b} before the swizzle", sum, static_cast<u64>(sum));
  figure.caption += ".";
  return figure;
}

void addFlow(Figure& figure, Flow flow, Point point) {
  std::vector<FlowColumn>& columns = flow.columns;
  double x = 0;
  for (FlowColumn& c : columns) {
    c.w = std::max(54.0, textWidth(c.title, Face::SansMedium, kType.section) + 4);
    for (const FlowBox& b : c.boxes)
      c.w = std::max({c.w, textWidth(b.text, Face::Mono, 12.5) + 22, textWidth(b.below, Face::Mono, 9.5) + 4});
    c.x = x;
    x += c.w + kGap;
  }
  // Spread arrow heads that meet at one box.
  for (std::size_t k = 0; k + 1 < columns.size(); ++k) {
    std::vector<double> arriving(columns[k + 1].boxes.size(), 0), seen(columns[k + 1].boxes.size(), 0);
    for (const auto& from : flow.wires[k])
      for (std::size_t to : from) arriving[to] += 1;
    for (std::size_t b = 0; b < columns[k].boxes.size(); ++b) {
      for (std::size_t to : flow.wires[k][b]) {
        const double apart = std::min(8.0, 22 / std::max(1.0, arriving[to] - 1));
        const double y = columns[k + 1].boxes[to].y + (seen[to] - (arriving[to] - 1) / 2) * apart;
        seen[to] += 1;
        addArrow(figure, columns[k].x + columns[k].w + 5, columns[k].boxes[b].y, columns[k + 1].x - 6, y, Role::Faint);
      }
    }
  }
  figure.table = {{"step", "value", "how"}};
  for (const FlowColumn& c : columns) {
    addText(figure, c.x + c.w / 2, 8, c.title, kType.section, Face::SansMedium, Role::Muted, Align::Center);
    for (const FlowBox& b : c.boxes) {
      figure.table.push_back({c.title, b.text, b.below});
      const bool lit = b.fill == Role::Lit;
      addBox(figure, {c.x, b.y - kBoxHeight / 2, c.w, kBoxHeight}, {b.fill}, {lit ? Role::Text : Role::Hairline}, 5);
      figure.marks.back().width = lit ? 1.5 : 1;
      if (lit) figure.marks.back().point = point;
      addText(figure, c.x + c.w / 2, b.y, b.text, 12.5, lit ? Face::MonoBold : Face::Mono,
              lit ? Role::OnLit : Role::Text, Align::Center);
      if (!b.below.empty())
        addText(figure, c.x + c.w / 2, b.y + kBoxHeight / 2 + 9, b.below, 9.5, Face::Mono, Role::Faint, Align::Center);
    }
  }
}

std::vector<double> flowRows(std::size_t n, double middle) {
  std::vector<double> y(n);
  for (std::size_t k = 0; k < n; ++k)
    y[k] = middle + (static_cast<double>(k) - (static_cast<double>(n) - 1) / 2) * kFlowRow;
  return y;
}

void addFlowColumn(Flow& flow, FlowColumn column, bool oneToOne) {
  FlowWires wires(flow.columns.back().boxes.size());
  for (std::size_t k = 0; k < wires.size(); ++k)
    for (std::size_t to = 0; to < column.boxes.size(); ++to)
      if (!oneToOne || to == k) wires[k].push_back(to);
  addFlowColumn(flow, std::move(column), std::move(wires));
}

void addFlowColumn(Flow& flow, FlowColumn column, FlowWires wires) {
  flow.wires.push_back(std::move(wires));
  flow.columns.push_back(std::move(column));
}

// steps: a derivation as numbered lines: the operation, its numbers, the layout so far.

Result<Figure> drawSteps(const cute::Explanation& explanation, const DrawOptions& options) {
  // A long line is already shown below.
  const bool named = !options.name.empty() && options.name.size() <= 60 && options.name.find('\n') == std::string::npos;
  Figure figure =
      titledFigure(named ? options.name : "Derivation", explanation.title, {"step", "text", "formula", "layout"});
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
    const double formulaEnd =
        addParagraph(figure, formula, middle, s.formula, {kWidest, 17, 11, Face::Mono, Role::Muted});
    const double layoutEnd =
        addParagraph(figure, layout, middle, s.layout, {kWidest, 17, 11, Face::Mono, Role::Accent});
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
