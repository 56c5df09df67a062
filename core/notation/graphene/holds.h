// Distributions from layouts: the meaning of the text after `as` in `holds [16,16] as LAYOUT`.
//
//     [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]   element (0,1) is in register 1 of lane 0
//     [4,8] as ((4,8),1):((1,4),0)                                   thread 5 = (1,1) holds 1 + 4: row 1, column 1
//     [16,8] as mma.m16n8k16.f32.f16.f16.f32 B                       K x N, as MatMul reads it
//
// Axe: the row-major index of an element maps to reg, lane, warp and tid; the thread is lane + 32 warp, or tid. Without
// warp and tid there is one warp. The number of threads is a power of two up to 32, or a multiple of 32.
// CuTe: mode 0 counts threads, mode 1 registers; the values are row + rows * column (colexicographic).
//
// Law: at(t, r) == e iff the layout maps e to (t, r) (Axe), or (t, r) to e (CuTe).
// Refused: axes that do not address registers, two elements in one register, and values outside the tile.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/notation/axe/layout.h"
#include "core/notation/cute/layout.h"
#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

[[nodiscard]] Result<Distribution> distributionOf(std::vector<i64> extents, const axe::Layout& layout);
[[nodiscard]] Result<Distribution> distributionOf(std::vector<i64> extents, const cute::Layout& threadValue);

// An operand of an instruction: the elements of its tile that each lane holds.
struct Fragment {
  std::string text;           // "mma.m16n8k16.f32.f16.f16.f32 A"
  i64 rows = 1, columns = 1;  // in the units of threadValue
  bool transposed = false;    // the tile is given as columns x rows: [K,N] of an operand B
  cute::Layout threadValue;   // (T,V) -> row + rows * column
  cute::Layout threadId;      // T -> lane: "32:1"; (4,2):(1,16) of a quad pair
};
using FragmentOf = std::function<Result<Fragment>(std::string_view instruction, std::string_view operand)>;
[[nodiscard]] Result<Distribution> distributionOf(const std::vector<i64>& extents, const Fragment& fragment);

}  // namespace tessera::graphene
