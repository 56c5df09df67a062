// Access: the bytes of memory that a warp's lanes access in one instruction, and which lanes the hardware serves
// together. Each memory operand of the atlas has one; this is the only definition of an instruction's width and phases.
//
//     ldmatrix.x4         src   shared read,  16 bytes at the address of every lane, 4 matrices, phases (4,8):(8,1)
//     ldmatrix.x1         src   shared read,  16 bytes at the addresses of lanes 0 to 7, phases (1,8):(0,1)
//     ld.shared.v2        src   shared read,   8 bytes per lane, phases (2,16):(16,1)
//     cp.async.ca.8       src   global read,   8 bytes per lane; dst   shared write, 8 bytes per lane, (2,16):(16,1)
//
// Phases are a layout (phase, lane in phase) -> lane:
//
//     lane(p, i) = p * countStride + i * laneStride          (4,8):(8,1): lane(2, 3) = 2*8 + 3*1 = 19
//
// Why phases: shared memory delivers 128 bytes at a time, 32 banks of 4. A warp that accesses more is served in parts,
// and only lanes of the same part can conflict:
//
//     width <= 4 bytes   1 phase  of 32 lanes       8 bytes   2 of 16       16 bytes   4 of 8
//     matrices           a phase for every eight rows of 16 bytes
//     merged             reads of 8 and 16 bytes whose lanes n and n^1 (all n), or n and n^2, use one address merge
//                        their phases: (1,32):(0,1) for 8 bytes, (2,16):(16,1) for 16
//
// Global memory is counted in sectors over the whole warp, as one phase.
//
// Laws (tests/atlas/access_test.cpp), for every row: no lane is in two phases; lanes * width of a shared phase are at
// most 128 bytes; and the bytes of all lanes are the bytes of the row's register operand, or of the tile it copies.
//
// It has no addresses: how kernels apply an access to a tile is in core/analysis/access/access.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera {

enum class MemorySpace : unsigned char { Shared, Global };
enum class AccessDirection : unsigned char { Read, Write };
[[nodiscard]] const char* name(MemorySpace space);
[[nodiscard]] const char* name(AccessDirection direction);

struct LanePhases {
  int count = 1;   // phases
  int lanes = 32;  // per phase
  int countStride = 0;
  int laneStride = 1;
  [[nodiscard]] constexpr int lane(int phase, int i) const { return phase * countStride + i * laneStride; }
  [[nodiscard]] constexpr int active() const { return count * lanes; }  // lanes whose address is used
  bool operator==(const LanePhases&) const = default;
};
// As a CuTe layout: "(4,8):(8,1)".
[[nodiscard]] std::string print(const LanePhases& phases);

struct AtlasAccess {
  AccessDirection direction = AccessDirection::Read;
  MemorySpace space = MemorySpace::Shared;
  int width = 4;        // bytes at each lane's address
  int matrices = 0;     // 0: every lane moves its own bytes; else lanes hold addresses of 16-byte rows
  int matrixRows = 8;   // addresses of one matrix: lane L has row L % matrixRows of matrix L / matrixRows
  int elementBits = 0;  // required width of the tile's elements, for instructions that look inside a row; 0: any
  bool trans = false;   // rows in memory are columns of the fragment
  LanePhases phases = {};
  std::optional<LanePhases> merged = {};  // best case, see above; reads only
  std::string_view source = {};           // a literal
  bool operator==(const AtlasAccess&) const = default;
};
// "shared read, 16 bytes a lane, 4 matrices transposed, 4 phases of 8 lanes"
[[nodiscard]] std::string print(const AtlasAccess& access);

// Every lane moves `width` bytes: ld, st, cp.async. A Diag for a width other than 1 2 4 8 16, in global memory also 32.
[[nodiscard]] Result<AtlasAccess> vectorAccess(AccessDirection direction, MemorySpace space, int width);
// ldmatrix, stmatrix. Requires matrices * matrixRows <= 32, matrixRows a multiple of 8.
[[nodiscard]] AtlasAccess matrixAccess(AccessDirection direction, int matrices, int matrixRows, int elementBits,
                                       bool trans);

}  // namespace tessera
