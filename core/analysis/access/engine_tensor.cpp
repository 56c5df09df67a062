// Rows of tensor memory and the registers that tcgen05.ld and st move them to. An element's address is lane * 65536 *
// 32 / bits + column, in elements; warp w of the warpgroup accesses lanes 32w to 32w + 31, a shape of 16 rows their
// lower or upper half.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/analysis/access/engine_over.h"
#include "core/atlas/gmma.h"
#include "core/base/arith.h"

namespace tessera {
namespace {

struct Cell {
  TileCoord at;
  i64 lane = 0, bit = 0;  // of its lane
};

Result<std::vector<Cell>> cellsOf(const EngineOver& over) {
  const i64 bits = over.tile.elementBits(), pitch = i64{65536} * 32 / bits;
  std::vector<Cell> cells;
  for (i64 r = 0; r < over.tile.rows(); ++r)
    for (i64 c = 0; c < over.tile.columns(); ++c) {
      const i64 offset = over.tile.offset(r, c), lane = floorDiv(offset, pitch), bit = floorMod(offset, pitch) * bits;
      if (lane < 0 || lane >= kTmemRows || bit >= kTmemColumns * 32)
        return Diag{
            fmt::format("({},{}) would lie in lane {}, column {}", r, c, lane, bit / 32),
            fmt::format("{} lanes of {} columns of 32 bits: lanes are {} elements of {} bits apart", kTmemRows,
                        kTmemColumns, pitch, bits),
            fmt::format("tmem_layout({}, 128, {}) says where an accumulator lies", over.type, over.tile.columns())};
      cells.push_back({{r, c}, lane, bit});
    }
  return cells;
}

// bit + bits * row -> (thread, bit of its registers); -1: not held.
std::vector<std::pair<i64, i64>> holders(const TensorCopyShape& shape) {
  std::vector<std::pair<i64, i64>> out(static_cast<std::size_t>(shape.rows * shape.bits), {-1, -1});
  const i64 threads = shape.registers.mode(0).size(), values = shape.registers.mode(1).size();
  for (i64 t = 0; t < threads; ++t)
    for (i64 v = 0; v < values; ++v) {
      const i64 index = shape.registers(t + threads * v);
      if (index >= 0 && index < static_cast<i64>(out.size())) out[static_cast<std::size_t>(index)] = {t, v};
    }
  return out;
}

}  // namespace

Result<EngineOver> withTensorRows(EngineOver over, const TensorCopyShape& shape) {
  const i64 bits = over.tile.elementBits();
  if (bits != 8 && bits != 16 && bits != 32)
    return Diag{fmt::format("tensor memory holds no elements of {} bits", bits), "8, 16 or 32 bits"};
  TESSERA_TRY(const std::vector<Cell> cells, cellsOf(over));
  i64 firstBit = kTmemColumns * 32, firstLane = kTmemRows;
  for (const Cell& c : cells) {
    firstBit = std::min(firstBit, c.bit);
    firstLane = std::min(firstLane, c.lane);
  }
  firstBit = firstBit / 32 * 32;
  const auto held = holders(shape);
  std::map<std::tuple<i64, i64>, EngineBlock> blocks;  // by first lane and first bit
  for (const Cell& c : cells) {
    const i64 lane = c.lane / shape.rows * shape.rows, bit = firstBit + (c.bit - firstBit) / shape.bits * shape.bits;
    EngineBlock& block = blocks[{lane, bit}];
    const auto [thread, value] = held[static_cast<std::size_t>(c.bit - bit + shape.bits * (c.lane - lane))];
    block.places.push_back({c.at, c.bit / 8, thread, value / bits, c.lane});
  }
  const i64 whole = shape.rows * shape.bits / bits;
  for (auto& [key, block] : blocks) {
    const auto [lane, bit] = key;
    if (static_cast<i64>(block.places.size()) != whole)
      return Diag{
          fmt::format("{} moves {} lanes of {} columns; of those from lane {}, column {} on the tile has {} of {} "
                      "elements",
                      over.what, shape.rows, shape.bits / 32, lane, bit / 32, block.places.size(), whole),
          fmt::format("a tile of whole blocks of {} lanes x {} elements", shape.rows, shape.bits / bits),
          "another .xN"};
    block.corner = block.places.front().at;
    for (const EnginePlace& p : block.places) {
      block.corner = {std::min(block.corner.row, p.at.row), std::min(block.corner.column, p.at.column)};
      block.end = {std::max(block.end.row, p.at.row + 1), std::max(block.end.column, p.at.column + 1)};
    }
    block.facts = {{"warp", fmt::format("{} of the warpgroup", lane / 32)},
                   {"address", fmt::format("0x{:08x}", lane << 16 | bit / 32)},
                   {"lanes", fmt::format("{} to {}", lane, lane + shape.rows - 1)},
                   {"columns", fmt::format("{} to {}", bit / 32, (bit + shape.bits) / 32 - 1)}};
    over.blocks.push_back(block);
  }
  over.form = fmt::format(
      "lanes {} to {}, columns from {} on", firstLane,
      std::max_element(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.lane < b.lane; })->lane,
      firstBit / 32);
  return over;
}

}  // namespace tessera
