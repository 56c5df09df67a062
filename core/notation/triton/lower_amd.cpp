// AMD's matrix cores: accumulators and operands of mfma (64 lanes) and wmma (32 lanes).
#include <fmt/format.h>

#include <algorithm>

#include "core/notation/triton/lower_detail.h"

namespace tessera::triton::detail {

namespace {

// Adds a batch dimension with one register and one lane.
void addBatch(Tile& tile, std::size_t rank) {
  if (rank == 3) tile.identity(1, "register", "dim0").identity(1, "lane", "dim0");
}

}  // namespace

// 4 rows per lane (one for 64-bit elements), lanes along the columns, then rows, then registers for the rest of the
// tile. Tiles are N-contiguous over the tensor: registers and warps along N, the rest of N, then the same along M.
Result<linear::Layout> lowered(const Mfma& e, const std::vector<i64>& shape) {
  constexpr i64 kLanes = 64;
  const std::size_t rank = shape.size(), mDim = rank - 2, nDim = rank - 1;
  const std::string m = fmt::format("dim{}", mDim), n = fmt::format("dim{}", nDim);
  const i64 rows = e.instrShape[0], columns = e.instrShape[1], height = e.elementBitWidth == 64 ? 1 : 4;
  if (rows == 64 && columns == 4 && !e.isTransposed)
    return Diag{"mfma 64x4 is only defined transposed", "isTransposed = true"};
  const std::string& along = e.isTransposed ? n : m;   // of the registers
  const std::string& across = e.isTransposed ? m : n;  // of the lanes
  const i64 lanes = e.isTransposed ? rows : columns;
  Tile tile;
  tile.identity(height, "register", along);
  tile.identity(lanes, "lane", across).identity(kLanes / lanes, "lane", along);
  tile.identity(rows * columns / (kLanes * height), "register", along);
  tile.outs({n, m});
  tile.identity(e.tilesPerWarp[nDim], "register", n).identity(e.warpsPerCta[nDim], "warp", n);
  tile.identity(shape[nDim] / (columns * e.warpsPerCta[nDim] * e.tilesPerWarp[nDim]), "register", n);
  tile.identity(e.tilesPerWarp[mDim], "register", m).identity(e.warpsPerCta[mDim], "warp", m);
  addBatch(tile, rank);
  if (rank == 3) tile.identity(e.warpsPerCta[0], "warp", "dim0");
  return combine(tile.done(), e.cga, shape);
}

// kWidth elements of k per lane, lanes along the other dimension, then k.
Result<linear::Layout> lowerMfmaDot(const Mfma& e, const DotOp& dot, const std::vector<i64>& shape) {
  constexpr i64 kLanes = 64;
  const std::size_t rank = shape.size();
  const bool isA = dot.opIdx == 0;
  const std::size_t kDim = isA ? rank - 1 : rank - 2, otherDim = isA ? rank - 2 : rank - 1;
  const std::string k = fmt::format("dim{}", kDim), other = fmt::format("dim{}", otherDim);
  const i64 rows = e.instrShape[0], columns = e.instrShape[1], size = isA ? rows : columns;
  Tile tile;
  tile.identity(dot.kWidth, "register", k);
  tile.identity(size, "lane", other).identity(kLanes / size, "lane", k);
  i64 depth = kLanes / size * dot.kWidth;
  if ((rows == 64 && columns == 4 && isA) || (rows == 4 && columns == 64 && !isA)) {
    tile.identity(16, "register", k);  // the 64 x 64 operand of 64x4 and 4x64
    depth *= 16;
  }
  if (shape[kDim] > depth) tile.identity(shape[kDim] / depth, "register", k);
  tile.identity(e.tilesPerWarp[otherDim], "register", other);
  tile.outs({k, other});
  addBatch(tile, rank);
  // Warps in the accumulator's order; those along k are outside the shape, so they hold copies.
  tile.timesReordered(identityND("warp", e.warpsPerCta, matrixOrder(rank, true)));
  return combine(tile.done(), e.cga, shape);
}

namespace {

Result<void> wmmaRank(std::size_t rank) {
  if (rank == 2 || rank == 3) return {};
  return Diag{fmt::format("amd_wmma applies to 2 or 3 dimensions, but the shape has {}", rank)};
}

// The 16x16 (or 32x16) tile of one warp.
Result<linear::Layout> wmmaTile(const Wmma& e, std::size_t rank) {
  TESSERA_CHECKED(wmmaRank(rank));
  const auto order = matrixOrder(rank, !e.isTranspose);
  const Names outs = {fmt::format("dim{}", order[0]), fmt::format("dim{}", order[1])};
  Bases lanes = {{1, 0}, {2, 0}, {4, 0}, {8, 0}}, registers;
  if (e.version == 1) {  // odd rows in the upper lanes
    registers = {{0, 2}, {0, 4}, {0, 8}};
    lanes.push_back({0, 1});
  } else {
    registers = {{0, 1}, {0, 2}, {0, 4}};
    lanes.push_back({0, 8});
    if (e.instrShape[0] == 32) registers.push_back({0, 16});
  }
  Tile tile(linear::Layout::createInferred({{"register", registers}, {"lane", lanes}}, outs));
  addBatch(tile, rank);
  tile.outs(dimNames(rank));
  return tile.done();
}

Result<linear::Layout> wmmaWarps(const Wmma& e, std::size_t rank, std::optional<std::size_t> without = {}) {
  std::vector<linear::In> ins = {{"register", e.ctaRegister}, {"warp", e.ctaWarp}};
  for (linear::In& in : ins)
    for (linear::Basis& basis : in.bases) {
      if (basis.size() != rank)
        return Diag{fmt::format("a basis of ctaLayout has rank {}, but the shape has {}", basis.size(), rank)};
      if (without) basis[*without] = 0;
    }
  if (without) std::erase_if(ins[0].bases, linear::isZero);
  return linear::Layout::createInferred(std::move(ins), dimNames(rank));
}

}  // namespace

Result<linear::Layout> lowered(const Wmma& e, const std::vector<i64>& shape) {
  const std::size_t rank = shape.size();
  Tile tile(wmmaTile(e, rank));
  tile.times(wmmaWarps(e, rank));
  tile.outs(named(matrixOrder(rank, true)));
  return combine(tile.done(), e.cga, shape);
}

Result<linear::Layout> lowerWmmaDot(const Wmma& e, const DotOp& dot, const std::vector<i64>& shape) {
  constexpr i64 kTileDim = 16, kDepth = 2;  // 32 lanes: 16 along the other dimension, 2 along k
  const std::size_t rank = shape.size();
  TESSERA_CHECKED(wmmaRank(rank));
  const bool isA = dot.opIdx == 0;
  const std::size_t kDim = isA ? rank - 1 : rank - 2, otherDim = isA ? rank - 2 : rank - 1;
  const std::string k = fmt::format("dim{}", kDim), other = fmt::format("dim{}", otherDim);
  // A transposed accumulator swaps the operands, and with them the one of height 32.
  const i64 size = e.instrShape[(isA != e.isTranspose) ? 0 : 1];
  Tile tile;
  tile.identity(dot.kWidth, "register", k).identity(kTileDim, "lane", other);
  if (e.version == 1)
    tile.zeros(kDepth, "lane", k);  // both halves of the warp hold the operand
  else
    tile.identity(kDepth, "lane", k);
  tile.identity(e.instrShape[2] / (kDepth * dot.kWidth), "register", k);
  if (size > kTileDim) tile.identity(size / kTileDim, "register", other);
  const auto warps = wmmaWarps(e, rank, kDim);
  Names outs = tile.outNames();
  for (const std::string& name : dimNames(rank))
    if (std::ranges::find(outs, name) == outs.end()) outs.push_back(name);
  tile.times(warps ? transposeOuts(*warps, outs) : warps);
  tile.outs(named(matrixOrder(rank, isA)));
  Bases cga = e.cga;
  for (linear::Basis& basis : cga) basis[kDim] = 0;
  return combine(tile.done(), cga, shape);
}

}  // namespace tessera::triton::detail
