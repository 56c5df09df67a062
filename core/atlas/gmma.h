// Shared-memory canonical layouts and matrix descriptors of wgmma and tcgen05.
//
// The hardware reads A and B from shared memory in atoms of 8 rows x 16, 32, 64 or 128 bytes, xored in 16-byte chunks.
// With E = 128 / bits elements in 16 bytes:
//
//     K-major   INTER Sw<0,4,3> (8,E):(E,1)   SW32 (8,2E):(2E,1)   SW64 (8,4E):(4E,1)   SW128 Sw<3,4,3> (8,8E):(8E,1)
//     MN-major  the transposes: (E,8):(1,E) ... (8E,8):(1,8E)
//
// K_SW128, fp16:  Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1);  tiled to 128x64:
// ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))
//
// A descriptor locates the atoms of one instruction's operand: the start address, the leading (LBO) and the stride byte
// offset (SBO), each in 16-byte units, and the swizzle. Law: the descriptor of a tile, read back through the canonical
// form, gives the tile's layout; a tile of another form is a Diag with the first coordinate that differs. Sections: PTX
// ISA, "Matrix Descriptor" and "Canonical Layouts" of wgmma and of tcgen05; CuTe's make_gmma_desc.
#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"

namespace tessera {

enum class Major : unsigned char { K, MN };

// "K_SW128", "Layout_K_SW128_Atom", "MN_INTER", "MN_SW128_32B"; any element type of 4 to 64 bits.
[[nodiscard]] Result<cute::ComposedLayout> smemAtom(std::string_view name, std::string_view type);
// The atom repeated over a shape of 2 modes (or 3: stages), mode 0 fastest, as tile_to_shape(atom, shape).
[[nodiscard]] Result<cute::ComposedLayout> smemTile(const cute::ComposedLayout& atom, std::span<const i64> shape);

struct MatrixDescriptor {
  int swizzleBytes = 0;  // 0 32 64 128: the canonical form
  i64 leading = 0;       // LBO, 16-byte units
  i64 stride = 0;        // SBO, 16-byte units
  bool operator==(const MatrixDescriptor&) const = default;
  [[nodiscard]] int sm90LayoutType() const;   // 0 INTER, 1 SW128, 2 SW64, 3 SW32: bits 62-63
  [[nodiscard]] int sm100LayoutType() const;  // 0 none, 2 128B, 4 64B, 6 32B: bits 61-63
};

// The descriptor of one instruction's operand: a (MN, K) tile of element offsets inside the swizzled tile, as returned
// by slice: (_64,_16):(_64,_1). Requires K = 32 bytes for K-major, 2 x 8 rows or 8 for MN-major.
[[nodiscard]] Result<MatrixDescriptor> matrixDescriptor(const cute::Swizzle& onBytes, Major major, int elementBits,
                                                        const cute::Layout& tile);

// The 64-bit words. Requires start to be a multiple of 16 and below 2^18.
[[nodiscard]] u64 encodeSm90(const MatrixDescriptor& d, i64 startByte, int baseOffset = 0);
[[nodiscard]] u64 encodeSm100(const MatrixDescriptor& d, i64 startByte, int baseOffset = 0);

// Tensor memory: 128 datapath rows x 512 columns of 32 bits, and the placement of tcgen05's operands in it.
//
// An address is (row << 16) + column, printed 0xROW.COLUMN; in elements of b bits, rows are 65536 * 32/b apart (f32:
// 65536).
//
//     1 CTA, M = 128      ((128,N),..):((65536,1),..)              row m, column n
//     1 CTA, M = 64       ((16,4),N):((65536,2097152),1)           rows 0-15 of each warp's 32; a second M tile takes
//                         rows 16-31 (interleaved, +1048576) or the next N columns (not interleaved)
//     2 CTAs, 64 rows each   (64,(N/2,2)):(65536,(1,4194304))      N's halves in different rows
//     2 CTAs, 32 rows each   (32,(N/4,4)):(65536,(1,2097152))
//
// Section: PTX ISA, tcgen05 "Data path layout organization"; CuTe's tmem_frag.

inline constexpr i64 kTmemRows = 128;
inline constexpr i64 kTmemColumns = 512;

struct TmemFragment {
  int ctas = 1;
  int elementBits = 32;
  int containerBits = 0;    // 32: each narrow element takes a whole column; 0: packed
  bool interleaved = true;  // 1 CTA, M = 64 only
  i64 m = 128;              // rows of one CTA
  i64 n = 128;
  i64 tilesM = 1, tilesN = 1;
};
// ((M,N),tilesM,tilesN) in elements. A Diag: an M or N that does not exist, or more than 512 columns.
[[nodiscard]] Result<cute::Layout> tmemLayout(const TmemFragment& f);

}  // namespace tessera
