#include "core/hlo/cost/tile_traffic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

constexpr i64 kBlockThreads = 128, kTransposed = 32;

bool hasHero(const Plan& plan) { return plan.kind == Plan::Kind::Tiles && plan.hero.computation >= 0; }

// Of a transposition: 32 along the minor dimensions of its output and of its input. Empty: it is another plan.
Ints transposedTile(const Module& module, const Plan& plan, const xla::Shape& tiled) {
  if (plan.hero.computation < 0) return {};
  const Op hero(module, plan.hero);
  const auto in = hero.operand(0);
  const auto order = hero.opcode() == "transpose" && in ? hero.dimensions("dimensions", (*in)->rank())
                                                        : Result<Ints>(Diag{"it is no transposition"});
  if (!order || order->size() != tiled.rank() || tiled.rank() < 2) return {};
  Ints tile(tiled.rank(), 1);
  const std::size_t from = positionOf(*order, n((*in)->layout().minorToMajor[0])).value_or(0);
  for (const std::size_t k : {n(tiled.layout().minorToMajor[0]), from})
    tile[k] = std::min(kTransposed, std::max<i64>(1, tiled.dims()[k].size));
  return tile;
}

// The different tiles of the maps, and their bytes.
void addOperandTiles(OperandTraffic& to, const Reach& reach, const xla::Shape& operand, const Ints& tile) {
  i64 bits = 0;
  bool known = true;
  for (const Map& map : reach.maps) {
    auto one = operandTile(map, tile);
    if (!one) {
      to.why = one.error().message;
      known = false;
      continue;
    }
    if (one->reads.isEmpty()) continue;
    const bool again = std::ranges::any_of(to.tiles, [&](const OperandTile& t) {
      return t.is && one->is && t.sizes == one->sizes && t.strides == one->strides && t.offsets == one->offsets;
    });
    if (again) continue;
    i64 elements = 1;
    for (std::size_t k = 0; k < one->sizes.size(); ++k)
      elements = timesAtMost(elements, std::min(one->sizes[k], operand.dims()[k].size));
    bits = plusAtMost(bits, timesAtMost(elements, operand.storedBits()));
    known = known && one->is;
    if (!one->is && to.why.empty()) to.why = one->why;
    to.tiles.push_back(*std::move(one));
  }
  if (known) to.tileBytes = ceilDiv(bits, 8);
}

void countAll(OperandTraffic& to, const PlannedReads& planned, const xla::Shape& operand, i64 tiles) {
  if (planned.inPlace) {
    to.tiles.clear();
    to.tileBytes.reset();
    to.needed = to.asked = 0;
    to.why = "updated in place";
    return;
  }
  const auto warps = warpReads(planned, operand);
  if (warps && warps->verdict != WarpVerdict::Unknown) {
    to.asked = checkedMul(warps->sectors, kSectorBytes);
    to.inSectors = true;
    return;
  }
  if (to.tileBytes) to.asked = checkedMul(*to.tileBytes, tiles);
  if (to.why.empty()) to.why = warps ? warps->why : warps.error().message;
}

Result<void> checkTile(const Ints& sizes, const Ints& tile) {
  bool fits = tile.size() == sizes.size();
  for (std::size_t k = 0; fits && k < tile.size(); ++k) fits = tile[k] >= 1 && tile[k] <= std::max<i64>(1, sizes[k]);
  if (fits) return {};
  return Diag{fmt::format("{} is no tile of [{}]", fmt::join(tile, "x"), fmt::join(sizes, ",")),
              "a size for each dimension, from 1 to that of the array"};
}

}  // namespace

i64 TileTraffic::needed() const {
  i64 sum = 0;
  for (const OperandTraffic& o : operands)
    if (o.asked && o.needed) sum = plusAtMost(sum, *o.needed);
  return sum;
}
i64 TileTraffic::asked() const {
  i64 sum = 0;
  for (const OperandTraffic& o : operands)
    if (o.asked && o.needed) sum = plusAtMost(sum, *o.asked);
  return sum;
}

Result<xla::Shape> tiledArray(const Module& module, Where where, const Plan& plan) {
  TESSERA_TRY(const xla::Shape* const shape, Op(module, hasHero(plan) ? plan.hero : where).output(0));
  return *shape;
}

Ints tileOf(const Module& module, const Plan& plan, const xla::Shape& tiled) {
  if (plan.kind == Plan::Kind::Tiles && plan.tile.size() == tiled.rank()) return plan.tile;
  if (const Ints moved = transposedTile(module, plan, tiled); !moved.empty()) return moved;
  Ints tile(tiled.rank(), 1);
  i64 rest = kBlockThreads;
  for (const i64 d : tiled.layout().minorToMajor) {
    for (const i64 size : tileSizes(tiled.dims()[n(d)].size))
      if (size <= rest) tile[n(d)] = size;
    rest = std::max<i64>(1, rest / tile[n(d)]);
  }
  return tile;
}

Ints tileSizes(i64 dimension, const Ints& further) {
  Ints sizes;
  for (i64 size = 1; size < dimension && size <= INT64_MAX / 2; size *= 2) sizes.push_back(size);
  sizes.push_back(std::max<i64>(1, dimension));
  for (const i64 size : further)
    if (size >= 1 && size <= dimension) sizes.push_back(size);
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

Result<TileTraffic> tileTraffic(const Module& module, const KernelWaste& kernel, const Plan& plan, const Ints& tile) {
  const Where where = kernel.where;
  TESSERA_TRY(const xla::Shape tiled, tiledArray(module, where, plan));
  TileTraffic traffic{tiled.sizes(), tile, 1, {}};
  TESSERA_CHECKED(checkTile(traffic.sizes, tile));
  for (std::size_t k = 0; k < tile.size(); ++k)
    traffic.tiles = timesAtMost(traffic.tiles, ceilDiv(traffic.sizes[k], tile[k]));
  const Plan by{.kind = Plan::Kind::Tiles, .tile = tile, .hero = hasHero(plan) ? plan.hero : Where{-1, -1}};
  TESSERA_TRY(const std::vector<PlannedReads> planned, readsOfPlan(module, where, 0, by));
  const bool inside = hasHero(plan) && plan.hero != where;
  TESSERA_TRY(const std::vector<Reach> reads,
              inside ? readsFromInside(module, where, plan.hero) : readsThrough(module, where, 0));
  for (const OperandWaste& w : kernel.operands) {
    OperandTraffic one{.operand = w.operand, .name = w.name, .needed = w.needed};
    const auto slot = n(w.operand);
    const int at = module.at(where).operands.at(slot);
    const auto reach = std::ranges::find(reads, w.operand, &Reach::slot);
    const xla::Shape* const shape = at < 0 ? nullptr : &module.shapeOf(module.computation(where.computation).at(at));
    if (slot >= planned.size() || shape == nullptr || !shape->isArray() || w.soundness == Soundness::Unknown) {
      one.why = w.why.empty() ? "it is not an array" : w.why;
    } else {
      if (reach != reads.end()) addOperandTiles(one, *reach, *shape, tile);
      countAll(one, planned[slot], *shape, traffic.tiles);
    }
    traffic.operands.push_back(std::move(one));
  }
  return traffic;
}

}  // namespace tessera::hlo
