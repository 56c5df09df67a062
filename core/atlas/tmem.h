// Tensor memory: 128 datapath rows x 512 columns of 32 bits, and the placement of tcgen05's operands in it.
//
// An address is (row << 16) + column, printed 0xROW.COLUMN; in
// elements of b bits, rows are 65536 * 32/b apart (f32: 65536).
//
//     1 CTA, M = 128      ((128,N),..):((65536,1),..)              row m, column n
//     1 CTA, M = 64       ((16,4),N):((65536,2097152),1)           rows 0-15 of each warp's 32; a second M tile takes
//                         rows 16-31 (interleaved, +1048576) or the next N columns (not interleaved)
//     2 CTAs, 64 rows each   (64,(N/2,2)):(65536,(1,4194304))      N's halves in different rows
//     2 CTAs, 32 rows each   (32,(N/4,4)):(65536,(1,2097152))
//
// Section: PTX ISA, tcgen05 "Data path layout organization"; CuTe's tmem_frag.
#pragma once

#include "core/base/result.h"
#include "core/notation/cute/layout.h"

namespace tessera {

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
