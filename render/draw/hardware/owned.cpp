#include "render/draw/hardware/owned.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/atlas/partition.h"
#include "core/base/arith.h"
#include "core/base/words.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/links.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kCell = 30, kBetween = 34;

class OwnedCells : public CellSource {
 public:
  OwnedCells(OwnedTile tile, OwnedBy by) : tile_(std::move(tile)), held_(threadPaint(by.thread, by.threads)) {}

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    std::string value = tile_.value(row, col);
    const Paint fill = value.empty() ? Paint{Role::Faded} : held_;
    return {std::move(value), "", fill, tile_.point(row, col)};
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    return tile_.value(row, col).empty() ? Paint{Role::Faded} : held_;
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    return tile_.find(point, limit);
  }
  [[nodiscard]] std::vector<std::string> fieldNames() const override { return {"element", "value"}; }
  [[nodiscard]] std::vector<std::string> fields(i64 row, i64 col) const override {
    return {fmt::format("{},{}", row, col), tile_.value(row, col)};
  }

 private:
  OwnedTile tile_;
  Paint held_;
};

// A (thread, value) layout over a tile counted column by column; `transposed`: drawn as columns x rows.
struct TileOf {
  const char* name;
  std::string what;
  i64 rows, columns;
  const cute::Layout& threadValue;
  bool transposed = false;
};

OwnedTile tileOf(const TileOf& of, i64 thread) {
  const cute::Layout threads = of.threadValue.mode(0), values = of.threadValue.mode(1);
  auto held = std::make_shared<std::map<i64, std::string>>();
  for (i64 v = 0; v < values.size(); ++v) {
    std::string& label = (*held)[threads(thread) + values(v)];
    label += label.empty() ? fmt::format("V{}", v) : fmt::format(",{}", v);
  }
  const i64 rows = of.rows, columns = of.columns;
  const bool turned = of.transposed;
  const u64 domain = pointDomain({rows, columns});
  const auto indexAt = [rows, turned](i64 row, i64 col) { return turned ? col + rows * row : row + rows * col; };
  OwnedTile tile{of.name, of.what, turned ? columns : rows, turned ? rows : columns, {}, {}, {}};
  tile.value = [held, indexAt](i64 row, i64 col) {
    const auto at = held->find(indexAt(row, col));
    return at == held->end() ? std::string() : at->second;
  };
  tile.point = [domain, indexAt](i64 row, i64 col) { return Point{domain, indexAt(row, col)}; };
  tile.find = [domain, rows, columns, turned](Point point, int) -> std::vector<std::pair<i64, i64>> {
    if (!point.isIn(domain, rows * columns)) return {};
    const i64 row = point.index % rows, column = point.index / rows;
    return {turned ? std::pair(column, row) : std::pair(row, column)};
  };
  return tile;
}

void put(Figure& figure, const OwnedTile& tile, OwnedBy by, double x, double y) {
  Grid grid = gridOf(tile, by);
  grid.x = x;
  grid.y = y;
  addHeading(figure, x, y - headerMargins(grid).top - 9, tile.name, tile.what);
  figure.grids.push_back(std::move(grid));
}

std::string extents(i64 rows, i64 columns) { return fmt::format("{} x {}", rows, columns); }

// A picture visits every element of the tile.
Result<void> requireDrawable(i64 rows, i64 columns) {
  constexpr i64 kMost = i64{1} << 20;
  const auto size = checkedMul(rows, columns);
  if (size && *size <= kMost) return {};
  return Diag{fmt::format("a tile of {} x {} elements is too large for this picture", rows, columns),
              fmt::format("at most {} elements", kMost)};
}

Result<Figure> ownedMma(const TiledMma& mma, i64 thread, const DrawOptions& options) {
  const OwnedBy by{thread, threadsOf(mma)};
  const auto [m, n, k] = mma.tile;
  TESSERA_CHECKED(requireDrawable(m, k));
  TESSERA_CHECKED(requireDrawable(n, k));
  TESSERA_CHECKED(requireDrawable(m, n));
  const auto where = [&](char operand) { return hasDescriptors(mma, operand) ? ", shared memory" : ""; };
  const OwnedTile a = tileOf({"A", extents(m, k) + where('A'), m, k, mma.a}, thread);
  const OwnedTile b = tileOf({"B", extents(k, n) + where('B'), n, k, mma.b, true}, thread);
  const OwnedTile c = tileOf({"C", extents(m, n), m, n, mma.c}, thread);
  Figure figure = titledFigure("", "");
  setTitle(figure, options, "owned", "What a thread owns",
           fmt::format("{} over {}", mma.atom.name, print(mma.threads)));
  const double left = 44, top = 48,
               x = left + std::max(kCell * static_cast<double>(a.columns), headingWidth(a.name, a.what)) + kBetween +
                   30,
               y = top + kCell * static_cast<double>(b.rows) + kBetween + 26;
  put(figure, a, by, left, y);
  put(figure, b, by, x, top);
  put(figure, c, by, x, y);
  addThread(figure, by,
            fmt::format("{}; {}; {}", holdsText(a, "A"), holdsText(b, "B, drawn as K x N"), holdsText(c, "C")));
  return figure;
}

Result<Figure> ownedCopy(const TiledCopy& copy, i64 thread, const DrawOptions& options) {
  const OwnedBy by{thread, threadsOf(copy)};
  TESSERA_CHECKED(requireDrawable(copy.tile[0], copy.tile[1]));
  const std::string what = extents(copy.tile[0], copy.tile[1]);
  const OwnedTile source = tileOf({"src", what, copy.tile[0], copy.tile[1], copy.source}, thread);
  const OwnedTile destination = tileOf({"dst", what, copy.tile[0], copy.tile[1], copy.destination}, thread);
  Figure figure = titledFigure("", "");
  setTitle(figure, options, "owned", "What a thread owns",
           fmt::format("{}, {}-bit elements", copy.atom.name, copy.elementBits));
  const double width = std::max(kCell * static_cast<double>(source.columns), headingWidth(source.name, source.what));
  put(figure, source, by, 44, 48);
  put(figure, destination, by, 44 + width + kBetween + 40, 48);
  addThread(figure, by,
            fmt::format("{}; {}", holdsText(source, "the source"), holdsText(destination, "the destination")));
  return figure;
}

}  // namespace

Result<i64> chosenThread(const DrawOptions& options, i64 threads, i64 otherwise) {
  i64 thread = otherwise;
  for (const std::string& word : options.arguments) {
    if (word == "thread" || word.find('x') != std::string::npos) continue;  // "16x8" is the shape of a tile
    const auto number = wholeNumber(word);
    if (!number) return Diag{fmt::format("the owned view knows no \"{}\"", word), "the number of a thread: as owned 5"};
    thread = *number;
  }
  for (const auto& [mode, value] : options.fixed)
    if (mode == 0) thread = value;
  if (thread >= 0 && thread < threads) return thread;
  return Diag{fmt::format("thread {} of {} threads", thread, threads), fmt::format("0 to {}", threads - 1)};
}

Grid gridOf(const OwnedTile& tile, OwnedBy by) {
  const auto cells = std::make_shared<OwnedCells>(tile, by);
  Grid grid = makeGrid(tile.name, tile.rows, tile.columns, cells, kCell, kCell);
  grid.rowGroup = grid.rows > 8 ? 8 : 0;
  grid.colGroup = grid.cols > 8 ? 8 : 0;
  grid.labelChars = std::max(3, longestLabels(*cells, grid.rows, grid.cols).first);
  return grid;
}

void addThread(Figure& figure, OwnedBy by, const std::string& holds) {
  const std::string lane =
      by.threads > 32 ? fmt::format(", lane {} of warp {},", by.thread % 32, by.thread / 32) : std::string();
  figure.modes = {{"thread", by.threads, FigureMode::Part::Fixed, by.thread}};
  figure.badges.push_back({fmt::format("thread {} of {}", by.thread, by.threads), Role::Muted});
  figure.caption = fmt::format("Thread {}{} holds {}.", by.thread, lane, holds);
  fitSize(figure);
}

std::string holdsText(const OwnedTile& tile, const std::string& of) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::pair<std::string, std::string>> held;  // V3, and where
  eachCell(tile.rows, tile.columns, [&](i64 row, i64 col) {
    std::string value = tile.value(row, col);
    if (!value.empty()) held.emplace_back(std::move(value), fmt::format("{},{}", row, col));
  });
  std::ranges::stable_sort(held, {}, [](const auto& h) { return std::pair(h.first.size(), h.first); });
  std::string places;
  for (std::size_t k = 0; k < std::min(held.size(), kMostNamed); ++k)
    places += fmt::format("{}{} at {}", k == 0 ? " (" : "; ", held[k].first, held[k].second);
  if (held.size() > kMostNamed) places += "; ...";
  if (!held.empty()) places += ")";
  return fmt::format("{} of {} elements of {}{}", held.size(), tile.rows * tile.columns, of, places);
}

Result<Figure> drawOwned(const TiledMma& tiled, const DrawOptions& options) {
  TESSERA_TRY(const i64 thread, chosenThread(options, threadsOf(tiled), 0));
  return ownedMma(tiled, thread, options);
}
Result<Figure> drawOwned(const TiledCopy& tiled, const DrawOptions& options) {
  TESSERA_TRY(const i64 thread, chosenThread(options, threadsOf(tiled), 0));
  return ownedCopy(tiled, thread, options);
}
Result<Figure> drawOwned(const ThreadSlice& slice, const DrawOptions& options) {
  const auto* mma = std::get_if<TiledMma>(&slice.of);
  const auto* copy = std::get_if<TiledCopy>(&slice.of);
  TESSERA_TRY(const i64 thread,
              chosenThread(options, mma != nullptr ? threadsOf(*mma) : threadsOf(*copy), slice.thread));
  return mma != nullptr ? ownedMma(*mma, thread, options) : ownedCopy(*copy, thread, options);
}

}  // namespace tessera
