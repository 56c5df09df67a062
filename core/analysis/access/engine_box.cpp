// Boxes: a tile of shared memory as written by TMA loads. In a box the inner dimension is dense, its line at most the
// swizzle's, and lines are consecutive; with u = mode(p) for a physical byte p,
//
//     u = start + line * (bytes of a line) + bytes along it
#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/access/engine_over.h"

namespace tessera {
namespace {

constexpr i64 kMostBox = 256;  // elements of a box in one dimension

// The tile as (line, along) -> byte: `turned` when columns of the tile are lines.
struct Lines {
  const Tile* tile = nullptr;
  bool turned = false;
  [[nodiscard]] i64 lines() const { return turned ? tile->columns() : tile->rows(); }
  [[nodiscard]] i64 along() const { return turned ? tile->rows() : tile->columns(); }
  [[nodiscard]] TileCoord of(i64 line, i64 at) const { return turned ? TileCoord{at, line} : TileCoord{line, at}; }
  [[nodiscard]] i64 byte(i64 line, i64 at) const {
    const TileCoord c = of(line, at);
    return tile->bit(c.row, c.column) / 8;
  }
};

struct Fit {
  i64 wide = 0, high = 0;  // elements along a line, lines
};

// The largest box that the mode allows here, if boxes of that
// size form the whole tile. (FLIP_8B is not a byte swizzle.)
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
    return Diag{fmt::format("lines of {} bytes lie {} bytes apart in {}: TMA writes a box without gaps", line, pitch,
                            over.tile.text()),
                "a dense box, xored by a swizzle mode instead of padded", hint};
  if (line % 16 != 0)
    return Diag{fmt::format("a line of {} elements has {} bytes", l.along(), line), "a multiple of 16 bytes"};
  std::string modes;
  for (const TmaSwizzleMode& m : tmaSwizzleModes())
    if (!m.name.ends_with("FLIP_8B")) modes += (modes.empty() ? "" : ", ") + m.name;
  return Diag{fmt::format("no box leaves {}", over.tile.text()),
              fmt::format("dense lines under a swizzle mode ({}), a box beginning at a multiple of its pattern", modes),
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
  if (over.tile.span() * bytes > kSharedBytesOfBlock)
    return Diag{fmt::format("the tile spans {} bytes, a block has {} of shared memory", over.tile.span() * bytes,
                            kSharedBytesOfBlock),
                "a smaller tile"};
  const Lines lines{&over.tile, over.tile.contiguousDimension() == 0};
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

}  // namespace tessera
