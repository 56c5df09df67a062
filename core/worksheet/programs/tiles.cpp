// Tiles through maps: through what an HLO instruction reads, and through any indexing map.
#include <fmt/format.h>

#include <array>
#include <functional>

#include "core/base/mapped.h"
#include "core/hlo/listing.h"
#include "core/hlo/notation.h"
#include "core/hlo/tiles/symbolic_tile.h"
#include "core/hlo/tiles/tile.h"
#include "core/worksheet/functions/functions.h"
#include "core/worksheet/programs/functions.h"

namespace tessera {
namespace {

constexpr std::size_t kMostTried = 4096;  // tilings per call
constexpr i64 kFarthest = i64{1} << 60;   // limit on a tile's first element

// A map, or the reads of an instruction: (M.%f, operand, which map), where needed. `after`: the number of arguments
// that follow.
Result<Map> mapAsked(const Call& c, std::size_t after) {
  if (c.count() < 1 + after) return c.wrong(c.count() - 1, "a map or an instruction, then the tile");
  const std::size_t between = c.count() - 1 - after;
  const auto* part = as<hlo::Part>(c[0]);
  if (part == nullptr) {
    if (between > 0) return c.wrong(1, "the tile's sizes; only an instruction has operands");
    return c.map(0);
  }
  if (between > 2) return c.wrong(3, "the tile's sizes, after the operand and its map");
  i64 operand = 0, which = -1;
  if (between > 0) {
    TESSERA_TRY(operand, c.integer(1));
  } else if (hlo::operandsOf(*part) > 1) {
    return c.at(
        0, Diag{fmt::format("%{} has {} operands", part->name(), hlo::operandsOf(*part)), "the number of one after it",
                fmt::format("{}({}.%{}, 0, ...)", c.function, part->of.name, part->name())});
  }
  if (between > 1) {
    TESSERA_TRY(which, c.integer(2));
  }
  const std::size_t place = between > 0 ? 1 : 0;
  if (operand < 0 || operand > 1'000'000 || which > 1'000'000)
    return c.at(place, Diag{"the number is out of range", "0, 1, 2 ..."});
  TESSERA_TRY(const auto reach, c.at(place, hlo::reads(*part, static_cast<int>(operand))));
  TESSERA_TRY(const auto shape, c.at(place, hlo::operandShape(*part, static_cast<int>(operand))));
  const std::vector<i64> sizes = shape.isArray() ? shape.sizes() : std::vector<i64>{};
  TESSERA_TRY(Map map, c.at(place, hlo::mapOf(reach, sizes, static_cast<int>(which))));
  if (reach.soundness == hlo::Soundness::Over)
    c.note(0, "this is an over-approximation of what is read: " + reach.why, "the tile is that of the wider map");
  return map;
}

Result<Value> symbolicCall(const Call& c) {
  TESSERA_TRY(const Map map, mapAsked(c, 0));
  const hlo::SymbolicTile tile = hlo::symbolicTile(map);
  const auto* part = as<hlo::Part>(c[0]);
  const auto shape = part == nullptr ? Diag{} : hlo::shapeOf(*part);
  return Value(Text{shape && shape->isArray() ? textOf(tile, shape->sizes()) : textOf(tile)});
}

Result<hlo::OperandTile> operandTileOf(const Call& c) {
  TESSERA_TRY(const Map map, mapAsked(c, 1));
  TESSERA_TRY(const std::vector<i64> sizes, c.integers(c.count() - 1));
  return c.at(c.count() - 1, hlo::operandTile(map, sizes));
}

Result<Value> tileCall(const Call& c) {
  TESSERA_TRY(const hlo::OperandTile tile, operandTileOf(c));
  return Value(Text{hlo::textOf(tile)});
}

// The operand tile; a Diag if the image is not a tile.
Result<hlo::OperandTile> tileThatIs(const Call& c) {
  TESSERA_TRY(hlo::OperandTile tile, operandTileOf(c));
  if (!tile.is) return c.at(c.count() - 1, Diag{"what such a tile reads is not a tile: " + tile.why, "other sizes"});
  if (!tile.exact) c.note(c.count() - 1, "not all elements of these tiles are read", "tile(...) shows which ones");
  return tile;
}

template <std::vector<i64> hlo::OperandTile::*Numbers>
Result<Value> numbersCall(const Call& c) {
  TESSERA_TRY(const hlo::OperandTile tile, tileThatIs(c));
  return tupleOf(tile.*Numbers);
}

Result<Value> offsetsCall(const Call& c) {
  TESSERA_TRY(const hlo::OperandTile tile, tileThatIs(c));
  return Value(Layout(indexing::toIndexingMap(tile.offsets)));
}

// (M, offsets, sizes): the tile at that position.
Result<Value> atCall(const Call& c) {
  TESSERA_TRY(const Map map, mapAsked(c, 2));
  TESSERA_TRY(const std::vector<i64> offsets, c.integers(c.count() - 2));
  TESSERA_TRY(const std::vector<i64> sizes, c.integers(c.count() - 1));
  const std::size_t rank = map.indexDigits().size();
  if (offsets.size() != rank || sizes.size() != rank)
    return c.at(offsets.size() != rank ? c.count() - 2 : c.count() - 1,
                Diag{fmt::format("the array has {} dimension{}", rank, rank == 1 ? "" : "s"),
                     "a first element and a size of each"});
  if (!map.params().empty())
    return c.at(0, Diag{"known only at run time: " + map.params()[0].name, "a map without run-time values",
                        "symbolic_tile lists them by name"});
  std::vector<hlo::TileSide> tile;
  for (std::size_t k = 0; k < rank; ++k) {
    if (offsets[k] < -kFarthest || offsets[k] > kFarthest)
      return c.at(c.count() - 2, Diag{"the tile begins too far away", "an element of the array"});
    if (sizes[k] < 1) return c.at(c.count() - 1, Diag{"the tile has no elements", "sizes from 1"});
    tile.push_back({offsets[k], sizes[k], 1});
  }
  return Value(Text{textOf(tileAt(hlo::symbolicTile(map), tile))});
}

struct Tiled {
  std::vector<Map> maps;
  std::vector<i64> sizes;
};
Result<Tiled> tiledOf(const Call& c) {
  Tiled all;
  const auto* part = as<hlo::Part>(c[0]);
  if (part == nullptr) {
    TESSERA_TRY(Map map, c.map(0));
    for (const int k : map.indexDigits())
      all.sizes.push_back(map.digits()[static_cast<std::size_t>(k)].lo +
                          map.digits()[static_cast<std::size_t>(k)].extent);
    all.maps.push_back(std::move(map));
    return all;
  }
  const auto shape = hlo::shapeOf(*part);
  if (!shape) return c.at(0, shape.error());
  if (!shape->isArray()) return c.at(0, Diag{"its result is not an array", "an instruction with an array"});
  all.sizes = shape->sizes();
  for (int k = 0; k < hlo::operandsOf(*part); ++k) {
    TESSERA_TRY(auto reach, c.at(0, hlo::reads(*part, k)));
    if (reach.soundness == hlo::Soundness::Unknown)
      return c.at(0, Diag{"what is read here is unknown: " + reach.why, "operations with rules"});
    for (Map& map : reach.maps) all.maps.push_back(std::move(map));
  }
  return all;
}

Result<Value> tilingsCall(const Call& c) {
  TESSERA_TRY(const Tiled tiled, tiledOf(c));
  TESSERA_TRY(const auto candidates, c.at(0, hlo::candidateTilings(tiled.sizes)));
  if (candidates.size() > kMostTried)
    return c.at(0, Diag{fmt::format("{} tilings", candidates.size()), fmt::format("at most {} to try", kMostTried)});
  std::vector<cute::IntTuple> good;
  std::size_t unknown = 0;
  for (const std::vector<i64>& tile : candidates) {
    auto worst = hlo::Tiling::Verdict::Yes;
    for (std::size_t k = 0; k < tiled.maps.size() && worst != hlo::Tiling::Verdict::No; ++k) {
      const auto verdict = hlo::tilingOf(tiled.maps[k], tiled.sizes, tile).verdict;
      if (verdict != hlo::Tiling::Verdict::Yes) worst = verdict;
    }
    if (worst == hlo::Tiling::Verdict::Unknown) ++unknown;
    if (worst != hlo::Tiling::Verdict::Yes) continue;
    good.push_back(cute::IntTuple::tuple(mapped<cute::IntTuple>(tile, std::identity())));
  }
  if (unknown > 0)
    c.note(0, fmt::format("{} more tilings are undecided", unknown), "they have too many tiles to check");
  return Value(cute::IntTuple::tuple(std::move(good)));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"symbolic_tile", "symbolic_tile(M)",
     "the operand tile of any tile: offsets, sizes and strides in terms of o0, s0, t0, with conditions; or (N.%f, 0)",
     1, 3, symbolicCall},
    {"tile", "tile(M, (8,128))",
     "the operand tile of each tile of these sizes, by its number i0, i1; or (N.%f, 0, (8,128)), for operand 0", 2, 4,
     tileCall},
    {"tile_sizes", "tile_sizes(M, (8,128))", "the sizes of the operand tile; or (N.%f, 0, (8,128))", 2, 4,
     numbersCall<&hlo::OperandTile::sizes>},
    {"tile_strides", "tile_strides(M, (8,128))", "the strides of the operand tile; or (N.%f, 0, (8,128))", 2, 4,
     numbersCall<&hlo::OperandTile::strides>},
    {"tile_offsets", "tile_offsets(M, (8,128))",
     "the first element of the operand tile, as a map from the tile's number; or (N.%f, 0, (8,128))", 2, 4,
     offsetsCall},
    {"tile_at", "tile_at(M, (0,8), (8,128))",
     "the operand tile of the tile that begins at element (0,8); or (N.%f, 0, (0,8), (8,128))", 3, 5, atCall},
    {"tilings", "tilings(N.%f)",
     "the sizes (powers of two or whole dimensions) whose tiles read a tile of every operand; also for a map", 1, 1,
     tilingsCall},
});

}  // namespace

std::span<const Function> tileFunctions() { return kFunctions; }

}  // namespace tessera
