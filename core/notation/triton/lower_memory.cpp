// Shared memory, tensor memory, padding, and the maps of encodings.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/linear/layout.h"
#include "core/notation/triton/lower.h"
#include "core/notation/triton/lower_detail.h"

namespace tessera::triton {

namespace detail {

// In row r of the two fastest dimensions, columns are xored with vec * phase(r).
Result<linear::Layout> lowered(const SwizzledShared& e, const std::vector<i64>& shape) {
  const std::size_t rank = shape.size();
  // The rotating layout is defined on the whole tensor, the plain one on a block's share.
  const std::vector<i64> share = e.rotating ? shape : shapePerBlock(e.cga, shape);
  if (rank == 1) return combine(linear::Layout::identity1D(share[0], "offset", "dim0"), e.cga, shape);
  const auto order = asOrder(e.order);
  const i64 columns = share[order[0]], rows = share[order[1]];
  Bases bases;
  for (i64 c = 1; c < columns; c *= 2) bases.push_back({0, c});
  for (i64 r = 1; r < rows; r *= 2) {
    i64 phase = r / e.perPhase % e.maxPhase;
    if (e.rotating) phase ^= r / e.perPhase / e.maxPhase % e.maxPhase;
    bases.push_back({r, e.vec * phase % columns});
  }
  const Names names = named(order);
  Tile tile(linear::Layout::create({{"offset", std::move(bases)}}, {{names[1], rows}, {names[0], columns}}));
  for (std::size_t k = 2; k < rank; ++k) tile.identity(share[order[k]], "offset", names[k]);
  return combine(tile.done(), e.cga, shape);
}

Result<std::vector<i64>> tmaBlock(const NvmmaShared& e, std::vector<i64> shape) {
  i64& contiguous = e.transposed ? shape.front() : shape.back();
  const i64 packing = e.fp4Padded ? 2 : 1;
  contiguous *= packing;
  for (i64& extent : shape) extent = std::min<i64>(extent, 256);
  if (e.swizzlingByteWidth != 0) {
    const i64 want = 8 * e.swizzlingByteWidth / e.elementBitWidth;
    if (contiguous < want)
      return Diag{fmt::format("the contiguous dimension has {} elements, but a swizzle of {} bytes spans {}",
                              contiguous / packing, e.swizzlingByteWidth, want / packing)};
    contiguous = want;
  }
  contiguous /= packing;
  return shape;
}

namespace {

// One core matrix: 8 rows of max(16, width) bytes, whose chunks of 16 bytes are xored with the row's phase.
Result<linear::Layout> coreMatrix(const NvmmaShared& e) {
  constexpr i64 kRows = 8;
  const i64 columns = 8 * std::max<i64>(16, e.swizzlingByteWidth) / e.elementBitWidth;
  const i64 vec = 128 / e.elementBitWidth, perPhase = 128 / e.swizzlingByteWidth, maxPhase = e.swizzlingByteWidth / 16;
  // fp4 pairs in 8-bit containers: 8 of 16 offsets are real, the other 8 repeat them.
  const auto packed = [&](i64 c) { return e.fp4Padded ? c / 16 * 8 + c % 8 : c; };
  Bases bases;
  for (i64 c = 1; c < columns; c *= 2) bases.push_back({0, packed(c)});
  for (i64 r = 1; r < kRows; r *= 2) bases.push_back({r, packed(vec * (r / perPhase % maxPhase))});
  return linear::Layout::createInferred({{"offset", std::move(bases)}}, dimNames(2));
}

// Splits outputs row-major: the last dimension is the minor one on both sides.
Result<linear::Layout> reshaped(const linear::Layout& l, const std::vector<i64>& shape) {
  Names backwards = l.outNames();
  std::ranges::reverse(backwards);
  TESSERA_TRY(const linear::Layout turned, transposeOuts(l, backwards));
  std::vector<linear::Out> outs = dimOuts(shape);
  std::ranges::reverse(outs);
  TESSERA_TRY(const linear::Layout cut, reshapeOuts(turned, outs));
  return transposeOuts(cut, dimNames(shape.size()));
}

}  // namespace

Result<linear::Layout> lowered(const NvmmaShared& e, const std::vector<i64>& shape) {
  const std::size_t rank = shape.size();
  const std::vector<i64> share = shapePerBlock(e.cga, shape);
  TESSERA_TRY(std::vector<i64> block, tmaBlock(e, share));
  if (e.swizzlingByteWidth == 0) {
    // Last dimension fastest. If transposed, the first dimension of the block moves to the end, and the compiler
    // rotates the names further in the same direction instead of back. Up to rank 2 this makes no difference; from rank
    // 3 on, dimensions get the sizes of others, so bits leave the shape and become zero.
    Tile tile;
    for (std::size_t k = rank; k-- > 0;) {
      const std::size_t size = e.transposed ? (k + 1) % rank : k, dim = e.transposed ? (k + rank - 1) % rank : k;
      tile.identity(block[size], "offset", fmt::format("dim{}", dim));
    }
    tile.outs(named(matrixOrder(rank, true)));  // the last dimension repeats first
    TESSERA_TRY(const linear::Layout plain, tile.done());
    return combine(notSmaller(plain, dimOuts(share)), e.cga, shape);
  }
  if (rank < 2) return Diag{"a swizzled nvmma_shared layout needs rank 2 or more"};
  i64 outer = 1;
  for (std::size_t k = 0; k + 1 < rank; ++k) outer *= block[k];
  std::vector<i64> collapsed = {outer, block.back()};
  if (e.transposed) std::swap(collapsed[0], collapsed[1]);
  TESSERA_TRY(const linear::Layout core, coreMatrix(e));
  if (collapsed[1] < core.outSize("dim1") || collapsed[0] < core.outSize("dim0"))
    return Diag{fmt::format("the shape per block collapses to {} x {}, smaller than the core matrix {} x {}",
                            collapsed[0], collapsed[1], core.outSize("dim0"), core.outSize("dim1"))};
  TESSERA_TRY(linear::Layout layout, notSmaller(core, dimOuts(collapsed)));
  if (e.transposed) std::rotate(block.begin(), block.begin() + 1, block.end());
  TESSERA_TRY(layout, reshaped(layout, block));
  if (e.transposed) {  // restores the dimensions: the last one becomes dim 0, the rest move up
    Names turned = dimNames(rank);
    std::rotate(turned.begin(), turned.end() - 1, turned.end());
    TESSERA_TRY(const linear::Layout ordered, transposeOuts(layout, turned));
    std::vector<linear::Out> outs = ordered.outs();
    for (std::size_t k = 0; k < rank; ++k) outs[k].name = fmt::format("dim{}", k);
    TESSERA_TRY(layout, linear::Layout::create(ordered.ins(), std::move(outs)));
  }
  return combine(notSmaller(layout, dimOuts(share)), e.cga, shape);
}

// Pieces along one dimension: (offset in the piece, partition, group), with consecutive groups in each partition.
Result<linear::Layout> lowered(const PartitionedShared& e, const std::vector<i64>& shape) {
  const std::size_t dim = static_cast<std::size_t>(e.partitionDim);
  if (dim >= shape.size()) return Diag{fmt::format("partitionDim {} is not a dimension of the shape", e.partitionDim)};
  const i64 pieces = e.numPartitions * e.numGroups;
  if (shape[dim] % pieces != 0)
    return Diag{
        fmt::format("dimension {} has {} elements, which is not a multiple of {} pieces", dim, shape[dim], pieces)};
  std::vector<i64> piece = shape;
  piece[dim] /= pieces;
  const std::string out = fmt::format("dim{}", dim);
  Tile tile(toLinear(*e.layout, piece));
  tile.identity(e.numPartitions, "partition", out).identity(e.numGroups, "offset", out);
  return tile.done();
}

Result<linear::Layout> lowered(const TensorMemory& e, const std::vector<i64>& shape) {
  const std::vector<i64> share = shapePerBlock(e.cga, shape);
  const i64 blockN = std::min(e.blockN, share[1]);
  const bool sixteen = e.blockM == 64 && !e.twoCtas;
  Tile tile;
  tile.zeros(e.fp4Padded ? 2 : e.colStride, "col", "dim1");
  tile.identity(sixteen ? 16 : e.blockM, "row", "dim0").identity(blockN, "col", "dim1");
  TESSERA_TRY(linear::Layout layout, tile.done());
  std::vector<linear::In> ins = layout.ins();
  linear::In &row = ins[indexOf(ins, "row")], &col = ins[indexOf(ins, "col")];
  if (sixteen) {
    const auto place = [&](const char* dim, i64 step) {
      row.bases.push_back(linear::unitBasis(2, indexOf(layout.outs(), dim), step));
    };
    // Lanes 16..31 hold the next 64 rows, else the next columns, else nothing.
    if (share[0] > 64)
      place("dim0", 64);
    else
      place("dim1", share[1] > blockN ? blockN : 0);
    place("dim0", 16);
    place("dim0", 32);
    TESSERA_TRY(layout, linear::Layout::createInferred(std::move(ins), layout.outNames()));
  } else if (e.blockM == 64) {  // two CTAs: the last column bit becomes the last row bit
    if (col.bases.empty()) return Diag{"blockM 64 over two CTAs needs at least two columns"};
    row.bases.push_back(col.bases.back());
    col.bases.pop_back();
    TESSERA_TRY(layout, linear::Layout::create(std::move(ins), layout.outs()));
  }
  TESSERA_TRY(layout, transposeIns(layout, {"row", "col"}));
  TESSERA_TRY(layout, transposeOuts(layout, dimNames(2)));
  const i64 repeatM = share[0] / layout.outSize("dim0"), repeatN = share[1] / layout.outSize("dim1");
  if (repeatM < 1 || repeatN < 1)
    return Diag{fmt::format("a block's share {} x {} is smaller than the {} x {} block of tensor memory", share[0],
                            share[1], layout.outSize("dim0"), layout.outSize("dim1"))};
  Tile whole(layout);
  whole.identity(repeatM, "col", "dim0").identity(repeatN, "col", "dim1").times(blocksOf(e.cga, 2));
  return whole.done();
}

Result<linear::Layout> lowered(const TensorMemoryScales& e, const std::vector<i64>& shape) {
  const std::vector<i64> share = shapePerBlock(e.cga, shape);
  Tile tile;
  tile.identity(32, "row", "dim0").zeros(4, "row", "dim0");
  tile.identity(4, "col", "dim1").identity(2, "col", "dim0");
  tile.identity(ceilDiv(share[0], 64), "col", "dim0").identity(ceilDiv(share[1], 4), "col", "dim1");
  tile.identity(1, "block", "dim0");
  TESSERA_TRY(const linear::Layout full, tile.done());
  TESSERA_TRY(const linear::Layout fitted, notLarger(full, dimOuts(share)));
  return Tile(fitted).times(blocksOf(e.cga, 2)).done();
}

}  // namespace detail

using namespace detail;

i64 paddedOffset(const std::vector<std::pair<i64, i64>>& intervals, i64 index) {
  i64 padded = index;
  for (const auto& [interval, padding] : intervals) padded += index / interval * padding;
  return padded;
}

i64 paddedSize(const std::vector<std::pair<i64, i64>>& intervals, i64 n) {
  i64 size = n;
  for (const auto& [interval, padding] : intervals) size += n / interval * padding - (n % interval == 0 ? padding : 0);
  return size;
}

namespace {

Expr paddedExpr(const PaddedShared& e, const Expr& offset) {
  Expr address = offset;
  for (const auto& [interval, padding] : e.intervals) address = address + floorDiv(offset, interval) * padding;
  return address;
}

}  // namespace

Result<Map> toMap(const Encoding& encoding, const std::vector<i64>& shape) {
  TESSERA_TRY(const linear::Layout linear, toLinear(encoding, shape));
  TESSERA_TRY(const Map map, toMap(linear));
  const auto* padded = std::get_if<PaddedShared>(&encoding.value);
  if (padded == nullptr) return map;
  std::vector<Axis> axes = map.axes();
  const i64 size = paddedSize(padded->intervals, linear.inSize("offset"));
  axes.push_back({"address", paddedExpr(*padded, Expr::digit(0)), size});
  return Map::create(map.digits(), std::move(axes));
}

namespace detail {

Result<Map> placesOf(const Encoding& encoding, const linear::Layout& inverse, const std::string& place, i64 places) {
  TESSERA_TRY(const Map map, toMap(inverse));
  std::vector<Axis> axes = map.axes();
  const auto* padded = std::get_if<PaddedShared>(&encoding.value);
  for (Axis& axis : axes) {
    if (axis.name != place) continue;
    axis.extent = places;
    if (padded == nullptr) continue;
    axis = {"address", paddedExpr(*padded, axis.value), paddedSize(padded->intervals, places)};
  }
  return Map::create(map.digits(), std::move(axes));
}

}  // namespace detail

Result<Map> memoryMap(const Encoding& encoding, const std::vector<i64>& shape) {
  if (isDistributed(encoding))
    return Diag{fmt::format("{} places elements in registers, not at offsets of a memory", mnemonic(encoding))};
  TESSERA_TRY(const linear::Layout linear, toLinear(encoding, shape));
  TESSERA_TRY(const linear::Layout inverse, pseudoinvert(linear));
  return placesOf(encoding, inverse, "offset", linear.inSize("offset"));
}

}  // namespace tessera::triton
