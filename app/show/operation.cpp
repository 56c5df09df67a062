// algebra: one operation with its inputs beside its result, in one colouring: equal addresses have equal hues in A and
// in the result, so that the picked elements are visible.
//
//     composition(A, B):  [A]  o  [B]  =  [R]        R(i) = A(B(i)); the hues are A's
//     logical_product(A, B): the hues are the copies of A in the result
//
// A refused composition shows the function i -> A(B(i)) itself. Strides read off at the unit coordinates are compared
// with every cell; where they fail the cell is lit and shows the value they predict.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/show/show.h"
#include "core/layout/layout.h"
#include "core/map/compose.h"
#include "core/notation/cute/notation.h"
#include "core/worksheet/value.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/levels/levels.h"
#include "render/draw/links.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

struct Part {
  std::string name;       // "A"
  std::string text;       // canonical
  Figure figure;          // empty for values that are not functions
  std::string grid = {};  // name of the grids, if not the part's
};

double widthOf(const Part& p) {
  return std::max(
      {p.figure.width, textWidth(p.name, Face::SansMedium, 12.5), std::min(300.0, textWidth(p.text, Face::Mono, 11))});
}

void placePart(Figure& figure, const Part& part, double x, double y) {
  const double width = std::max(widthOf(part), 80.0);
  addText(figure, x, y + 8, part.name, 12.5, Face::SansMedium, Role::Text);
  addText(figure, x, y + 26, fitted(part.text, Face::Mono, 11, std::max(width, 120.0)), 11, Face::Mono, Role::Muted);
  place(figure, part.figure, x, y + 42, part.grid.empty() ? part.name : part.grid);
}

// Lays out parts in a row with signs between them, broken into rows of at most page width.
void layOut(Figure& figure, const std::vector<Part>& parts, const std::vector<std::string>& signs) {
  constexpr double kWide = 1500, kSign = 46;
  double x = 0, y = 0, rowHeight = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const double width = std::max(widthOf(parts[k]), 80.0);
    if (k > 0) {
      if (x + kSign + width > kWide) {
        x = 0;
        y += rowHeight + 34;
        rowHeight = 0;
        addText(figure, x, y + 8, signs[k - 1], 15, Face::Mono, Role::Muted);
        x = kSign - 20;
      } else {
        // Beside the names if the parts differ much in height, else between the grids.
        addText(figure, x + kSign / 2, y + 8, signs[k - 1], 15, Face::Mono, Role::Muted, Align::Center);
        x += kSign;
      }
    }
    const double height = parts[k].figure.height + 42;
    placePart(figure, parts[k], x, y);
    x += width;
    rowHeight = std::max(rowHeight, height);
  }
}

bool takesAddressesOfA(const std::string& function) {
  return function == "composition" || function == "coalesce" || function == "compose" || function == "filter" ||
         function == "flatten" || function == "select" || function == "group" || function == "group_modes" ||
         function.ends_with("_divide");
}

// Blocks of A's cosize: the copies of A in a product.
std::optional<AddressBlocks> copiesOf(const Subject& a, const std::string& function) {
  if (!function.ends_with("_product") || a.axes() != 1 || a.most - a.least + 1 < 2) return std::nullopt;
  AddressBlocks blocks;
  blocks.block = a.most - a.least + 1;
  return blocks;
}

// i -> A(B(i)) in B's shape, with the strides that the unit coordinates suggest.
std::optional<std::pair<SubjectPtr, GridExtras>> refusedComposition(const Operation& op) {
  if (op.function != "composition" || op.inputs.size() != 2) return std::nullopt;
  const auto a = toMap(op.inputs[0]), b = toMap(op.inputs[1]);
  const auto shape = subjectOf(op.inputs[1]);
  if (!a || !b || !shape || a->axes().size() != 1 || b->axes().size() != 1) return std::nullopt;
  const auto both = then(*b, *a, true);
  if (!both) return std::nullopt;
  const auto whole = subjectOf(Layout(arrowOf(*both, SpaceKind::Elements, LinearOrder::Colex, SpaceKind::Memory)));
  if (!whole || (*whole)->leafDigit.size() != (*shape)->leafDigit.size()) return std::nullopt;
  auto s = std::make_shared<Subject>(**shape);
  s->map = (*whole)->map;
  s->evaluator = (*whole)->evaluator;
  s->least = (*whole)->least;
  s->most = (*whole)->most;
  s->swizzle.reset();
  s->strides.clear();
  s->inner.reset();
  s->text = "i \u2192 A(B(i))";
  GridExtras extras;
  std::vector<i64> digits(s->map.digits().size(), 0);
  const i64 origin = s->valueAt(digits);
  if (origin != 0) return std::nullopt;
  for (int d : s->leafDigit) {
    const std::size_t k = static_cast<std::size_t>(d);
    digits[k] = s->map.digits()[k].extent > 1 ? 1 : 0;
    extras.claimedStrides.push_back(s->valueAt(digits));  // 0 for an extent of 1: the origin is at 0
    digits[k] = 0;
  }
  return std::make_pair(SubjectPtr(s), extras);
}

// A divide puts a tile into one mode: draw the result as tiles.
void drawTiles(Part& part, const Operation& op, const Value& result, const std::optional<AddressBlocks>& blocks) {
  constexpr i64 kMostOfEach = 1 << 16;
  const bool tiles = op.function == "zipped_divide" || op.function == "tiled_divide" || op.function == "flat_divide";
  if (!tiles) return;
  const Result<Layout> layout = layoutOf(result);
  if (!layout) return;
  const Result<Levels> levels = levelsOf(*layout);
  if (levels && levels->subject->size <= kMostOfEach)
    part.figure = drawLevelsPart(*levels, blocks ? *blocks : addressBlocks(*levels->subject));
}

constexpr const char* kNames[] = {"A", "B", "C", "D", "E", "F"};

Part partOf(const std::string& name, const Value& value, const std::optional<AddressBlocks>& blocks) {
  Part part;
  part.name = name;
  part.text = print(value);
  if (std::holds_alternative<i64>(value) || std::holds_alternative<bool>(value) ||
      std::holds_alternative<cute::IntTuple>(value)) {
    return part;
  }
  if (const auto* tiler = std::get_if<cute::Tiler>(&value)) {  // mode by mode, stacked
    double y = 0;
    int n = 0;
    for (const cute::TilerEntry& entry : tiler->entries) {
      if (entry.kind == cute::TilerEntry::Kind::Layout) {
        Part mode = partOf("", Value(entry.layout), std::nullopt);
        addText(part.figure, 0, y + 8, fmt::format("mode {}: {}", n, mode.text), 11, Face::Mono, Role::Muted);
        place(part.figure, mode.figure, 0, y + 18);
        y += mode.figure.height + 34;
      }
      ++n;
    }
    return part;
  }
  const auto subject = subjectOf(value);
  if (!subject) return part;
  GridExtras extras;
  extras.blocks = blocks;
  if (auto figure = drawGridWith(*subject, {}, extras)) part.figure = *std::move(figure);
  return part;
}

}  // namespace

Result<Figure> drawOperation(const Operation& op, const Value* result, const Diag* refusal,
                             const DrawOptions& options) {
  std::optional<AddressBlocks> blocks, copies;
  if (!op.inputs.empty()) {
    if (const auto a = subjectOf(op.inputs[0]); a && (*a)->axes() == 1) {
      if (takesAddressesOfA(op.function)) blocks = addressBlocks(**a);
      copies = copiesOf(**a, op.function);
    }
  }
  std::vector<Part> parts;
  std::vector<std::string> signs, inputs;
  std::string names;
  for (std::size_t k = 0; k < op.inputs.size() && k < std::size(kNames); ++k) {
    if (k > 0) signs.emplace_back(op.function == "composition" ? "\u2218" : ",");
    const bool first = k == 0;
    parts.push_back(partOf(kNames[k], op.inputs[k], first && blocks ? blocks : first ? copies : std::nullopt));
    inputs.emplace_back(kNames[k]);
    names += (k == 0 ? "" : ", ") + inputs.back();
  }
  Figure figure;
  figure.title = options.name.empty() ? fmt::format("{}({})", op.function, names)
                                      : fmt::format("{} = {}({})", options.name, op.function, names);
  if (result != nullptr) {
    signs.emplace_back("=");
    parts.push_back(partOf(options.name.empty() ? "result" : options.name, *result, blocks ? blocks : copies));
    drawTiles(parts.back(), op, *result, blocks);
    // A result called B is not the input B.
    const bool clash = std::ranges::any_of(inputs, [&](const auto& n) { return n == parts.back().name; });
    if (clash) parts.back().grid = "result";
    figure.links = linksOf(op, result, inputs, clash ? "result" : parts.back().name);
    figure.subtitle = print(*result);
    figure.caption = blocks   ? "The same hue is the same stretch of A's addresses in every grid."
                     : copies ? "Each hue is one copy of A."
                              : "";
  } else {
    if (auto function = refusedComposition(op)) {
      Part part;
      part.name = "no layout";
      part.text = function->first->text;
      function->second.blocks = blocks;
      if (auto grid = drawGridWith(function->first, {}, function->second)) part.figure = *std::move(grid);
      figure.caption = fmt::format(
          "Strides ({}) fit the unit coordinates; lit cells show A(B(i)) and, below, what those strides would give.",
          fmt::join(function->second.claimedStrides, ","));
      signs.emplace_back("\u2260");
      parts.push_back(std::move(part));
    }
    figure.subtitle = refusal != nullptr ? refusal->message : "refused";
  }
  layOut(figure, parts, signs);
  fitSize(figure);
  return figure;
}

}  // namespace tessera
