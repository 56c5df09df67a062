// CuTe's partitions: the part of a tensor that a thread of a tiled mma or copy works on, and the tile of a block.
// tiled_mma.get_slice(5).partition_A(sA) is partition_A(get_slice(tiled_mma, 5), sA).
#include "core/atlas/partition.h"

#include <fmt/format.h>

#include <array>

#include "core/worksheet/functions/tiled_values.h"

namespace tessera {
namespace {

Result<cute::Division> divisionAt(const Call& c, std::size_t k) {
  if (isTilerLike(c[k])) {
    TESSERA_TRY(cute::Tiler tiler, c.tiler(k));
    return cute::Division(std::move(tiler));
  }
  TESSERA_TRY(cute::Layout layout, c.layout(k));
  return cute::Division(std::move(layout));
}

// A remark if a tile does not divide the tensor, whose parts then reach beyond it.
void noteUneven(const Call& c, std::size_t k, const cute::Layout& tensor, const cute::Tiler& tiler) {
  for (std::size_t m = 0; m < tiler.entries.size() && static_cast<int>(m) < tensor.rank(); ++m) {
    if (tiler.entries[m].kind != cute::TilerEntry::Kind::Layout) continue;
    const i64 extent = tensor.mode(static_cast<int>(m)).size(), tile = tiler.entries[m].layout.size();
    if (extent % tile == 0) continue;
    c.note(k,
           fmt::format("the tile's {} does not divide mode {} of {}: the last parts reach beyond the tensor", tile, m,
                       extent),
           "a kernel compares the coordinates with the shape: the same partition of make_identity_tensor(shape)");
  }
}
void noteUneven(const Call& c, std::size_t k, const cute::Layout& tensor, const TiledMma& mma, char operand) {
  cute::Tiler tiler;
  for (const std::size_t m : {operand == 'B' ? 1U : 0U, operand == 'C' ? 1U : 2U})
    tiler.entries.push_back(permutationOf(mma, m));
  noteUneven(c, k, tensor, tiler);
}

// ---- one thread's part

Result<Value> getSlice(const Call& c) {
  TESSERA_TRY(const i64 thread, c.integer(1));
  if (const TiledMma* mma = mmaIn(c[0])) return valueOf(c, 1, threadSlice(*mma, thread));
  if (const TiledCopy* copy = copyIn(c[0])) return valueOf(c, 1, threadSlice(*copy, thread));
  return c.wrong(0, "a tiled mma or a tiled copy");
}

Result<cute::Tensor> partOfMma(const Call& c, char operand) {
  TESSERA_TRY(const ThreadSlice* slice, sliceAt(c, true));
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 1));
  const TiledMma& mma = std::get<TiledMma>(slice->of);
  TESSERA_TRY(cute::Tensor part, c.at(1, partition(mma, operand, slice->thread, tensor)));
  noteUneven(c, 1, tensor.layout, mma, operand);
  return part;
}
template <char Operand>
Result<Value> partitionCall(const Call& c) {
  Result<cute::Tensor> part = partOfMma(c, Operand);
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 1));
  return valueOfTensor(tensor, std::move(part));
}

// The registers, or the matrix descriptors, of a partition.
Result<Value> fragmentOf(const Call& c, const TiledMma& mma, char operand, const cute::Layout& part, bool isStatic) {
  TESSERA_TRY(const cute::Layout registers, c.at(1, fragment(mma, operand, part)));
  if (hasDescriptors(mma, operand))
    c.note(0,
           fmt::format("{} reads {} from shared memory: the fragment holds matrix descriptors, in units of 16 bytes",
                       mma.atom.name, operand),
           "partition_" + std::string(1, operand) + " gives the elements");
  return Value(registers.withStatic(isStatic));
}
template <char Operand>
Result<Value> partitionFragment(const Call& c) {
  if (sliceIn(c[0]) == nullptr && mmaIn(c[0]) != nullptr) {  // partition_fragment_C(mma, shape)
    TESSERA_TRY(const cute::IntTuple shape, c.tuple(1));
    TESSERA_TRY(const cute::IntTuple part, c.at(1, partitionShape(*mmaIn(c[0]), Operand, shape)));
    TESSERA_TRY(const cute::Layout compact, cute::Layout::compact(part));
    return fragmentOf(c, *mmaIn(c[0]), Operand, compact, shape.allStatic());
  }
  TESSERA_TRY(const cute::Tensor part, partOfMma(c, Operand));
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 1));
  return fragmentOf(c, *mmaIn(c[0]), Operand, part.layout, tensor.layout.isStatic());
}
template <char Operand>
Result<Value> makeFragment(const Call& c) {
  TESSERA_TRY(const TiledMma* mma, mmaAt(c, 0));
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 1));
  return fragmentOf(c, *mma, Operand, tensor.layout, tensor.layout.isStatic());
}
template <char Operand>
Result<Value> partitionShapeCall(const Call& c) {
  TESSERA_TRY(const TiledMma* mma, mmaAt(c, 0));
  TESSERA_TRY(const cute::IntTuple shape, c.tuple(1));
  TESSERA_TRY(const cute::IntTuple part, c.at(1, partitionShape(*mma, Operand, shape)));
  return normalised(part.withStatic(shape.allStatic()));
}
template <char Operand>
Result<Value> thrfrgCall(const Call& c) {
  TESSERA_TRY(const TiledMma* mma, mmaAt(c, 0));
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 1));
  return valueOfTensor(tensor, c.at(1, withLayout(tensor, thrfrg(*mma, Operand, tensor.layout))));
}

template <CopySide Side>
Result<Value> copyPartition(const Call& c) {
  TESSERA_TRY(const ThreadSlice* slice, sliceAt(c, false));
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 1));
  const TiledCopy& copy = std::get<TiledCopy>(slice->of);
  TESSERA_TRY(const cute::Tensor part, c.at(1, partition(copy, Side, slice->thread, tensor)));
  noteUneven(c, 1, tensor.layout, copy.tiler);
  return valueOfTensor(tensor, part);
}
template <CopySide Side>
Result<Value> tidfrgCall(const Call& c) {
  TESSERA_TRY(const TiledCopy* copy, copyAt(c, 0));
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 1));
  return valueOfTensor(tensor, c.at(1, withLayout(tensor, tidfrg(*copy, Side, tensor.layout))));
}
Result<Value> retileCall(const Call& c) {
  TESSERA_TRY(const TiledCopy* copy, copyAt(c, 0));
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 1));
  return valueOfTensor(tensor, c.at(1, withLayout(tensor, retile(*copy, tensor.layout))));
}

// ---- tiles of a block, places of a thread

// The elements of a tuple, or the entries of a tiler, that the projection keeps: those that are not under `_`.
Result<cute::IntTuple> projected(const Call& c, std::size_t k, const cute::IntTuple& step, const cute::IntTuple& from) {
  if (from.isLeaf() || step.rank() != from.rank())
    return c.at(k, Diag{fmt::format("the projection {} does not fit {}", print(step), print(from)),
                        "one entry for each mode: 1, or `_` to drop it"});
  std::vector<cute::IntTuple> kept;
  for (int m = 0; m < step.rank(); ++m)
    if (!step.mode(m).isWildcard()) kept.push_back(from.mode(m));
  return cute::IntTuple::tuple(std::move(kept));
}
Result<cute::Division> projected(const Call& c, const cute::IntTuple& step, const cute::Division& from) {
  const auto* tiler = std::get_if<cute::Tiler>(&from);
  if (tiler == nullptr || static_cast<int>(tiler->entries.size()) != step.rank())
    return c.at(1, Diag{fmt::format("the projection {} does not fit the tile", print(step)),
                        "one entry for each mode of the tile: 1, or `_` to drop it"});
  cute::Tiler kept;
  for (int m = 0; m < step.rank(); ++m)
    if (!step.mode(m).isWildcard()) kept.entries.push_back(tiler->entries[static_cast<std::size_t>(m)]);
  return cute::Division(std::move(kept));
}

Result<Value> localTile(const Call& c) {
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 0));
  TESSERA_TRY(cute::Division tiler, divisionAt(c, 1));
  TESSERA_TRY(cute::IntTuple coord, c.tuple(2));
  if (c.count() > 3) {
    TESSERA_TRY(const cute::IntTuple step, c.tuple(3));
    TESSERA_TRY(tiler, projected(c, step, tiler));
    TESSERA_TRY(coord, projected(c, 2, step, coord));
  }
  TESSERA_TRY(const cute::Tensor tile, c.at(2, innerPartition(tensor, tiler, coord)));
  if (const auto* modes = std::get_if<cute::Tiler>(&tiler)) noteUneven(c, 0, tensor.layout, *modes);
  return valueOfTensor(tensor, tile);
}
Result<Value> outerPartitionCall(const Call& c) {
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 0));
  TESSERA_TRY(const cute::Division tiler, divisionAt(c, 1));
  TESSERA_TRY(const cute::IntTuple coord, c.tuple(2));
  return valueOfTensor(tensor, c.at(2, outerPartition(tensor, tiler, coord)));
}

// The extents of the thread layout as a tile.
Result<cute::Division> divisionOf(const cute::Layout& threads) {
  TESSERA_TRY(const cute::IntTuple extents, productEach(threads.shape()));
  if (extents.isLeaf()) {
    TESSERA_TRY(cute::Layout places, cute::Layout::compact(extents));
    return cute::Division(std::move(places));
  }
  TESSERA_TRY(cute::Tiler places, tilerOfShape(extents));
  return cute::Division(std::move(places));
}

Result<Value> localPartition(const Call& c) {
  TESSERA_TRY(const cute::Tensor tensor, tensorAt(c, 0));
  TESSERA_TRY(cute::Layout threads, c.layout(1));
  TESSERA_TRY(const i64 index, c.integer(2));
  if (c.count() > 3) {
    TESSERA_TRY(const cute::IntTuple step, c.tuple(3));
    TESSERA_TRY(threads, c.at(3, dice(step, threads)));
  }
  TESSERA_CHECKED(c.at(1, requirePlain(threads, "local_partition")));
  TESSERA_CHECKED(c.at(2, requireThread(index, threads.cosize(), "a thread layout")));
  TESSERA_TRY(const cute::IntTuple at, c.at(2, flatCoordinate(threads, index)));
  TESSERA_TRY(const cute::Division places, c.at(1, divisionOf(threads)));
  return valueOfTensor(tensor, c.at(1, outerPartition(tensor, places, at)));
}

constexpr CopySide kS = CopySide::Source, kD = CopySide::Destination;

constexpr auto kFunctions = std::to_array<Function>({
    {"get_slice", "X.get_slice(t)", "a tiled mma or copy as thread t sees it", 2, 2, getSlice},
    {"get_thread_slice", "X.get_thread_slice(t)", "a tiled mma or copy as thread t sees it", 2, 2, getSlice},
    {"partition_A", "M.get_slice(t).partition_A(T)", "thread t's part of operand A: (values, rest of M, rest of K ...)",
     2, 2, partitionCall<'A'>},
    {"partition_B", "M.get_slice(t).partition_B(T)", "thread t's part of operand B: (values, rest of N, rest of K ...)",
     2, 2, partitionCall<'B'>},
    {"partition_C", "M.get_slice(t).partition_C(T)", "thread t's part of operand C: (values, rest of M, rest of N ...)",
     2, 2, partitionCall<'C'>},
    {"partition_fragment_A", "M.get_slice(t).partition_fragment_A(T)", "the registers for thread t's part of A", 2, 2,
     partitionFragment<'A'>},
    {"partition_fragment_B", "M.get_slice(t).partition_fragment_B(T)", "the registers for thread t's part of B", 2, 2,
     partitionFragment<'B'>},
    {"partition_fragment_C", "partition_fragment_C(M, shape) or M.get_slice(t).partition_fragment_C(T)",
     "the registers for a thread's part of C", 2, 2, partitionFragment<'C'>},
    {"make_fragment_A", "M.make_fragment_A(PART)", "the registers for a partition of A", 2, 2, makeFragment<'A'>},
    {"make_fragment_B", "M.make_fragment_B(PART)", "the registers for a partition of B", 2, 2, makeFragment<'B'>},
    {"make_fragment_C", "M.make_fragment_C(PART)", "the registers for a partition of C", 2, 2, makeFragment<'C'>},
    {"partition_shape_A", "partition_shape_A(M, shape)", "the shape of a thread's part of A", 2, 2,
     partitionShapeCall<'A'>},
    {"partition_shape_B", "partition_shape_B(M, shape)", "the shape of a thread's part of B", 2, 2,
     partitionShapeCall<'B'>},
    {"partition_shape_C", "partition_shape_C(M, shape)", "the shape of a thread's part of C", 2, 2,
     partitionShapeCall<'C'>},
    {"thrfrg_A", "M.thrfrg_A(T)", "((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK,...)))", 2, 2, thrfrgCall<'A'>},
    {"thrfrg_B", "M.thrfrg_B(T)", "((ThrV,(ThrN,ThrK)),(FrgV,(RestN,RestK,...)))", 2, 2, thrfrgCall<'B'>},
    {"thrfrg_C", "M.thrfrg_C(T)", "((ThrV,(ThrM,ThrN)),(FrgV,(RestM,RestN,...)))", 2, 2, thrfrgCall<'C'>},
    {"partition_S", "P.get_slice(t).partition_S(T)", "thread t's part of a copy's source: (values, rest ...)", 2, 2,
     copyPartition<kS>},
    {"partition_D", "P.get_slice(t).partition_D(T)", "thread t's part of a copy's destination: (values, rest ...)", 2,
     2, copyPartition<kD>},
    {"thrfrg_S", "P.thrfrg_S(T)", "(Thr,(FrgV,FrgX),(RestM,RestN,...))", 2, 2, tidfrgCall<kS>},
    {"thrfrg_D", "P.thrfrg_D(T)", "(Thr,(FrgV,FrgX),(RestM,RestN,...))", 2, 2, tidfrgCall<kD>},
    {"tidfrg_S", "P.tidfrg_S(T)", "(Thr,(FrgV,FrgX),(RestM,RestN,...))", 2, 2, tidfrgCall<kS>},
    {"tidfrg_D", "P.tidfrg_D(T)", "(Thr,(FrgV,FrgX),(RestM,RestN,...))", 2, 2, tidfrgCall<kD>},
    {"retile_S", "P.get_slice(t).retile_S(R)", "the registers of another partition, as this copy counts them", 2, 2,
     retileCall},
    {"retile_D", "P.get_slice(t).retile_D(R)", "the registers of another partition, as this copy counts them", 2, 2,
     retileCall},
    {"retile", "P.retile(R)", "the registers of another partition, as this copy counts them", 2, 2, retileCall},
    {"local_tile", "local_tile(T, tile, coord) or local_tile(T, tile, coord, (1,_,1))",
     "the tile at a coordinate; `_` keeps all tiles of a mode; the last argument drops modes of tile and coordinate", 3,
     4, localTile},
    {"inner_partition", "inner_partition(T, tile, coord)", "the tile at a coordinate", 3, 3, localTile},
    {"outer_partition", "outer_partition(T, tile, coord)", "the element at a coordinate of every tile", 3, 3,
     outerPartitionCall},
    {"local_partition", "local_partition(T, threads, t) or local_partition(T, threads, t, (1,_,1))",
     "the elements of thread t, with the thread layout repeated over the tensor", 3, 4, localPartition},
});

}  // namespace

std::span<const Function> partitionFunctions() { return kFunctions; }

}  // namespace tessera
