#include "render/draw/hardware/engine_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/analysis/memory/banks.h"
#include "core/base/arith.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/hardware/tile_cells.h"
#include "render/draw/links.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kOverview = 230;         // longer side of the whole tile
constexpr double kWide = 44, kHigh = 28;  // of a cell with two words
constexpr i64 kChunk = 16, kLine = 128;   // bytes

struct Shown {
  Engine engine = Engine::Descriptor;
  EngineBlock block;
  i64 rows = 1, columns = 1;  // of the tile
  u64 domain = 0;
  i64 unit = 1;          // elements per chunk
  bool alongRow = true;  // they are adjacent in a row
  i64 bits = 16;
  std::unordered_map<i64, const EnginePlace*> places;  // by row + rows * column

  [[nodiscard]] const EnginePlace* at(i64 row, i64 column) const {
    const auto found = places.find(row + rows * column);
    return found == places.end() ? nullptr : found->second;
  }
  [[nodiscard]] Point pointOf(const EnginePlace& p) const { return {domain, p.at.row + rows * p.at.column}; }
  [[nodiscard]] Paint paint(const EnginePlace& p) const {
    if (engine == Engine::TensorMemory)
      return {Role::Group, static_cast<int>(p.group / 4 % 8), static_cast<int>(p.group % 4), 0};
    if (engine == Engine::Descriptor)
      return {Role::Group, static_cast<int>((p.group + p.group / 8 * 3) % 8), static_cast<int>(p.inGroup % 8 / 2), 0};
    const i64 along = alongRow ? p.at.column - block.corner.column : p.at.row - block.corner.row;
    return {Role::Group, static_cast<int>(along / unit % 8), static_cast<int>(p.group % 4), 0};
  }
  // "M5", "r3".
  [[nodiscard]] std::pair<std::string, std::string> words(const EnginePlace& p) const {
    constexpr const char* kLetters[][2] = {{"M", "r"}, {"L", "c"}, {"T", "V"}};
    const auto* letters = kLetters[static_cast<std::size_t>(engine)];
    return {fmt::format("{}{}", letters[0], p.group), fmt::format("{}{}", letters[1], p.inGroup)};
  }
  // Sets the cell's points: the elements, and in tensor memory the thread.
  void stand(Cell& cell, const std::vector<const EnginePlace*>& elements) const {
    for (const EnginePlace* p : elements) {
      if (p == elements.front()) {
        cell.point = pointOf(*p);
      } else {
        cell.also.push_back(pointOf(*p));
      }
    }
    if (engine == Engine::TensorMemory && !elements.empty()) cell.also.push_back(threadPoint(elements.front()->group));
  }
  [[nodiscard]] const EnginePlace* placeOf(Point point) const {
    if (point.domain != domain) return nullptr;
    const auto found = places.find(point.index);
    return found == places.end() ? nullptr : found->second;
  }
};
using ShownPtr = std::shared_ptr<const Shown>;

// The whole tile: the block in its colours, the rest pale.
std::shared_ptr<const CellSource> wholeTile(const ShownPtr& s) {
  const auto paint = [s](i64 row, i64 column) {
    const EnginePlace* p = s->at(row, column);
    return p != nullptr ? s->paint(*p) : paintOutside(s->block.corner, s->block.end, row, column);
  };
  return cellsOf({s->rows, s->columns, s->domain, paint});
}

// The block, one cell per chunk or element.
class BlockCells : public CellSource {
 public:
  explicit BlockCells(ShownPtr shown) : s_(std::move(shown)) {
    (s_->alongRow ? wide_ : high_) = s_->unit;
    for (const EnginePlace& p : s_->block.places)
      if (s_->engine == Engine::TensorMemory) byThread_[p.group].push_back(cellAt(p.at));
  }
  [[nodiscard]] Cell cell(i64 row, i64 column) const override {
    Cell cell;
    const std::vector<const EnginePlace*> elements = elementsOf(row, column);
    if (elements.empty()) {
      cell.paint = {Role::Faded};
      return cell;
    }
    s_->stand(cell, elements);
    cell.paint = s_->paint(*elements.front());
    std::tie(cell.label, cell.second) = s_->words(*elements.front());
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 column) const override {
    const EnginePlace* p = s_->at(s_->block.corner.row + row * high_, s_->block.corner.column + column * wide_);
    return p == nullptr ? Paint{Role::Faded} : s_->paint(*p);
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    if (const EnginePlace* p = s_->placeOf(point)) return {cellAt(p->at)};
    if (!isThread(point)) return {};
    const auto found = byThread_.find(point.index);
    if (found == byThread_.end()) return {};
    const auto n = std::min(found->second.size(), static_cast<std::size_t>(std::max(limit, 0)));
    return {found->second.begin(), found->second.begin() + static_cast<std::ptrdiff_t>(n)};
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override {
    return std::to_string(s_->block.corner.row + row * high_);
  }
  [[nodiscard]] std::string colHeader(i64 column) const override {
    return std::to_string(s_->block.corner.column + column * wide_);
  }
  [[nodiscard]] i64 high() const { return high_; }
  [[nodiscard]] i64 wide() const { return wide_; }

 private:
  [[nodiscard]] std::pair<i64, i64> cellAt(TileCoord at) const {
    return {(at.row - s_->block.corner.row) / high_, (at.column - s_->block.corner.column) / wide_};
  }
  [[nodiscard]] std::vector<const EnginePlace*> elementsOf(i64 row, i64 column) const {
    std::vector<const EnginePlace*> out;
    for (i64 r = 0; r < high_; ++r)
      for (i64 c = 0; c < wide_; ++c)
        if (const EnginePlace* p =
                s_->at(s_->block.corner.row + row * high_ + r, s_->block.corner.column + column * wide_ + c))
          out.push_back(p);
    return out;
  }
  ShownPtr s_;
  i64 high_ = 1, wide_ = 1;
  std::unordered_map<i64, std::vector<std::pair<i64, i64>>> byThread_;
};

// The memory: lines of chunks, or lanes of columns.
class MemoryCells : public CellSource {
 public:
  explicit MemoryCells(ShownPtr shown) : s_(std::move(shown)) {
    const bool tensor = s_->engine == Engine::TensorMemory;
    for (const EnginePlace& p : s_->block.places) {
      const std::pair<i64, i64> at =
          tensor ? std::pair(p.lane, p.byte / 4) : std::pair(p.byte / kLine, p.byte % kLine / kChunk);
      cells_[at].push_back(&p);
      if (tensor) byThread_[p.group].insert({at, 0});
    }
    firstRow_ = cells_.begin()->first.first;
    lastRow_ = cells_.rbegin()->first.first;
    firstColumn_ = tensor ? std::numeric_limits<i64>::max() : 0;
    lastColumn_ = tensor ? 0 : kLine / kChunk - 1;
    for (const auto& [at, elements] : cells_) {
      firstColumn_ = std::min(firstColumn_, at.second);
      lastColumn_ = std::max(lastColumn_, at.second);
    }
  }
  [[nodiscard]] i64 rows() const { return lastRow_ - firstRow_ + 1; }
  [[nodiscard]] i64 columns() const { return lastColumn_ - firstColumn_ + 1; }
  [[nodiscard]] Cell cell(i64 row, i64 column) const override {
    Cell cell;
    const auto* elements = elementsAt(row, column);
    if (elements == nullptr) {
      cell.paint = {Role::Faded};
      return cell;
    }
    s_->stand(cell, *elements);
    const EnginePlace& first = *elements->front();
    cell.paint = s_->paint(first);
    if (s_->engine == Engine::Box) {
      cell.label = fmt::format("{},{}", first.at.row, first.at.column);
    } else {
      std::tie(cell.label, cell.second) = s_->words(first);
    }
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 column) const override {
    const auto* elements = elementsAt(row, column);
    return elements == nullptr ? Paint{Role::Faded} : s_->paint(*elements->front());
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    std::vector<std::pair<i64, i64>> out;
    if (const EnginePlace* p = s_->placeOf(point)) {
      out.emplace_back(s_->engine == Engine::TensorMemory ? std::pair(p->lane, p->byte / 4)
                                                          : std::pair(p->byte / kLine, p->byte % kLine / kChunk));
    } else if (isThread(point)) {
      const auto found = byThread_.find(point.index);
      if (found != byThread_.end())
        for (const auto& [at, n] : found->second)
          if (static_cast<int>(out.size()) < limit) out.push_back(at);
    }
    for (auto& [row, column] : out) row -= firstRow_, column -= firstColumn_;
    return out;
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override {
    const i64 line = firstRow_ + row;
    return std::to_string(s_->engine == Engine::TensorMemory ? line : line * kLine);
  }
  [[nodiscard]] std::string colHeader(i64 column) const override {
    if (s_->engine == Engine::TensorMemory) return std::to_string(firstColumn_ + column);
    return fmt::format("b{}-{}", 4 * column, 4 * column + 3);
  }

 private:
  [[nodiscard]] const std::vector<const EnginePlace*>* elementsAt(i64 row, i64 column) const {
    const auto found = cells_.find({row + firstRow_, column + firstColumn_});
    return found == cells_.end() ? nullptr : &found->second;
  }
  ShownPtr s_;
  std::map<std::pair<i64, i64>, std::vector<const EnginePlace*>> cells_;
  std::unordered_map<i64, std::map<std::pair<i64, i64>, int>> byThread_;
  i64 firstRow_ = 0, lastRow_ = 0, firstColumn_ = 0, lastColumn_ = 0;
};

ShownPtr shownOf(const EngineOver& over, std::size_t k) {
  auto s = std::make_shared<Shown>();
  s->engine = over.engine;
  s->block = over.blocks[k];
  s->rows = over.tile.rows();
  s->columns = over.tile.columns();
  s->domain = pointDomain(over.extents);
  s->bits = over.tile.elementBits();
  for (const EnginePlace& p : s->block.places) s->places[p.at.row + s->rows * p.at.column] = &p;
  if (over.engine != Engine::TensorMemory) {
    s->unit = kChunk * 8 / s->bits;
    const EnginePlace* next = s->at(s->block.corner.row, s->block.corner.column + 1);
    const EnginePlace* first = s->at(s->block.corner.row, s->block.corner.column);
    s->alongRow = next != nullptr && next->byte == first->byte + s->bits / 8;
  }
  return s;
}

void heading(Figure& figure, double x, const std::string& text, const std::string& rest) {
  addText(figure, x, 12, text, 13, Face::SansMedium, Role::Text);
  addText(figure, x, 29, rest, kType.caption, Face::Sans, Role::Muted);
}

// Returns the position of the next part.
double addGrid(Figure& figure, Grid grid, double x, const std::string& text, const std::string& rest) {
  const Margins m = grid.headers ? headerMargins(grid) : Margins{};
  heading(figure, x, text, rest);
  grid.x = x + m.left;
  grid.y = 42 + std::max(m.top, 18.0);
  const double width = std::max(
      {m.left + grid.bounds().w, textWidth(text, Face::SansMedium, 13), textWidth(rest, Face::Sans, kType.caption)});
  figure.grids.push_back(std::move(grid));
  return x + width + 40;
}

double addOverview(Figure& figure, const ShownPtr& s, std::size_t blocks) {
  if (blocks < 2) return 0;
  Grid grid;
  grid.name = "tile";
  grid.rows = s->rows;
  grid.cols = s->columns;
  grid.cellWidth = std::min(kOverview / static_cast<double>(std::max(s->rows, s->columns)), 16.0);
  grid.cellHeight = grid.cellWidth;
  grid.headers = false;
  grid.cells = wholeTile(s);
  return addGrid(figure, std::move(grid), 0, fmt::format("{} x {}", s->rows, s->columns), "the position in the tile");
}

double addBlock(Figure& figure, const ShownPtr& s, double x) {
  auto cells = std::make_shared<BlockCells>(s);
  Grid grid;
  grid.name = "block";
  grid.rows = (s->block.end.row - s->block.corner.row) / cells->high();
  grid.cols = (s->block.end.column - s->block.corner.column) / cells->wide();
  grid.cellWidth = kWide;
  grid.cellHeight = kHigh;
  grid.labelChars = 4;
  grid.secondChars = 4;
  grid.lettered = true;
  if (s->engine == Engine::Descriptor) {
    grid.rowGroup = s->alongRow ? 8 : 1;
    grid.colGroup = s->alongRow ? 1 : 8;
  }
  constexpr const char* kSays[] = {"M core matrix, r its row: 16 bytes a cell",
                                   "L line, c chunk of 128 bytes: 16 bytes a cell", "T thread, V its register value"};
  grid.cells = cells;
  return addGrid(figure, std::move(grid), x, "block", kSays[static_cast<std::size_t>(s->engine)]);
}

void addMemory(Figure& figure, const ShownPtr& s, double x) {
  auto cells = std::make_shared<MemoryCells>(s);
  const bool tensor = s->engine == Engine::TensorMemory;
  Grid grid;
  grid.name = tensor ? "tensor memory" : "shared memory";
  grid.rows = cells->rows();
  grid.cols = cells->columns();
  grid.cellWidth = kWide;
  grid.cellHeight = kHigh;
  grid.labelChars = s->engine == Engine::Box ? 6 : 4;
  grid.secondChars = s->engine == Engine::Box ? 0 : 4;
  grid.lettered = s->engine != Engine::Box;
  grid.rowGroup = grid.rows > 8 ? 8 : 0;
  grid.cells = cells;
  const std::string name = grid.name;
  addGrid(figure, std::move(grid), x, name,
          tensor ? "lanes down, columns of 32 bits across" : "lines of 128 bytes by address; b: the banks of a chunk");
}

void addTable(Figure& figure, const Shown& s) {
  if (s.engine == Engine::TensorMemory) {
    figure.table.push_back({"row", "column", "lane", "tensor column", "thread", "value"});
  } else {
    const bool box = s.engine == Engine::Box;
    figure.table.push_back(
        {"row", "column", "byte", "bank", box ? "line" : "core matrix", box ? "chunk" : "row of it"});
  }
  for (const EnginePlace& p : s.block.places) {
    std::vector<i64> numbers = {p.at.row, p.at.column};
    if (s.engine == Engine::TensorMemory) {
      numbers.insert(numbers.end(), {p.lane, p.byte / 4, p.group, p.inGroup});
    } else {
      numbers.insert(numbers.end(), {p.byte, p.byte / kBankBytes % kBanks, p.group, p.inGroup});
    }
    std::vector<std::string> row;
    for (const i64 n : numbers) row.push_back(std::to_string(n));
    figure.table.push_back(std::move(row));
  }
}

std::string wordOf(const EngineBlock& block) { return fmt::format("{},{}", block.corner.row, block.corner.column); }

Result<std::size_t> chosen(const EngineOver& over, const std::vector<std::string>& words) {
  std::size_t k = 0;
  for (const std::string& word : words) {
    const auto found =
        std::find_if(over.blocks.begin(), over.blocks.end(), [&](const EngineBlock& b) { return wordOf(b) == word; });
    if (found == over.blocks.end())
      return Diag{fmt::format("'{}' is no position of {}", word, over.what),
                  fmt::format("one of {} positions: {}{}", over.blocks.size(), wordOf(over.blocks.front()),
                              over.blocks.size() > 1 ? ", " + wordOf(over.blocks[1]) + " ..." : "")};
    k = static_cast<std::size_t>(found - over.blocks.begin());
  }
  return k;
}

// "(3,24) is row 3 of core matrix 8, at byte 400: bank 4."
std::string exampleOf(const Shown& s) {
  const EnginePlace& p = s.block.places[s.block.places.size() / 2 + s.block.places.size() / 16];
  const std::string element = fmt::format("({},{})", p.at.row, p.at.column);
  if (s.engine == Engine::TensorMemory)
    return fmt::format("{} lies in lane {}, column {}: T{} has it in V{}.", element, p.lane, p.byte / 4, p.group,
                       p.inGroup);
  const std::string where = fmt::format("at byte {}, bank {}", p.byte, p.byte / kBankBytes % kBanks);
  if (s.engine == Engine::Box)
    return fmt::format("{} is in line {} of the box, chunk {}, {}.", element, p.group, p.inGroup, where);
  return fmt::format("{} is in row {} of core matrix {}, {}.", element, p.inGroup, p.group, where);
}

}  // namespace

Result<Figure> drawEngineOver(const EngineOver& over, const DrawOptions& options) {
  TESSERA_TRY(const std::size_t k, chosen(over, options.arguments));
  const ShownPtr s = shownOf(over, k);
  std::vector<TileCoord> positions;
  for (const EngineBlock& block : over.blocks) positions.push_back(block.corner);
  Figure figure = figureOverTile(over.what, over.type, over.tile, positions, k, options);
  const double left = addOverview(figure, s, over.blocks.size());
  addMemory(figure, s, addBlock(figure, s, left));
  addTable(figure, *s);
  // tmem_layout's ((M,N),1,1) is the tile (M,N).
  if (over.engine == Engine::TensorMemory)
    figure.links.push_back(
        {sameIndex(pointDomain({s->rows * s->columns, 1, 1}), s->domain, s->rows * s->columns), "", ""});
  figure.badges.push_back({over.form, Role::Proved});
  for (const auto& [fact, value] : s->block.facts)
    figure.badges.push_back({fmt::format("{} {}", fact, value), Role::Muted});
  fitSize(figure);
  figure.caption = exampleOf(*s);
  return figure;
}

}  // namespace tessera
