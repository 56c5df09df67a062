#include "core/analysis/access/engine_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/arith.h"

namespace tessera {

bool EngineOver::operator==(const EngineOver& other) const {
  return engine == other.engine && what == other.what && type == other.type && memory == other.memory;
}

std::string print(const EngineOver& over) {
  std::string out = fmt::format("{} over {}, {}\n{}", over.what, over.tile.text(), over.type, over.form);
  if (over.blocks.empty()) return out;
  const EngineBlock& first = over.blocks.front();
  out += fmt::format("\n{} position{} of {}x{}", over.blocks.size(), over.blocks.size() == 1 ? "" : "s",
                     first.end.row - first.corner.row, first.end.column - first.corner.column);
  for (const auto& [name, value] : first.facts) out += fmt::format("\n{}: {}", name, value);
  return out;
}

LayoutFacts NotationOf<EngineOver>::facts(const EngineOver& over) {
  LayoutFacts facts = {{"access", over.what}, {"type", over.type}, {"over", over.tile.text()}, {"form", over.form}};
  facts.push_back({"positions", static_cast<i64>(over.blocks.size())});
  if (over.blocks.empty()) return facts;
  for (const auto& [name, value] : over.blocks.front().facts) facts.push_back({name, value});
  return facts;
}

Result<void> fitsSharedMemory(const Tile& tile) {
  const i64 bytes = tile.span() * tile.elementBits() / 8;
  if (bytes <= kSharedBytesOfBlock) return {};
  return Diag{fmt::format("the tile spans {} bytes, a block has {} of shared memory", bytes, kSharedBytesOfBlock),
              "a smaller tile"};
}

// Boxes: a tile of shared memory as written by TMA loads. In a box the inner dimension is dense, its line at most the
// swizzle's, and lines are consecutive; with u = mode(p) for a physical byte p,
//
//     u = start + line * (bytes of a line) + bytes along it

namespace {

constexpr i64 kMostBox = 256;  // elements of a box in one dimension

// The whole tile: `turned` if its columns are the lines.
struct Lines : TileLines {
  [[nodiscard]] i64 lines() const { return turned ? tile->columns() : tile->rows(); }
  [[nodiscard]] i64 along() const { return turned ? tile->rows() : tile->columns(); }
};

struct Fit {
  i64 wide = 0, high = 0;  // elements along a line, lines
};

// The largest box that the mode allows here, if boxes of that size form the whole tile. (FLIP_8B is not a byte
// swizzle.)
std::optional<Fit> fitOf(const Lines& l, const TmaSwizzleMode& mode, i64 bytes) {
  const bool plain = mode.onBytes.isIdentity();
  const auto u = [&](i64 line, i64 at) { return mode.onBytes(l.byte(line, at)); };
  const auto gcdRun = [](i64 run, i64 whole) {
    while (run > 1 && whole % run != 0) --run;
    return run;
  };
  i64 wide = 1;
  const i64 most = std::min(kMostBox, plain ? kMostBox : mode.lineBytes / bytes);
  while (wide < std::min(most, l.along()) && u(0, wide) == u(0, 0) + wide * bytes) ++wide;
  wide = gcdRun(wide, l.along());
  i64 high = 1;
  while (high < std::min(kMostBox, l.lines()) && u(high, 0) == u(0, 0) + high * wide * bytes) ++high;
  high = gcdRun(high, l.lines());
  if (wide * bytes % 16 != 0) return std::nullopt;
  for (i64 line = 0; line < l.lines(); line += high)
    for (i64 at = 0; at < l.along(); at += wide) {
      const i64 start = u(line, at);
      if (start % (plain ? 128 : mode.patternBytes) != 0) return std::nullopt;
      for (i64 r = 0; r < high; ++r)
        for (i64 c = 0; c < wide; ++c)
          if (u(line + r, at + c) != start + (r * wide + c) * bytes) return std::nullopt;
    }
  return Fit{wide, high};
}

Diag refusal(const EngineOver& over, const Lines& l, i64 bytes) {
  const i64 pitch = l.lines() > 1 ? l.byte(1, 0) - l.byte(0, 0) : 0, line = l.along() * bytes;
  const std::string hint =
      fmt::format("({0},{1}):({1},1), or tile_to_shape(smem_atom(K_SW128, {2}), ({0},{1})) for 128B", over.tile.rows(),
                  over.tile.columns(), over.type);
  if (l.along() > 1 && line % 16 == 0 && pitch > line)
    return Diag{fmt::format("lines of {} bytes are {} bytes apart in {}: TMA writes a box without gaps", line, pitch,
                            over.tile.text()),
                "a dense box, xored by a swizzle mode instead of padded", hint};
  if (line % 16 != 0)
    return Diag{fmt::format("a line of {} elements has {} bytes", l.along(), line), "a multiple of 16 bytes"};
  std::string modes;
  for (const TmaSwizzleMode& m : tmaSwizzleModes())
    if (!m.name.ends_with("FLIP_8B")) modes += (modes.empty() ? "" : ", ") + m.name;
  return Diag{
      fmt::format("no TMA box produces {}", over.tile.text()),
      fmt::format("dense lines under a swizzle mode ({}), a box that starts at a multiple of its pattern", modes),
      hint};
}

EngineBlock blockOf(const Lines& l, const TmaSwizzleMode& mode, const Fit& fit, i64 line, i64 at, i64 bytes) {
  EngineBlock block;
  block.corner = l.of(line, at);
  const TileCoord last = l.of(line + fit.high - 1, at + fit.wide - 1);
  block.end = {last.row + 1, last.column + 1};
  const i64 start = mode.onBytes(l.byte(line, at));
  for (i64 r = 0; r < fit.high; ++r)
    for (i64 c = 0; c < fit.wide; ++c) {
      const i64 byte = l.byte(line + r, at + c);
      block.places.push_back({l.of(line + r, at + c), byte, r, byte / 16 % 8, 0});
    }
  block.facts = {{"shared address", std::to_string(start)},
                 {"box", fmt::format("{{{}, {}}}", fit.wide, fit.high)},
                 {"coordinates", fmt::format("{{{}, {}}}", at, line)},
                 {"mode", "CU_TENSOR_MAP_SWIZZLE_" + mode.name},
                 {"bytes", std::to_string(fit.wide * fit.high * bytes)}};
  return block;
}

}  // namespace

Result<EngineOver> withBoxes(EngineOver over) {
  const i64 bits = over.tile.elementBits(), bytes = bits / 8;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return Diag{fmt::format("elements of {} bits", bits), "8, 16, 32 or 64 bits"};
  TESSERA_CHECKED(fitsSharedMemory(over.tile));
  const Lines lines{{&over.tile, {}, over.tile.contiguousDimension() == 0}};
  const TmaSwizzleMode* best = nullptr;
  Fit fit;
  for (const TmaSwizzleMode& mode : tmaSwizzleModes()) {
    if (mode.name.ends_with("FLIP_8B")) continue;
    const auto found = fitOf(lines, mode, bytes);
    if (!found || (best != nullptr && found->wide * found->high <= fit.wide * fit.high)) continue;
    best = &mode;
    fit = *found;
  }
  // One box per line is not a copy of a tile: padded lines are refused, with the reason.
  if (best == nullptr || (fit.high == 1 && lines.lines() > 1)) return refusal(over, lines, bytes);
  over.form = fmt::format("boxes of {} x {}, swizzle {}{}", fit.high, fit.wide, best->name,
                          lines.turned ? ", the tile's columns are its lines" : "");
  for (i64 line = 0; line < lines.lines(); line += fit.high)
    for (i64 at = 0; at < lines.along(); at += fit.wide)
      over.blocks.push_back(blockOf(lines, *best, fit, line, at, bytes));
  return over;
}

// Rows of tensor memory and the registers that tcgen05.ld and st move them to. An element's address is lane * 65536 *
// 32 / bits + column, in elements; warp w of the warpgroup accesses lanes 32w to 32w + 31, a shape of 16 rows their
// lower or upper half.

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
            fmt::format("({},{}) would be in lane {}, column {}", r, c, lane, bit / 32),
            fmt::format("{} lanes of {} columns of 32 bits: lanes are {} elements of {} bits apart", kTmemRows,
                        kTmemColumns, pitch, bits),
            fmt::format("tmem_layout({}, 128, {}) gives the place of an accumulator", over.type, over.tile.columns())};
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
          fmt::format("{} moves {} lanes of {} columns, but the block from lane {}, column {} has only {} of {} "
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
  over.form =
      fmt::format("lanes {} to {}, columns from {} on", firstLane,
                  std::ranges::max_element(cells, [](const Cell& a, const Cell& b) { return a.lane < b.lane; })->lane,
                  firstBit / 32);
  return over;
}

}  // namespace tessera
