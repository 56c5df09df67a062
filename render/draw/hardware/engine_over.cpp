// The picture of an engine's access to a tile (core/analysis/access/engine_over.h).
//
//     show wgmma.m64n64k16.f16.A over S, f16            the first position
//     show wgmma.m64n64k16.f16.A over S, f16 as access 0,16      another position
//
// Left: the whole tile with the position in place. Middle: its block; each 16 bytes or element shows its core matrix
// and row (M5 r3), line and chunk (L3 c5), or thread and register (T3 V2). Right: the memory itself in the same
// colours: shared memory as lines of 32 banks in chunks of 16 bytes, tensor memory as lanes and columns; a chunk is
// labelled with its first element.
// Law: a cell of either represents exactly the elements whose EnginePlace it shows.
#include "core/analysis/access/engine_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "core/analysis/memory/banks.h"
#include "core/base/mapped.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/hardware/thread_tile.h"
#include "render/draw/links.h"
#include "render/draw/views.h"
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
  i64 unit = 1;                                        // elements per chunk
  bool alongRow = true;                                // they are adjacent in a row
  std::unordered_map<i64, const EnginePlace*> places;  // by row + rows * column

  [[nodiscard]] const EnginePlace* at(i64 row, i64 column) const {
    const auto found = places.find(row + rows * column);
    return found == places.end() ? nullptr : found->second;
  }
  [[nodiscard]] Point pointOf(const EnginePlace& p) const { return {domain, p.at.row + rows * p.at.column}; }
  [[nodiscard]] Paint paint(const EnginePlace& p) const {
    if (engine == Engine::TensorMemory) return groupPaint(p.group / 4, p.group);
    if (engine == Engine::Descriptor) return groupPaint(p.group + p.group / 8 * 3, p.inGroup % 8 / 2);
    const i64 along = alongRow ? p.at.column - block.corner.column : p.at.row - block.corner.row;
    return groupPaint(along / unit, p.group);
  }
  // "M5", "r3".
  [[nodiscard]] std::pair<std::string, std::string> words(const EnginePlace& p) const {
    constexpr const char* kLetters[][2] = {{"M", "r"}, {"L", "c"}, {"T", "V"}};
    const auto* letters = kLetters[static_cast<std::size_t>(engine)];
    return {fmt::format("{}{}", letters[0], p.group), fmt::format("{}{}", letters[1], p.inGroup)};
  }
  // Sets the cell's points: the elements (at least one), and in tensor memory the thread.
  void place(Cell& cell, const std::vector<const EnginePlace*>& elements) const {
    cell.point = pointOf(*elements.front());
    for (const EnginePlace* p : std::span(elements).subspan(1)) cell.also.push_back(pointOf(*p));
    if (engine == Engine::TensorMemory) cell.also.push_back(threadPoint(elements.front()->group));
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

// The block with one cell per chunk or element; or the memory: lines of chunks, or lanes of columns.
class PlaceCells : public CellSource {
 public:
  PlaceCells(ShownPtr shown, bool memory) : s_(std::move(shown)), memory_(memory) {
    const TileCoord from = s_->block.corner, to = s_->block.end;
    (s_->alongRow ? wide_ : high_) = s_->unit;
    if (memory_) {
      for (const EnginePlace& p : s_->block.places) cells_[at(p)].push_back(&p);
    } else {  // in the order of rows
      eachCell(to.row - from.row, to.column - from.column, [&](i64 r, i64 c) {
        if (const EnginePlace* p = s_->at(from.row + r, from.column + c)) cells_[at(*p)].push_back(p);
      });
    }
    for (const EnginePlace& p : s_->block.places)
      if (tensor()) byThread_[p.group].insert(at(p));
    last_ = memory_ ? std::pair(cells_.rbegin()->first.first, kLine / kChunk - 1)
                    : std::pair((to.row - from.row) / high_ - 1, (to.column - from.column) / wide_ - 1);
    if (!memory_) return;
    first_.first = cells_.begin()->first.first;
    if (!tensor()) return;
    first_.second = last_.second = cells_.begin()->first.second;
    for (const auto& [cell, elements] : cells_) {
      first_.second = std::min(first_.second, cell.second);
      last_.second = std::max(last_.second, cell.second);
    }
  }
  [[nodiscard]] i64 rows() const { return last_.first - first_.first + 1; }
  [[nodiscard]] i64 columns() const { return last_.second - first_.second + 1; }
  [[nodiscard]] Cell cell(i64 row, i64 column) const override {
    Cell cell;
    cell.paint = paint(row, column);
    const auto* elements = elementsAt(row, column);
    if (elements == nullptr) return cell;
    s_->place(cell, *elements);
    const EnginePlace& first = *elements->front();
    if (memory_ && s_->engine == Engine::Box) {
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
      out.push_back(at(*p));
    } else if (const auto found = byThread_.find(point.index); isThread(point) && found != byThread_.end()) {
      for (const auto& cell : found->second)
        if (static_cast<int>(out.size()) < limit) out.push_back(cell);
    }
    for (auto& [row, column] : out) row -= first_.first, column -= first_.second;
    return out;
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override {
    if (!memory_) return std::to_string(s_->block.corner.row + row * high_);
    return std::to_string((first_.first + row) * (tensor() ? 1 : kLine));
  }
  [[nodiscard]] std::string colHeader(i64 column) const override {
    if (!memory_) return std::to_string(s_->block.corner.column + column * wide_);
    if (tensor()) return std::to_string(first_.second + column);
    return fmt::format("b{}-{}", 4 * column, 4 * column + 3);
  }

 private:
  using Place = std::pair<i64, i64>;
  [[nodiscard]] bool tensor() const { return s_->engine == Engine::TensorMemory; }
  [[nodiscard]] Place at(const EnginePlace& p) const {
    if (memory_) return tensor() ? Place{p.lane, p.byte / 4} : Place{p.byte / kLine, p.byte % kLine / kChunk};
    return {(p.at.row - s_->block.corner.row) / high_, (p.at.column - s_->block.corner.column) / wide_};
  }
  [[nodiscard]] const std::vector<const EnginePlace*>* elementsAt(i64 row, i64 column) const {
    const auto found = cells_.find({row + first_.first, column + first_.second});
    return found == cells_.end() ? nullptr : &found->second;
  }
  ShownPtr s_;
  bool memory_;
  i64 high_ = 1, wide_ = 1;  // of a cell of the block, in elements
  std::map<Place, std::vector<const EnginePlace*>> cells_;
  std::unordered_map<i64, std::set<Place>> byThread_;
  Place first_{0, 0}, last_{0, 0};
};

ShownPtr shownOf(const EngineOver& over, std::size_t k) {
  auto s = std::make_shared<Shown>();
  s->engine = over.engine;
  s->block = over.blocks[k];
  s->rows = over.tile.rows();
  s->columns = over.tile.columns();
  s->domain = pointDomain(over.extents);
  for (const EnginePlace& p : s->block.places) s->places[p.at.row + s->rows * p.at.column] = &p;
  if (over.engine != Engine::TensorMemory) {
    const i64 bits = over.tile.elementBits();
    s->unit = kChunk * 8 / bits;
    const EnginePlace* next = s->at(s->block.corner.row, s->block.corner.column + 1);
    const EnginePlace* first = s->at(s->block.corner.row, s->block.corner.column);
    s->alongRow = next != nullptr && next->byte == first->byte + bits / 8;
  }
  return s;
}

// Returns the position of the next part.
double addGrid(Figure& figure, Grid grid, double x, const std::string& text, const std::string& rest) {
  const Margins m = grid.headers ? headerMargins(grid) : Margins{};
  addText(figure, x, 12, text, 13, Face::SansMedium, Role::Text);
  addText(figure, x, 29, rest, kType.caption, Face::Sans, Role::Muted);
  grid.x = x + m.left;
  grid.y = 42 + std::max(m.top, 18.0);
  const double width = std::max(
      {m.left + grid.bounds().w, textWidth(text, Face::SansMedium, 13), textWidth(rest, Face::Sans, kType.caption)});
  figure.grids.push_back(std::move(grid));
  return x + width + 40;
}

double addOverview(Figure& figure, const ShownPtr& s, std::size_t blocks) {
  if (blocks < 2) return 0;
  const double pitch = std::min(kOverview / static_cast<double>(std::max(s->rows, s->columns)), 16.0);
  Grid grid = makeGrid("tile", s->rows, s->columns, wholeTile(s), pitch, pitch);
  grid.headers = false;
  return addGrid(figure, std::move(grid), 0, fmt::format("{} x {}", s->rows, s->columns), "the position in the tile");
}

double addBlock(Figure& figure, const ShownPtr& s, double x) {
  const auto cells = std::make_shared<PlaceCells>(s, false);
  Grid grid = makeGrid("block", cells->rows(), cells->columns(), cells, kWide, kHigh, 4);
  grid.secondChars = 4;
  grid.lettered = true;
  if (s->engine == Engine::Descriptor) {
    grid.rowGroup = s->alongRow ? 8 : 1;
    grid.colGroup = s->alongRow ? 1 : 8;
  }
  constexpr const char* kSays[] = {"M core matrix, r its row: 16 bytes a cell",
                                   "L line, c chunk of 128 bytes: 16 bytes a cell", "T thread, V its register value"};
  return addGrid(figure, std::move(grid), x, "block", kSays[static_cast<std::size_t>(s->engine)]);
}

void addMemory(Figure& figure, const ShownPtr& s, double x) {
  const auto cells = std::make_shared<PlaceCells>(s, true);
  const bool tensor = s->engine == Engine::TensorMemory;
  const std::string name = tensor ? "tensor memory" : "shared memory";
  Grid grid = makeGrid(name, cells->rows(), cells->columns(), cells, kWide, kHigh, s->engine == Engine::Box ? 6 : 4);
  grid.secondChars = s->engine == Engine::Box ? 0 : 4;
  grid.lettered = s->engine != Engine::Box;
  grid.rowGroup = grid.rows > 8 ? 8 : 0;
  addGrid(figure, std::move(grid), x, name,
          tensor ? "lanes down, columns of 32 bits across" : "lines of 128 bytes by address; b: the banks of a chunk");
}

void addTable(Figure& figure, const Shown& s) {
  const bool tensor = s.engine == Engine::TensorMemory;
  const std::vector<std::string> heads[] = {{"row", "column", "byte", "bank", "core matrix", "row of it"},
                                            {"row", "column", "byte", "bank", "line", "chunk"},
                                            {"row", "column", "lane", "tensor column", "thread", "value"}};
  figure.table.push_back(heads[static_cast<std::size_t>(s.engine)]);
  for (const EnginePlace& p : s.block.places) {
    const i64 numbers[] = {
        p.at.row, p.at.column, tensor ? p.lane : p.byte, tensor ? p.byte / 4 : p.byte / kBankBytes % kBanks,
        p.group,  p.inGroup};
    figure.table.push_back(mapped<std::string>(numbers, [](i64 n) { return std::to_string(n); }));
  }
}

std::string wordOf(const EngineBlock& block) { return fmt::format("{},{}", block.corner.row, block.corner.column); }

Result<std::size_t> chosen(const EngineOver& over, const std::vector<std::string>& words) {
  std::size_t k = 0;
  for (const std::string& word : words) {
    const auto found = std::ranges::find_if(over.blocks, [&](const EngineBlock& b) { return wordOf(b) == word; });
    if (found == over.blocks.end())
      return Diag{fmt::format("'{}' is not a position of {}", word, over.what),
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
    return fmt::format("{} is in lane {}, column {}: T{} has it in V{}.", element, p.lane, p.byte / 4, p.group,
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
  std::vector<TileCoord> positions = mapped<TileCoord>(over.blocks, &EngineBlock::corner);
  Figure figure = figureOverTile(over.what, over.type, over.tile, positions, k, options);
  const double left = addOverview(figure, s, over.blocks.size());
  addMemory(figure, s, addBlock(figure, s, left));
  addTable(figure, *s);
  // tmem_layout's ((M,N),1,1) is the tile (M,N).
  if (over.engine == Engine::TensorMemory)
    figure.links.push_back({sameIndex(pointDomain({s->rows * s->columns, 1, 1}), s->domain, s->rows * s->columns)});
  figure.badges.push_back({over.form, Role::Proved});
  for (const auto& [fact, value] : s->block.facts)
    figure.badges.push_back({fmt::format("{} {}", fact, value), Role::Muted});
  fitSize(figure);
  figure.caption = exampleOf(*s);
  return figure;
}

}  // namespace tessera
