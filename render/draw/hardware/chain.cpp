// chain: the path of a tile from global memory to the mma, left to right. Tiles are coloured by the lane that moves
// each element; an element is the same point in every stage; each edge shows its checks and costs.
#include "core/analysis/access/chain.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/draw/grid/layouts.h"
#include "render/draw/hardware/thread_tile.h"
#include "render/draw/views.h"

namespace tessera {
namespace {

constexpr double kStage = 300;       // maximum side of a stage's picture
constexpr double kEdge = 205;        // the width of an edge's text
constexpr double kSideBySide = 900;  // a narrower pane has the stages one below the other
constexpr double kText = 13;         // the picture is wide and displayed small, so its texts are larger than captions

// The elements of a tile by the access and the lane that move them.
std::shared_ptr<const CellSource> elementCells(const Tile& tile, const std::vector<TileAccess>& list) {
  std::vector<Paint> paints(tile.offsets().size(), Paint{Role::Faded});
  const bool alongRow = tile.contiguousDimension() == 1;
  for (std::size_t a = 0; a < list.size(); ++a) {
    const i64 elements = i64{8} * list[a].warp.width / tile.elementBits();
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      if (list[a].warp.addresses[lane] == kInactive) continue;
      for (i64 j = 0; j < elements; ++j) {
        const i64 row = list[a].lanes[lane].row + (alongRow ? 0 : j),
                  column = list[a].lanes[lane].column + (alongRow ? j : 0);
        paints[static_cast<std::size_t>(row * tile.columns() + column)] =
            groupPaint(static_cast<i64>(a), static_cast<i64>(lane));
      }
    }
  }
  const auto paint = [paints = std::move(paints), columns = tile.columns()](i64 row, i64 column) {
    return paints[static_cast<std::size_t>(row * columns + column)];
  };
  const auto label = [tile](i64 row, i64 column) { return std::to_string(tile.offset(row, column)); };
  return cellsOf({tile.rows(), tile.columns(), pointDomain({tile.rows(), tile.columns()}), paint, label});
}

Grid stageGrid(const Tile& tile, const std::vector<TileAccess>& list, const char* name) {
  const double pitch = std::clamp(kStage / static_cast<double>(std::max(tile.rows(), tile.columns())), 2.0, 28.0);
  Grid grid = makeGrid(name, tile.rows(), tile.columns(), elementCells(tile, list), pitch, pitch,
                       static_cast<int>(std::to_string(tile.span()).size()));
  grid.headers = pitch >= 12;
  return grid;
}

// The name of a check with its numbers below; returns the position of the next line.
double addCheck(Figure& figure, const ChainCheck& c, double x, double y, double width, Align align) {
  addText(figure, x, y, fmt::format("{}{}", c.holds ? "" : "not: ", c.name), kText, Face::SansMedium,
          c.holds ? Role::Proved : Role::Refuted, align);
  return addParagraph(figure, x, y + 18, c.text, {width, 17, kText, Face::Sans, Role::Muted, align});
}

// The words of an edge, centred on y; an arrow below its title.
// Returns the lower end.
double drawEdge(Figure& figure, const ChainEdge& edge, double x, double y) {
  addText(figure, x + kEdge / 2, y - 26, edge.by, kText, Face::Mono, Role::Text, Align::Center);
  addArrow(figure, x + 14, y, x + kEdge - 14, y, edge.holds() ? Role::Muted : Role::Refuted, 1.4);
  double below = y + 22;
  for (const std::string& badge : edge.badges) {
    const bool ideal = badge.find("ideal") != std::string::npos;
    below =
        addParagraph(figure, x + kEdge / 2, below, badge,
                     {kEdge - 16, 18, kText, Face::SansMedium, ideal ? Role::Proved : Role::Refuted, Align::Center});
  }
  for (const ChainCheck& c : edge.checks)
    below = addCheck(figure, c, x + kEdge / 2, below + 6, kEdge - 16, Align::Center);
  return below;
}

}  // namespace

Result<Figure> drawChain(const Chain& chain, const DrawOptions& options) {
  TESSERA_TRY(const Isolated isolated, isolatedOf(options.arguments, "chain"));
  const Tile& shared = chain.shared;
  Figure figure =
      titledFigure(options.name.empty() || options.name.size() > 40 ? "chain" : options.name + " as chain",
                   fmt::format("{} x {} elements of {} bits", shared.rows(), shared.columns(), shared.elementBits()),
                   {"edge", "by", "check", "holds", "numbers"});
  TESSERA_TRY(const AccessSpec write, sideOf(chain.copy, AccessDirection::Write, MemorySpace::Shared));
  TESSERA_TRY(const std::vector<TileAccess> copies, accesses(chain.shared, write));
  TESSERA_TRY(const std::vector<TileAccess> loads, accesses(chain.shared, chain.load));
  TESSERA_TRY(const AccessSpec read, sideOf(chain.copy, AccessDirection::Read, MemorySpace::Global));
  TESSERA_TRY(const std::vector<TileAccess> reads, accesses(chain.global, read));

  // Side by side, or in a narrow pane one below the other, with the words of an edge beside its first tile.
  const bool stacked = options.width > 0 && options.width < kSideBySide;
  const double top = 66;
  double x = 30, y = 0, next = 0;
  const auto stage = [&](Grid grid, const std::string& title, const std::string& what) {
    if (stacked) {
      x = 30;
      y = next;
    }
    addText(figure, x, y + 6, title, 15, Face::SansMedium, Role::Text);
    addFitted(figure, x, y + 26, kStage + 30, what, kText, Face::Mono, Role::Muted);
    grid.x = x;
    grid.y = y + top;
    const double width = std::max(grid.bounds().w, 150.0);
    next = grid.y + grid.bounds().h + 30;
    figure.grids.push_back(std::move(grid));
    x += width + 12;
  };
  const auto edge = [&](const ChainEdge& e) {
    next = std::max(next, drawEdge(figure, e, x, y + top + 80) + 20);
    x += kEdge + 20;
  };
  stage(stageGrid(chain.global, reads, "global"), "Global", chain.global.text());
  edge(chain.edges[0]);
  stage(stageGrid(chain.shared, loads, "shared"), "Shared", chain.shared.text());
  edge(chain.edges[1]);
  x += 14;
  TESSERA_TRY(const AtlasOperand operand, findOperand(chain.mma, chain.operand));
  const ThreadTile tile = threadTileOf(chain.mma, operand);
  if (LinkPtr held = heldLink(tile)) figure.links.push_back({std::move(held)});
  stage(gridOf(tile, "operand", kWarpLanes, isolated), fmt::format("Operand {}", operand.name), chain.mma.name);
  const ChainEdge& last = chain.edges[2];
  double below = figure.grids.back().y + figure.grids.back().bounds().h + 24;
  const double left = figure.grids.back().x;
  const double width = std::max(figure.grids.back().bounds().w, 260.0);
  for (const ChainCheck& c : last.checks) below = addCheck(figure, c, left, below, width, Align::Left);
  for (const ChainEdge& e : chain.edges) {
    for (const ChainCheck& c : e.checks)
      figure.table.push_back({e.from + " -> " + e.to, e.by, c.name, c.holds ? "yes" : "no", c.text});
    for (const std::string& b : e.badges) figure.table.push_back({e.from + " -> " + e.to, e.by, "cost", "", b});
  }
  fitSize(figure);
  const auto broken = std::ranges::find_if(chain.edges, [](const ChainEdge& e) { return !e.holds(); });
  const bool costly = std::ranges::any_of(chain.edges, [](const ChainEdge& e) { return e.costly; });
  figure.caption = broken != chain.edges.end() ? fmt::format("The edge {} -> {} breaks.", broken->from, broken->to)
                   : costly                    ? "Every edge holds for every element; one costs more than necessary."
                            : "Every edge holds for every element, at the ideal cost. A hue is one warp-wide access.";
  return figure;
}

}  // namespace tessera
