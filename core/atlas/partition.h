// Partitions: the part of a tensor that one thread of a tiled mma or copy works on: CuTe's thrfrg, partition, retile.
//
//     M = make_tiled_mma(mma.m16n8k16.f16, (2,2,1))      tile 32 x 16 x 16, 128 threads
//     thrfrg_A(M, (64,32):(32,1))      (((4,8),(2,1)),((2,2,2),(2,2)))   ((thread of the atom, warps), (values, rest))
//     partition_A(get_slice(M, 5), ..) ((2,2,2),2,2):((1,256,8),1024,16) from offset 34 = row 1, column 2
//     partition_fragment_A(..)         ((2,2,2),2,2):((1,2,4),8,16): the registers for it
//
// A tensor has at least the modes of the tile (M x K for A, N x K for B, M x N for C); further modes (stages, tiles)
// are kept at the end: (values, rest of M, rest of K, stages ...).
//
// Law, for a tensor that the tile divides: over all threads a partition of C has every element exactly once, and those
// of A and B have it once for each warp along N or M; partition(t)(v, ...) is thrfrg at (t, (v, ...)). What CuTe
// returns is tests/cases/partition.jsonl.
#pragma once

#include <array>
#include <string_view>

#include "core/atlas/tiled.h"
#include "core/base/result.h"
#include "core/notation/cute/algebra/tensor.h"

namespace tessera {

// M, N and K of an mma's atom; a Diag for an instruction that is no matrix product.
[[nodiscard]] Result<std::array<i64, 3>> atomShape(const AtlasRow& atom);
// permutation_mnk<k>: the entry, or the plain size.
[[nodiscard]] cute::TilerEntry permutationOf(const TiledMma& mma, std::size_t k);

// ((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK,...))). operand: 'A', 'B' or 'C'.
[[nodiscard]] Result<cute::Layout> thrfrg(const TiledMma& mma, char operand, const cute::Layout& layout);
// (ThrV, ThrM, ThrN, ThrK) of a thread.
[[nodiscard]] Result<cute::IntTuple> threadCoordinate(const TiledMma& mma, i64 thread);
[[nodiscard]] Result<cute::Tensor> partition(const TiledMma& mma, char operand, i64 thread, const cute::Tensor& tensor);
// partition_shape_A: the shape of every thread's partition.
[[nodiscard]] Result<cute::IntTuple> partitionShape(const TiledMma& mma, char operand, const cute::IntTuple& shape);
// make_fragment_A of a partition: the layout of its registers, or of its matrix descriptors, in units of 16 bytes, if
// the atom reads the operand from shared memory. elementBits: of that operand.
[[nodiscard]] Result<cute::Layout> fragment(const TiledMma& mma, char operand, const cute::Layout& partition);
// Whether the atom reads it from shared memory, through descriptors.
[[nodiscard]] bool hasDescriptors(const TiledMma& mma, char operand);

enum class CopySide : unsigned char { Source, Destination };
// (thread, (value, value of the atoms)) -> index of the tile, of a copy whose tiled layout and atom are set.
[[nodiscard]] Result<cute::Layout> threadValueOfTile(const TiledCopy& copy, CopySide side);
// (Thr,(FrgV,FrgX),(RestM,RestN,...)).
[[nodiscard]] Result<cute::Layout> tidfrg(const TiledCopy& copy, CopySide side, const cute::Layout& layout);
[[nodiscard]] Result<cute::Tensor> partition(const TiledCopy& copy, CopySide side, i64 thread,
                                             const cute::Tensor& tensor);
// retile_S and retile_D, which are the same: a thread's registers of another partition, as this copy counts them.
[[nodiscard]] Result<cute::Layout> retile(const TiledCopy& copy, const cute::Layout& registers);

// The number of threads; a Diag if there is no such thread.
[[nodiscard]] i64 threadsOf(const TiledMma& mma);
[[nodiscard]] i64 threadsOf(const TiledCopy& copy);
[[nodiscard]] Result<void> requireThread(i64 thread, i64 threads, std::string_view noun);

}  // namespace tessera
