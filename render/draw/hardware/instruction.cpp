// instruction: an mma as a matrix product, with B above, A on the left, and C where rows of A meet columns of B. A copy
// shows its source and destination side by side. Tiled atoms likewise, over warps.
#include <fmt/format.h>

#include <algorithm>

#include "render/draw/grid/layouts.h"
#include "render/draw/hardware/thread_tile.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kGap = 34;

struct Part {
  std::string name, what;
  ThreadTile tile;
};

// Places a grid and its title so that its first cell is at (x, y).
void put(Figure& figure, const Part& part, i64 threads, const Isolated& isolated, double x, double y) {
  Grid grid = gridOf(part.tile, part.name, threads, isolated);
  grid.x = x;
  grid.y = y;
  const Margins m = headerMargins(grid);
  addHeading(figure, x, y - m.top - 9, part.name, part.what);
  figure.grids.push_back(std::move(grid));
  if (LinkPtr held = heldLink(part.tile)) figure.links.push_back({std::move(held)});
}

Part partOf(const AtlasRow& row, const AtlasOperand& operand) {
  Part part{operand.name, fmt::format("{} x {} {}", operand.rows, operand.columns, operand.element),
            threadTileOf(row, operand)};
  if (operand.element == "b1") {
    part.what = fmt::format("{} rows of {} bits, a cell is {}", operand.columns, operand.rows,
                            part.tile.unit == 1 ? "one bit" : fmt::format("{} bits", part.tile.unit));
  }
  if (operand.space == OperandSpace::Shared) part.what += ", shared memory";
  if (operand.space == OperandSpace::Tensor) part.what += ", tensor memory";
  return part;
}

i64 threadsOf(const std::vector<Part>& parts) {
  i64 most = 1;
  for (const Part& p : parts)
    for (i64 t = 0; t < p.tile.threadValue.mode(0).size(); ++t) most = std::max(most, p.tile.threadId(t) + 1);
  return most;
}

double sideOf(const Part& p, bool width) {
  return 30.0 * static_cast<double>(p.tile.transposed == width ? p.tile.rows / p.tile.unit : p.tile.columns);
}

void asProduct(Figure& figure, const Part& a, Part b, const Part& c, const Isolated& isolated) {
  b.tile.transposed = true;
  b.what = fmt::format("{} x {}{}", b.tile.columns, b.tile.rows,
                       b.what.substr(std::min(b.what.size(), b.what.find(' ', b.what.find("x ") + 2))));
  const i64 threads = threadsOf({a, b, c});
  const double left = 44, top = 48, x = left + std::max(sideOf(a, true), headingWidth(a.name, a.what)) + kGap + 30,
               y = top + sideOf(b, false) + kGap + 26;
  put(figure, a, threads, isolated, left, y);
  put(figure, b, threads, isolated, x, top);
  put(figure, c, threads, isolated, x, y);
}

void asCopy(Figure& figure, const std::vector<Part>& parts, const Isolated& isolated) {
  const i64 threads = threadsOf(parts);
  double x = 44;
  for (const Part& p : parts) {
    put(figure, p, threads, isolated, x, 48);
    x += std::max(sideOf(p, true), headingWidth(p.name, p.what)) + kGap + 40;
  }
}

// ldmatrix, stmatrix: the 8 x 8 matrices side by side, operands stacked.
void asMatrices(Figure& figure, const std::vector<Part>& parts, const Isolated& isolated) {
  const i64 threads = threadsOf(parts);
  double y = 48;
  for (const Part& p : parts) {
    const Grid whole = gridOf(p.tile, p.name, threads, isolated);
    if (LinkPtr held = heldLink(p.tile)) figure.links.push_back({std::move(held)});
    double x = 44;
    addHeading(figure, x, y - 40, p.name, p.what);
    for (i64 row = 0; row < whole.rows; row += 8) {
      Grid grid = windowOf(whole, row, 0, std::min<i64>(8, whole.rows - row), whole.cols);
      grid.name = fmt::format("{} {}", p.name, row / 8);
      grid.cellWidth = whole.cellWidth;
      grid.labelChars = whole.labelChars;
      grid.x = x;
      grid.y = y;
      x += grid.bounds().w + 44;
      figure.grids.push_back(std::move(grid));
    }
    y += 8 * whole.cellHeight + 84;
  }
}

void tableOf(Figure& figure, const std::vector<std::pair<std::string, cute::Layout>>& layouts) {
  for (const auto& [name, layout] : layouts) figure.table.push_back({name, print(layout)});
}

Result<Part> tiledPart(const char* name, i64 rows, i64 columns, const cute::Layout& layout) {
  Part part{name, fmt::format("{} x {}", rows, columns), {}};
  part.tile.rows = rows;
  part.tile.columns = columns;
  part.tile.threadValue = layout;
  TESSERA_TRY(part.tile.threadId, cute::Layout::compact(cute::IntTuple(layout.mode(0).size())));
  return part;
}

Figure operandsFigure(const std::string& title, const std::string& subtitle) {
  return titledFigure(title, subtitle, {"operand", "(thread, value) -> index"});
}

}  // namespace

Result<Figure> drawInstruction(const AtlasRow& row, const DrawOptions& options) {
  TESSERA_TRY(const Isolated isolated, isolatedOf(options.arguments, "instruction"));
  if (row.operands.empty()) {
    return Diag{fmt::format("{} moves whole boxes and has no thread mapping", row.name),
                "an mma, ldmatrix, tcgen05.ld ..."};
  }
  Figure figure = operandsFigure(row.name, row.ptx);
  const auto named = [&](std::string_view name) -> const AtlasOperand* {
    for (const AtlasOperand& o : row.operands)
      if (o.name == name) return &o;
    return nullptr;
  };
  std::vector<std::pair<std::string, cute::Layout>> layouts;
  for (const AtlasOperand& o : row.operands)
    if (auto layout = threadValue(o)) layouts.emplace_back(o.name, *layout);
  const AtlasOperand *a = named("A"), *b = named("B"), *c = named("C");
  if (a != nullptr && b != nullptr && c != nullptr) {
    asProduct(figure, partOf(row, *a), partOf(row, *b), partOf(row, *c), isolated);
  } else {
    // ldmatrix and stmatrix list their registers twice: in bits, and as "D" in elements.
    const AtlasOperand* repeated = named("D") == nullptr                 ? nullptr
                                   : row.family == AtlasFamily::Stmatrix ? named("src")
                                                                         : named("dst");
    std::vector<Part> parts;
    for (const AtlasOperand& o : row.operands)
      if (o.name != "ref" && !(repeated != nullptr && &o == repeated)) parts.push_back(partOf(row, o));
    const bool matrices = row.family == AtlasFamily::Ldmatrix || row.family == AtlasFamily::Stmatrix;
    (matrices ? asMatrices : asCopy)(figure, parts, isolated);
  }
  tableOf(figure, layouts);
  fitSize(figure);
  figure.caption = fmt::format("{}, {}. T is the lane, V its value. {}.", row.architecture, row.shape, row.source);
  return figure;
}

Result<Figure> drawTiledMma(const TiledMma& tiled, const DrawOptions& options) {
  TESSERA_TRY(const Isolated isolated, isolatedOf(options.arguments, "tiled"));
  TESSERA_TRY(const Part a, tiledPart("A", tiled.tile[0], tiled.tile[2], tiled.a));
  TESSERA_TRY(const Part b, tiledPart("B", tiled.tile[1], tiled.tile[2], tiled.b));
  TESSERA_TRY(const Part c, tiledPart("C", tiled.tile[0], tiled.tile[1], tiled.c));
  Figure figure = operandsFigure(options.name.empty() ? "tiled mma" : options.name + " as tiled",
                                 fmt::format("{} over {}", tiled.atom.name, print(tiled.threads)));
  asProduct(figure, a, b, c, isolated);
  tableOf(figure, {{"A", tiled.a}, {"B", tiled.b}, {"C", tiled.c}});
  fitSize(figure);
  figure.caption = fmt::format("{} threads on a tile of {} x {} x {}. V0 +3: three more threads hold the same element.",
                               tiled.threads.size(), tiled.tile[0], tiled.tile[1], tiled.tile[2]);
  return figure;
}

Result<Figure> drawTiledCopy(const TiledCopy& tiled, const DrawOptions& options) {
  TESSERA_TRY(const Isolated isolated, isolatedOf(options.arguments, "tiled"));
  TESSERA_TRY(const Part source, tiledPart("src", tiled.tile[0], tiled.tile[1], tiled.source));
  TESSERA_TRY(const Part destination, tiledPart("dst", tiled.tile[0], tiled.tile[1], tiled.destination));
  Figure figure = operandsFigure(options.name.empty() ? "tiled copy" : options.name + " as tiled",
                                 fmt::format("{}, {}-bit elements", tiled.atom.name, tiled.elementBits));
  asCopy(figure, {source, destination}, isolated);
  tableOf(figure, {{"src", tiled.source}, {"dst", tiled.destination}});
  fitSize(figure);
  figure.caption =
      "src: the lane that reads an element (ldmatrix: that supplies the address of its row); dst: the lane that then "
      "holds it.";
  return figure;
}

}  // namespace tessera
