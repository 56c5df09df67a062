// An engine's access to a tile, for instructions without lane addresses: wgmma and tcgen05.mma read shared memory
// through a matrix descriptor, TMA writes a box, tcgen05.ld and st move rows of tensor memory.
//
//     wgmma.m64n64k16.f16.A over tile_to_shape(smem_atom(K_SW128, f16), (64,64)), f16
//         K-major, 128-byte swizzle; 4 positions of 64x16, start bytes 0 32 64 96; stride byte offset 1024
//         at (0,16):  (3,24) is row 3 of core matrix (0,1), at byte 384 + (32 + 16 ^ 3*16) = 384, bank 0
//     tma.load over S, f16                     boxes of 64x64, 128B: (1,8) is written to byte 128 + (16 ^ 16) = 128
//     tcgen05.ld.32x32b.x8 over T, f32         warp 1, columns 8 to 15: thread 3 gets T's (35,10) in register 2
//
// A layout that the engine cannot express is a Diag with the first element that differs, and a valid layout.
//
// Laws (tests/render/engine_over_test.cpp), from the formulas of the PTX ISA, independent of this code: an element's
// byte is where the descriptor's start, leading and stride byte offset and its swizzle put it; or where the box and its
// mode put it; or at the lane and column of tensor memory that the shape's figure assigns to the thread and register.
// Every element of the tile has one place in one block.
//
// Not supported: descriptors of tiles that do not begin at a multiple of the swizzle's pattern (matrix base offset),
// and tcgen05.cp, which has no row in the atlas.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/analysis/access/access.h"
#include "core/atlas/gmma.h"
#include "core/atlas/tma.h"
#include "core/layout/layout.h"

namespace tessera {

enum class Engine : unsigned char { Descriptor, Box, TensorMemory };

// The place of one element, and its owner.
struct EnginePlace {
  TileCoord at;
  i64 byte = 0;                // in shared memory; in tensor memory, within its lane
  i64 group = 0, inGroup = 0;  // core matrix and row in it; line and chunk of the box; thread and register value
  i64 lane = 0;                // of tensor memory
};

// The elements of one instruction.
struct EngineBlock {
  TileCoord corner, end;
  std::vector<EnginePlace> places;
  std::vector<std::pair<std::string, std::string>> facts;  // "start byte", "32"
};

struct EngineOver {
  Engine engine = Engine::Descriptor;
  std::string what;  // "wgmma.m64n64k16.f32.f16.f16.ss.A"
  std::string type;
  Tile tile;
  std::vector<i64> extents;  // of the layout's modes, in its own coordinates
  Arrow memory;
  std::string form;  // "K-major, 128-byte swizzle"
  std::vector<EngineBlock> blocks;
  bool operator==(const EngineOver& other) const;
};
[[nodiscard]] std::string print(const EngineOver& over);

// A tile from one corner as lines: its rows or, if `turned`, its columns.
struct TileLines {
  const Tile* tile = nullptr;
  TileCoord corner;
  bool turned = false;
  [[nodiscard]] TileCoord of(i64 line, i64 along) const {
    return turned ? TileCoord{corner.row + along, corner.column + line}
                  : TileCoord{corner.row + line, corner.column + along};
  }
  [[nodiscard]] i64 byte(i64 line, i64 along) const {
    const TileCoord at = of(line, along);
    return tile->bit(at.row, at.column) / 8;
  }
};
// A Diag if the tile spans more than a block's shared memory.
[[nodiscard]] Result<void> fitsSharedMemory(const Tile& tile);

// An operand of wgmma or tcgen05.mma in shared memory.
struct DescriptorOperand {
  std::string what;
  i64 rows = 64, columns = 16;  // M or N, and K
  bool blackwell = false;       // tcgen05: the descriptor of sm_100
  bool anyMajor = true;         // whether MN-major is allowed for this type
};
// Computes the blocks of `over`. Requires its tile, with elements of 8, 16 or 32 bits.
[[nodiscard]] Result<EngineOver> withDescriptors(EngineOver over, const DescriptorOperand& operand);
// The tile as written by a TMA load to shared memory, or read by a store.
[[nodiscard]] Result<EngineOver> withBoxes(EngineOver over);
// tcgen05.ld or st: `rows` x `bits` of tensor memory and the registers' (thread, bit) -> bit + bits * row.
struct TensorCopyShape {
  i64 rows = 32, bits = 32;
  cute::Layout registers;
};
[[nodiscard]] Result<EngineOver> withTensorRows(EngineOver over, const TensorCopyShape& shape);

template <>
struct NotationOf<EngineOver> {
  static std::string_view kind(const EngineOver&) { return "access"; }
  static std::string_view noun(const EngineOver&) { return "an access over a tile"; }
  static Result<Arrow> arrow(const EngineOver& over) { return over.memory; }  // the tile's own
  static LayoutFacts facts(const EngineOver& over);
};

}  // namespace tessera
