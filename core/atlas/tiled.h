// Tiled atoms: one instruction repeated over warps and over a larger tile, as CuTe's TiledMMA and TiledCopy.
//
//     make_tiled_mma(SM80_16x8x16, (2,2,1)):  four warps, tile 32 x 16 x 16
//         threads  (32,2,2,1):(1,32,64,0)     lane, warp along M, warp along N, along K
//         A        ((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0)))
//
// A thread-value layout of a tiled atom maps (thread, (value, (restM, restK))) to an index of the tile, column-major,
// like the atlas for one instruction. Law: every tile element of C has exactly one (thread, value); A is repeated for
// the warps along N and B for those along M (stride 0), nothing else. Section: CuTe, cute/atom/mma_atom.hpp and
// copy_atom.hpp, whose names are used.
#pragma once

#include <array>
#include <optional>

#include "core/atlas/atlas.h"
#include "core/base/result.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/layout.h"

namespace tessera {

struct TiledMma {
  AtlasRow atom;
  cute::Layout threads;       // (ThrV, ThrM, ThrN, ThrK) -> thread
  std::array<i64, 3> tile{};  // M N K
  cute::Tiler permutation;    // PermutationMNK, an entry for each of M, N, K; `_`: the plain size
  cute::Layout a, b, c;       // (thread, (value, (rest, rest))) -> index in M x K, N x K, M x N
};
// atomLayout: the arrangement of atoms over M, N, K, (2,2,1) or (2,2,1):(2,1,0). permutation: a larger tile, or a
// layout for a mode; an empty entry is the plain size. A Diag: a copy, or modes that do not divide.
[[nodiscard]] Result<TiledMma> makeTiledMma(const AtlasRow& atom, const cute::Layout& atomLayout,
                                            const std::array<std::optional<cute::Layout>, 3>& permutation = {});

struct TiledCopy {
  AtlasRow atom;
  int elementBits = 0;
  std::array<i64, 2> tile{};  // rows, columns; 1 column if it has one mode, all further modes in the columns
  cute::Tiler tiler;          // Tiler_MN: an entry for each mode
  cute::Layout threadValue;   // TiledLayout_TV: (thread, value) -> index of the tile
  cute::Layout source, destination;
};
// Threads and values as layouts over (rows, columns): make_tiled_copy(atom, (32,8):(8,1), (1,8)).
[[nodiscard]] Result<TiledCopy> makeTiledCopy(const AtlasRow& atom, int elementBits, const cute::Layout& threads,
                                              const cute::Layout& values);
// From a thread-value layout over a tile: make_tiled_copy_A(atom, mma) is makeTiledCopy(atom, 16, mma.a, {32, 16}).
[[nodiscard]] Result<TiledCopy> makeTiledCopy(const AtlasRow& atom, int elementBits, const cute::Layout& threadValue,
                                              std::array<i64, 2> tile);
[[nodiscard]] Result<TiledCopy> makeTiledCopy(const AtlasRow& atom, int elementBits, const cute::Layout& threadValue,
                                              const cute::Tiler& tiler);
// make_tiled_copy_C_atom: the smallest copy that stores the accumulators of one atom of the mma.
[[nodiscard]] Result<TiledCopy> makeTiledCopyOfAtom(const AtlasRow& atom, int elementBits, const TiledMma& mma);
// A copy of the addresses that (thread, value) -> address names, in coordinates of the layout `data`:
// data(coordinate) = address. Requires: the addresses of a thread's values are those of elements of the data.
[[nodiscard]] Result<TiledCopy> makeCotiledCopy(const AtlasRow& atom, int elementBits, const cute::Layout& threadValue,
                                                const cute::Layout& data);

}  // namespace tessera
