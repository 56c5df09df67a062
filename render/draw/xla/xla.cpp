// tensor, physical, tiles: an XLA array as its index space, as its memory in order, and as register tiles.
//
//     f32[3,5]{1,0:T(2,2)}    tensor    3 x 5 cells, one hue per tile, labelled with slots; the tiles' padding hatched
//                             physical  24 slots, one tile of four per row, labelled with indices
//     bf16[16,256]{..T(8,128)(2,1)}     tiles: 4 x 128 words per tile, two elements (one above the other) in each word
//
// A unit is the run of slots of one top tile (of one minor row if there is none); its words are what the last tile
// packs together, (2,1) -> 2. Rows and columns of `tensor` are the two most minor dimensions, which are the tiled ones;
// the others are facets. Words after the view: tile address padding (colour); slot coord (label); all brief (columns of
// long tiles); for `physical` a number of slots per row; for `tensor` a slice, "p 3 z 0", or "rows z cols x".
#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/notation/xla/notation.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/modes.h"
#include "render/draw/views.h"
#include "render/draw/xla/array.h"
#include "render/figure/figure.h"
#include "render/figure/text_metrics.h"

namespace tessera {

using namespace xla_draw;

namespace {

int labelWidth(const Array& a, Label label) {
  if (label == Label::Slot) return static_cast<int>(std::to_string(a.addressing.slots() - 1).size());
  return std::max(1, static_cast<int>(bare(mapped<i64>(a.sizes, [](i64 n) { return n - 1; })).size()));
}

// The tile as the distance between wider gaps; 0 if the first gap would come after the last cell.
i64 groupUnless(i64 group, i64 cells) { return group > 1 && group < cells ? group : 0; }

// Long rows of tiles, abbreviated: only the ends of each `group` of columns; the caption describes what is omitted.
Figure figureInBrief(Grid grid, const Array& a, i64 group, i64 last, bool byDefault) {
  constexpr i64 kLong = 32, kFirst = 8;
  Grid ends = group < kLong ? grid : elided(grid, group, kFirst, last);
  if (ends.cols == grid.cols) return figureOf(std::move(grid));
  const bool brief = a.brief.value_or(byDefault && grid.cols <= kAveraged && grid.rows <= kAveraged);
  Figure figure = figureOf(std::move(brief ? ends : grid));
  figure.choices.push_back(choiceOf("columns", kColumnWords, std::optional(brief)));
  if (brief)
    figure.caption = fmt::format("Columns {} to {} of each {} are left out (the word \"all\" shows them). ", kFirst,
                                 group - last - 1, group);
  return figure;
}

// Uses narrower cells for a zoomed-out plane that would be a thin strip.
void narrow(Grid& grid) {
  if (grid.cols <= kAveraged || grid.cellWidth <= 13) return;
  const double wanted = 2 * static_cast<double>(grid.rows) * grid.cellHeight / static_cast<double>(grid.cols);
  grid.cellWidth = std::clamp(wanted, 13.0, grid.cellWidth);
}

// A grid whose labels are slots or indices.
Grid labelledGrid(const Array& a, Label label, i64 rows, i64 cols, std::shared_ptr<const CellSource> cells) {
  const int chars = labelWidth(a, label);
  return makeGrid("", rows, cols, std::move(cells), pitchFor(chars), 26, chars);
}

Figure onePage(const ArrayPtr& a, const ModePage& page, const std::vector<std::string>& names, i64 rowTile,
               i64 colTile) {
  Grid grid = labelledGrid(*a, a->label, page.rows, page.cols, tensorCells(a, page));
  grid.rowGroup = groupUnless(rowTile, page.rows);
  grid.colGroup = groupUnless(colTile, page.cols);
  if (page.rowMode >= 0) grid.rowTitle = names[static_cast<std::size_t>(page.rowMode)];
  if (page.colMode >= 0) grid.colTitle = names[static_cast<std::size_t>(page.colMode)];
  narrow(grid);
  return figureInBrief(std::move(grid), *a, colTile, a->pack, false);
}

ModeNames dimensionNames(std::size_t rank) {
  const std::vector<std::string> names = xla::dimensionNames(rank);
  return {"dimension", names, names};
}

// The dimensions as rows, columns and facets, and the page of one facet.
struct Plane {
  ModeChoice choice;
  ModePage page;
};

// Rank 1 is wrapped into rows; from rank 2 on the two most minor dimensions form a page by default.
Result<Plane> planeOf(const Array& a, const DrawOptions& options) {
  Plane p;
  const std::vector<i64>& order = a.addressing.shape().layout().minorToMajor;
  const ModeNames names = dimensionNames(a.sizes.size());
  if (order.size() < 2) {
    TESSERA_CHECKED(chooseModes(a.sizes, options, names, -1, -1));
    p.choice.fixed.assign(a.sizes.size(), 0);
    if (order.empty()) return p;
    p.choice.colMode = 0;
    const i64 all = roundUp(a.sizes[0], tileOf(a, 0));
    p.page.wrap = all <= 64 ? all : a.width <= 1024 && a.width > 1 && a.width < all ? a.width : 64;
    p.page.cols = std::min(all, p.page.wrap);
    p.page.rows = ceilDiv(all, p.page.wrap);
    return p;
  }
  const int a0 = static_cast<int>(order[0]), a1 = static_cast<int>(order[1]);
  TESSERA_TRY(p.choice, chooseModes(a.sizes, options, names, std::min(a0, a1), std::max(a0, a1)));
  std::erase_if(p.choice.facets, [&](int dim) { return a.sizes[static_cast<std::size_t>(dim)] == 1; });
  std::ranges::reverse(p.choice.facets);  // the last dimension varies fastest
  return p;
}

i64 tileAlong(const Array& a, int dim) {
  const std::vector<i64>& order = a.addressing.shape().layout().minorToMajor;
  const auto found = std::ranges::find(order, dim);
  return found == order.end() ? 1 : tileOf(a, static_cast<std::size_t>(found - order.begin()));
}

// A larger plane is shown alone: its neighbours would be off every screen.
constexpr i64 kFacetCells = i64{1} << 18;

// Facets side by side, with their dimension values above each.
void addFacets(Figure& figure, const ArrayPtr& a, Plane p, double width) {
  const ModeNames names = dimensionNames(a->sizes.size());
  ModePage& page = p.page;
  page.rowMode = p.choice.rowMode;
  page.colMode = p.choice.colMode;
  const i64 rowTile = tileAlong(*a, page.rowMode), colTile = page.wrap > 0 ? 0 : tileAlong(*a, page.colMode);
  if (page.wrap == 0 && page.rowMode >= 0)
    page.rows = roundUp(a->sizes[static_cast<std::size_t>(page.rowMode)], rowTile);
  if (page.wrap == 0 && page.colMode >= 0)
    page.cols = roundUp(a->sizes[static_cast<std::size_t>(page.colMode)], colTile);
  const bool huge = static_cast<double>(page.rows) * static_cast<double>(page.cols) > static_cast<double>(kFacetCells);
  const double total = p.choice.total;
  const auto shown = static_cast<i64>(std::min(total, huge ? 1.0 : static_cast<double>(kMaxFacets)));
  double x = 0, y = 0, height = 0;
  std::string left;
  for (i64 n = 0; n < shown; ++n) {
    const std::string label = p.choice.choose(n, a->sizes, names);
    page.fixed = p.choice.fixed;
    const Figure part = onePage(a, page, names.shown, rowTile, page.wrap > 0 && page.rows > 1 ? 0 : colTile);
    left = part.caption;
    figure.choices = part.choices;
    const double panel = std::max(part.width, part.grids.front().x + textWidth(label, Face::SansMedium, kType.small));
    if (n > 0 && (x + panel > width || part.width > 500)) {
      x = 0;
      y += height + 20;
    }
    const double below = label.empty() ? 0 : 18;
    place(figure, part, x, y + below);
    figure.grids.back().name = label;
    if (!label.empty())
      addText(figure, figure.grids.back().x, y + 8, label, kType.small, Face::SansMedium, Role::Muted);
    x += panel + 24;
    height = part.height + below;
  }
  fitSize(figure);
  figure.modes = figureModes(p.choice, a->sizes, names, shown);
  figure.caption = std::move(left);
  if (total <= static_cast<double>(shown)) return;
  const std::string& other = names.shown[static_cast<std::size_t>(p.choice.facets.back())];
  figure.caption += fmt::format("Slice {} of {:.0f} (\"as tensor {} 1\" picks another). ",
                                shown == 1 ? "1" : fmt::format("1 to {}", shown), total, other);
}

// ---- surroundings ----

std::string spaceText(i64 space) { return xla::memorySpaceName(space) + (space == 1 ? " (TPU)" : ""); }

// "x: 128 contiguous", the dimension with the longest run.
std::string contiguityText(const xla::Shape& shape) {
  const xla::Addressing addressing = *xla::Addressing::create(shape);
  const std::vector<i64> runs = xla::contiguity(addressing.expansion(), shape.sizes());
  if (runs.empty()) return "one element";
  const auto longest = std::ranges::max_element(runs) - runs.begin();
  return fmt::format("{}: {} contiguous", xla::dimensionNames(runs.size())[static_cast<std::size_t>(longest)],
                     runs[static_cast<std::size_t>(longest)]);
}

// Memory space, type, tiles, padding, longest runs.
std::vector<FigureBadge> badgesOf(const xla::Shape& shape, const xla::Sizes& sizes) {
  const xla::Layout& layout = shape.layout();
  xla::Layout tilesOnly;
  tilesOnly.tiles = layout.tiles;
  const std::string tiles = print(tilesOnly);
  return {{fmt::format("S({}) {}", layout.memorySpace, spaceText(layout.memorySpace)),
           layout.memorySpace == 0 ? Role::Muted : Role::Accent},
          {fmt::format("{}, {} bit a slot", shape.type().name, shape.storedBits())},
          {tiles.empty() ? "no tiles" : tiles.substr(2, tiles.size() - 3)},
          {fmt::format("{:.4g} % padding", sizes.waste), sizes.waste > 0 ? Role::Refuted : Role::Muted},
          {contiguityText(shape)}};
}

std::string colourText(const Array& a) {
  const bool tiled = !a.addressing.shape().layout().tiles.empty();
  if (a.colour == Colour::Address) return "one hue is an eighth of the memory";
  if (a.colour == Colour::Padding) return "padding is hot";
  if (a.hueDown * a.hueAcross > 1) {
    return tiled ? fmt::format("one hue is {} x {} tiles, every other one darker", a.hueDown, a.hueAcross)
                 : fmt::format("one hue is {} minor rows", a.hueDown);
  }
  return tiled ? "one hue is one tile" : "one hue is one minor row";
}

Figure headed(const xla::Shape& shape, const DrawOptions& options, const std::string& title, const std::string& what,
              const Figure& part, const Array& a) {
  const xla::Sizes sizes = *xla::sizesOf(shape);
  Figure figure;
  place(figure, part, 0, 0);
  fitSize(figure);
  figure.badges = badgesOf(shape, sizes);
  figure.subtitle = print(shape);
  const bool named = !options.name.empty() && options.name != figure.subtitle;
  figure.title = named ? fmt::format("{}: {}", options.name, title) : title;
  figure.caption = fmt::format("{}{} {}; {}{}.", part.caption, describe(sizes) + ".", what, colourText(a),
                               a.padded && a.colour != Colour::Padding ? ", padding is hatched" : "");
  figure.choices = part.choices;
  figure.choices.insert(figure.choices.begin(), choiceOf("colour", kColourWords, a.colour));
  return figure;
}

Result<Figure> tensorFigure(const xla::Shape& shape, const DrawOptions& given) {
  const DrawOptions options = withModeWords(given, dimensionNames(shape.rank()));
  TESSERA_TRY(const ArrayPtr a, arrayOf(shape, options.arguments, nullptr));
  TESSERA_TRY(Plane plane, planeOf(*a, options));
  Figure part;
  addFacets(part, a, std::move(plane), widthFor(options, 1000));
  Figure figure =
      headed(shape, options, "Tensor",
             a->label == Label::Slot ? "Each element shows its slot" : "Each element shows its index", part, *a);
  figure.modes = std::move(part.modes);
  figure.choices.push_back(choiceOf("label", kLabelWords, a->label));
  return figure;
}

Result<Figure> physicalFigure(const xla::Shape& shape, const DrawOptions& options) {
  i64 width = 0;
  TESSERA_TRY(const ArrayPtr a, arrayOf(shape, options.arguments, &width));
  const i64 row = a->width * a->pack;
  const bool given = width != 0;
  if (!given) width = a->unit <= 32 ? a->unit : row <= 4096 ? row : 64;
  if (!given && width < 4) width *= ceilDiv(8, width);
  while (!given && a->addressing.slots() / width > 4 * width && width < (i64{1} << 30)) width *= 2;
  const i64 slots = a->addressing.slots();
  Grid grid = labelledGrid(*a, Label::Coord, ceilDiv(slots, width), std::min(width, slots), slotCells(a, width));
  grid.rowGroup = a->unit % width == 0 ? groupUnless(a->unit / width, grid.rows) : 0;
  grid.colGroup = groupUnless(a->unit < width && width % a->unit == 0 ? a->unit : a->pack, grid.cols);
  grid.rowTitle = "slot";
  const i64 group = grid.colGroup == a->unit ? a->unit : width;
  return headed(shape, options, "Memory in order", "Each slot shows the index of its element",
                figureInBrief(std::move(grid), *a, group, a->pack, true), *a);
}

Result<Figure> tilesFigure(const xla::Shape& shape, const DrawOptions& options) {
  TESSERA_TRY(const ArrayPtr a, arrayOf(shape, options.arguments, nullptr));
  const i64 units = ceilDiv(a->addressing.slots(), a->unit), rowsOfUnit = a->unit / a->pack / a->width;
  Grid grid = labelledGrid(*a, Label::Coord, ceilDiv(units, a->unitsAcross) * rowsOfUnit, a->unitsAcross * a->width,
                           wordCells(a));
  grid.cellHeight = a->pack > 1 ? 32 : 26;
  grid.rowGroup = groupUnless(rowsOfUnit, grid.rows);
  grid.colGroup = groupUnless(a->width, grid.cols);
  const bool far = grid.rows > kAveraged || grid.cols > kAveraged;
  grid.rowTitle = far ? "" : "sublane";
  grid.colTitle = far ? "" : "lane";
  const std::string words = a->pack > 1 ? fmt::format(", {} elements a word", a->pack) : "";
  return headed(shape, options, "Tiles",
                fmt::format("A tile is {} x {} words{}, in the order of memory", rowsOfUnit, a->width, words),
                figureInBrief(std::move(grid), *a, a->width, 1, true), *a);
}

using DrawOne = Result<Figure> (*)(const xla::Shape&, const DrawOptions&);

// The arrays of a tuple or of an instruction line, stacked.
Result<Figure> drawEach(const Layout& layout, const DrawOptions& options, DrawOne one) {
  constexpr std::size_t kMost = 6;
  std::vector<std::pair<std::string, xla::Shape>> named;
  if (const auto* line = layout.as<xla::Instruction>()) {
    named = line->namedShapes();
  } else {
    named.emplace_back(options.name, *layout.as<xla::Shape>());
  }
  std::vector<std::pair<std::string, const xla::Shape*>> arrays;
  for (const auto& [name, shape] : named)
    for (const xla::Shape* array : shape.arrays()) arrays.emplace_back(name, array);
  if (arrays.empty()) return Diag{fmt::format("{} holds no array", print(layout)), "an array such as f32[3,5]"};
  DrawOptions inner = options;
  inner.name = arrays.front().first;
  if (arrays.size() == 1) return one(*arrays.front().second, inner);
  Figure all = titledFigure(options.name.empty() ? "Arrays" : options.name, print(layout));
  double y = 0;
  for (std::size_t k = 0; k < std::min(arrays.size(), kMost); ++k) {
    TESSERA_TRY(const Figure part, one(*arrays[k].second, options));
    const std::string& name = arrays[k].first;
    addText(all, 0, y + 8, name + (name.empty() ? "" : "  ") + print(*arrays[k].second), kType.subtitle, Face::Mono,
            Role::Text);
    y += addBadges(all.marks, part.badges, 0, y + 24, 1000);
    place(all, part, 0, y + 24, fmt::format("{}", k));
    for (const FigureChoice& choice : part.choices) {
      if (std::ranges::none_of(all.choices, [&](const auto& c) { return c.name == choice.name; }))
        all.choices.push_back(choice);
    }
    y += part.height + 54;
  }
  if (arrays.size() > kMost) all.caption = fmt::format("The first {} of {} arrays.", kMost, arrays.size());
  fitSize(all);
  return all;
}

}  // namespace

Result<Figure> drawXlaTensor(const Layout& layout, const DrawOptions& options) {
  return drawEach(layout, options, tensorFigure);
}
Result<Figure> drawXlaPhysical(const Layout& layout, const DrawOptions& options) {
  return drawEach(layout, options, physicalFigure);
}
Result<Figure> drawXlaAddress(const Layout& layout, const DrawOptions& options) {
  return drawEach(layout, options, addressFigure);
}
Result<Figure> drawXlaTiles(const Layout& layout, const DrawOptions& options) {
  return drawEach(layout, options, tilesFigure);
}

}  // namespace tessera
