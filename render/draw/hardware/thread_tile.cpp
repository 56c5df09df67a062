#include "render/draw/hardware/thread_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/base/arith.h"
#include "core/base/words.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/links.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

// Offsets of a mode of a plain layout, in colex order.
std::vector<i64> offsetsOf(const cute::Layout& mode) {
  std::vector<i64> out{0};
  for (const cute::LayoutLeaf& leaf : flatLeaves(mode)) {
    const std::size_t inner = out.size();
    for (i64 d = 1; d < leaf.extent; ++d)
      for (std::size_t i = 0; i < inner; ++i) out.push_back(out[i] + d * leaf.stride.value());
  }
  return out;
}

// Visits (thread, value, index) for all elements of the tile, value by value.
template <class Visit>
void eachHeld(const ThreadTile& tile, const Visit& visit) {
  const std::vector<i64> threads = offsetsOf(tile.threadValue.mode(0)), values = offsetsOf(tile.threadValue.mode(1));
  for (std::size_t v = 0; v < values.size(); ++v)
    for (std::size_t t = 0; t < threads.size(); ++t)
      if (const i64 index = threads[t] + values[v]; index >= 0 && index < tile.rows * tile.columns)
        visit(static_cast<i64>(t), static_cast<i64>(v), index);
}

struct Owner {
  int thread = -1, value = 0, count = 0;
};

class ThreadCells : public CellSource {
 public:
  ThreadCells(ThreadTile tile, i64 threads, Isolated isolated)
      : t_(std::move(tile)), threads_(threads), isolated_(isolated), elements_(pointDomain({t_.rows, t_.columns})) {
    if (t_.shared) return;
    owners_.resize(static_cast<std::size_t>(t_.rows * t_.columns / t_.unit));
    eachHeld(t_, [&](i64 thread, i64 value, i64 index) {
      if (index % t_.unit != 0) return;
      Owner& owner = owners_[static_cast<std::size_t>(index / t_.unit)];
      if (owner.thread < 0) owner = {static_cast<int>(thread), static_cast<int>(value / t_.unit), 0};
      ++owner.count;
    });
  }

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    if (t_.shared) {
      const auto [r, c] = turned(row, col);
      return {fmt::format("{},{}", row, col), "", paint(row, col), {elements_, r + t_.rows * c}};
    }
    const Owner& owner = ownerAt(row, col);
    if (owner.thread < 0) return {"", "", paint(row, col)};
    const i64 thread = t_.threadId(owner.thread);
    return {fmt::format("T{}", thread), secondOf(owner), paint(row, col), threadPoint(thread)};
  }

  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    if (t_.shared) {  // core matrices of 8 rows
      const auto [r, c] = turned(row, col);
      return groupPaint(r / 8, c / 8);
    }
    const Owner& owner = ownerAt(row, col);
    if (owner.thread < 0) return {Role::Padding};
    const i64 thread = t_.threadId(owner.thread);
    return isolated_.holds(thread) ? threadPaint(thread, threads_) : Paint{Role::Faded};
  }

  [[nodiscard]] std::vector<std::string> fieldNames() const override {
    if (t_.shared) return {"element"};
    return {"thread", "value", "holders"};
  }
  [[nodiscard]] std::vector<std::string> fields(i64 row, i64 col) const override {
    if (t_.shared) return {fmt::format("{},{}", row, col)};
    const Owner& owner = ownerAt(row, col);
    if (owner.thread < 0) return {"", "", "0"};
    return {std::to_string(t_.threadId(owner.thread)), std::to_string(owner.value), std::to_string(owner.count)};
  }

  // Lengths of the longest label and of the longest second line.
  [[nodiscard]] std::pair<int, int> longest() const {
    const auto [rows, cols] = turned(t_.rows / t_.unit, t_.columns);
    const auto chars = [](const std::string& s) { return static_cast<int>(s.size()); };
    if (t_.shared) return {chars(fmt::format("{},{}", rows - 1, cols - 1)), 0};
    std::pair<int, int> most{1, 1};
    for (const Owner& owner : owners_) {
      if (owner.thread < 0) continue;
      most.first = std::max(most.first, chars(fmt::format("T{}", t_.threadId(owner.thread))));
      most.second = std::max(most.second, chars(secondOf(owner)));
    }
    return most;
  }

  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    std::vector<std::pair<i64, i64>> out;
    if (point.domain == elements_ && (t_.shared || t_.unit == 1)) {  // in the atlas's numbering
      if (point.isIn(elements_, t_.rows * t_.columns))
        out.push_back(turned(point.index % t_.rows, point.index / t_.rows));
      return out;
    }
    if (t_.shared || !isThread(point)) return out;
    for (std::size_t k = 0; k < owners_.size() && static_cast<int>(out.size()) < limit; ++k) {
      if (owners_[k].thread < 0 || t_.threadId(owners_[k].thread) != point.index) continue;
      const i64 index = static_cast<i64>(k), high = t_.rows / t_.unit;
      out.push_back(turned(index % high, index / high));
    }
    return out;
  }

 private:
  static std::string secondOf(const Owner& owner) {
    return owner.count > 1 ? fmt::format("V{} +{}", owner.value, owner.count - 1) : fmt::format("V{}", owner.value);
  }
  // Between the cells of the tile and those of the picture.
  [[nodiscard]] std::pair<i64, i64> turned(i64 row, i64 col) const {
    return t_.transposed ? std::pair(col, row) : std::pair(row, col);
  }
  [[nodiscard]] const Owner& ownerAt(i64 row, i64 col) const {
    const auto [r, c] = turned(row, col);
    return owners_[static_cast<std::size_t>(r + t_.rows / t_.unit * c)];
  }

  ThreadTile t_;
  i64 threads_;
  Isolated isolated_;
  u64 elements_;
  std::vector<Owner> owners_;
};

// The longest run of bits that always belongs to one thread: the content of one cell of a copy.
i64 unitOf(const cute::Layout& threadValue, i64 rows) {
  const std::vector<i64> threads = offsetsOf(threadValue.mode(0)), values = offsetsOf(threadValue.mode(1));
  for (i64 unit = 32; unit > 1; unit /= 2) {
    if (rows % unit != 0 || static_cast<i64>(values.size()) % unit != 0) continue;
    bool fits = std::ranges::all_of(threads, [&](i64 t) { return t % unit == 0; });
    for (std::size_t v = 0; fits && v < values.size(); ++v)
      fits = values[v] % unit == static_cast<i64>(v) % unit &&
             (v % static_cast<std::size_t>(unit) == 0 || values[v] == values[v - 1] + 1);
    if (fits) return unit;
  }
  return 1;
}

class Cells : public CellSource {
 public:
  explicit Cells(TileCells tile) : t_(std::move(tile)) {}
  [[nodiscard]] Cell cell(i64 row, i64 column) const override {
    return {t_.label ? t_.label(row, column) : "", "", t_.paint(row, column), {t_.domain, row + t_.rows * column}};
  }
  [[nodiscard]] Paint paint(i64 row, i64 column) const override { return t_.paint(row, column); }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int) const override {
    if (!point.isIn(t_.domain, t_.rows * t_.columns)) return {};
    return {{point.index % t_.rows, point.index / t_.rows}};
  }

 private:
  TileCells t_;
};

}  // namespace

bool Isolated::holds(i64 thread) const {
  return kind == Kind::None || thread / (kind == Kind::Thread ? 1 : kind == Kind::Quad ? 4 : 32) == number;
}

Result<Isolated> isolatedOf(const std::vector<std::string>& arguments, std::string_view view) {
  Isolated out;
  for (std::size_t k = 0; k < arguments.size(); k += 2) {
    const std::string& word = arguments[k];
    out.kind = word == "thread" || word == "lane" ? Isolated::Kind::Thread
               : word == "quad"                   ? Isolated::Kind::Quad
               : word == "warp"                   ? Isolated::Kind::Warp
                                                  : Isolated::Kind::None;
    if (out.kind == Isolated::Kind::None)
      return Diag{fmt::format("the {} view knows no \"{}\"", view, word), "thread N, quad N or warp N"};
    const auto number = wholeNumber(k + 1 < arguments.size() ? arguments[k + 1] : "");
    if (!number) return Diag{fmt::format("{} needs a number", word), fmt::format("{} 5", word)};
    out.number = *number;
  }
  return out;
}

Grid gridOf(const ThreadTile& tile, const std::string& name, i64 threads, const Isolated& isolated) {
  const auto cells = std::make_shared<ThreadCells>(tile, threads, isolated);
  const i64 high = tile.rows / tile.unit;
  Grid grid =
      makeGrid(name, tile.transposed ? tile.columns : high, tile.transposed ? high : tile.columns, cells, 30, 30);
  grid.rowGroup = grid.rows > 8 ? 8 : 0;
  grid.colGroup = grid.cols > 8 ? 8 : 0;
  std::tie(grid.labelChars, grid.secondChars) = cells->longest();
  grid.lettered = !tile.shared;
  return grid;
}

LinkPtr heldLink(const ThreadTile& tile) {
  if (tile.shared || tile.unit != 1) return nullptr;
  const u64 domain = pointDomain({tile.rows, tile.columns});
  std::vector<std::pair<Point, Point>> pairs;
  eachHeld(tile, [&](i64 thread, i64, i64 index) {
    pairs.push_back({{domain, index}, threadPoint(tile.threadId(thread))});
  });
  return tableLink(std::move(pairs));
}

ThreadTile threadTileOf(const AtlasRow& row, const AtlasOperand& operand) {
  ThreadTile tile;
  tile.rows = rowsOf(operand);
  tile.columns = columnsOf(operand);
  if (auto layout = threadValue(operand)) tile.threadValue = *layout;
  if (auto id = cute::parseLayout(row.threadId)) tile.threadId = *id;
  tile.shared = operand.space != OperandSpace::Register && operand.element != "b1";
  if (operand.element == "b1") {
    tile.unit = unitOf(tile.threadValue, tile.rows);
    tile.transposed = true;
  }
  return tile;
}

std::shared_ptr<const CellSource> cellsOf(TileCells tile) { return std::make_shared<Cells>(std::move(tile)); }

Paint paintOutside(TileCoord corner, TileCoord end, i64 row, i64 column) {
  const i64 high = end.row - corner.row, wide = end.column - corner.column;
  const bool even = (floorDiv(row - corner.row, high) + floorDiv(column - corner.column, wide)) % 2 == 0;
  return {even ? Role::Raised : Role::Faded};
}

Figure figureOverTile(const std::string& what, const std::string& type, const Tile& tile,
                      const std::vector<TileCoord>& positions, std::size_t now, const DrawOptions& options) {
  constexpr std::size_t kMostChoices = 64;  // positions in the menu
  const auto word = [&](std::size_t k) { return fmt::format("{},{}", positions[k].row, positions[k].column); };
  const std::string name = options.name.empty() || options.name.size() > 60 ? what + " over a tile" : options.name;
  Figure figure = titledFigure(fmt::format("{}, at ({})", name, word(now)), fmt::format("{}, {}", tile.text(), type));
  if (positions.size() < 2) return figure;
  figure.badges.push_back({fmt::format("position {} of {}", now + 1, positions.size()), Role::Muted});
  FigureChoice choice{"position", {}, word(now)};
  for (std::size_t k = 0; k < std::min(positions.size(), kMostChoices); ++k) choice.words.push_back(word(k));
  if (now >= kMostChoices) choice.words.push_back(word(now));
  figure.choices.push_back(std::move(choice));
  return figure;
}

}  // namespace tessera
