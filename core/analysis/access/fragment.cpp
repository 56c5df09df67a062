#include "core/analysis/access/fragment.h"

#include "core/analysis/access/cover.h"
#include "core/atlas/atlas.h"

namespace tessera {
namespace {

constexpr i64 kRowBits = 128;  // of a matrix

using Held = std::vector<std::vector<TileCoord>>;

// Which operand of a matrix copy is in memory, and which in registers; both count bits.
struct Sides {
  AtlasOperand memory, registers;
};
Result<Sides> sidesOf(const AccessSpec& spec) {
  TESSERA_TRY(const AtlasRow row, findInstruction(spec.instruction));
  const bool load = spec.direction == AccessDirection::Read;
  TESSERA_TRY(AtlasOperand memory, findOperand(row, load ? "src" : "dst"));
  TESSERA_TRY(AtlasOperand registers, findOperand(row, load ? "dst" : "src"));
  return Sides{std::move(memory), std::move(registers)};
}

}  // namespace

bool runsAlongRow(const Tile& tile, const AccessSpec& spec) {
  return runsAlongRow(
      spec, CoveredTile{tile.rows(), tile.columns(), tile.contiguousDimension() == 1, tile.elementBits(), ""});
}

Result<Held> heldAfter(const Tile& tile, const AccessSpec& spec, const TileAccess& access) {
  Held held(kWarpLanes);
  const bool alongRow = runsAlongRow(tile, spec);
  const i64 run = i64{8} * access.warp.width / tile.elementBits();
  const auto element = [&](int lane, i64 j) {
    const TileCoord& at = access.lanes[static_cast<std::size_t>(lane)];
    return alongRow ? TileCoord{at.row, at.column + j} : TileCoord{at.row + j, at.column};
  };
  if (spec.matrices == 0) {
    for (int lane = 0; lane < kWarpLanes; ++lane)
      for (i64 j = 0; j < run && access.warp.addresses[static_cast<std::size_t>(lane)] != kInactive; ++j)
        held[static_cast<std::size_t>(lane)].push_back(element(lane, j));
    return held;
  }
  TESSERA_TRY(const Sides sides, sidesOf(spec));
  TESSERA_TRY(const cute::Layout memory, threadValue(sides.memory));
  TESSERA_TRY(const cute::Layout registers, threadValue(sides.registers));
  std::vector<int> laneOfRow(static_cast<std::size_t>(columnsOf(sides.memory)));
  for (int lane = spec.phases.active() - 1; lane >= 0; --lane)
    laneOfRow[static_cast<std::size_t>(memory(lane) / kRowBits)] = lane;
  for (int lane = 0; lane < kWarpLanes; ++lane)
    for (i64 bit = 0; bit < registers.mode(1).size(); bit += tile.elementBits()) {
      const i64 at = registers(lane + kWarpLanes * bit);
      held[static_cast<std::size_t>(lane)].push_back(
          element(laneOfRow[static_cast<std::size_t>(at / kRowBits)], at % kRowBits / tile.elementBits()));
    }
  return held;
}

}  // namespace tessera
