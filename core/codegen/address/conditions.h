// Comparisons in a rotated loop (rotation.h) against sizes, turned so that nothing that is computed there is wide:
//
//     kt + 2 < K           stage < K - 2 - round * 3               kt + 2 itself may leave 32 bits
//     kt + 2 < X + U       round < (int)((X + U - stage) / 3)      and here the right side as well
//     r + i * 32 < N * 8   i * 32 < (int)max(min(N * 8 - r, 97), 0)   where i is 0 to 3: i * 32 is below both or none
//
// The first way takes one register and a comparison with a number for each stage; the second a bound for each stage,
// the third one for all i, made before the loop. As they were written, each costs four instructions of 64 bits.
#pragma once

#include <string>

#include "core/codegen/address/bases.h"

namespace tessera::codegen {

// `turn`: of the rotated loop around; nullptr: none.
[[nodiscard]] std::string comparisonText(const graphene::Comparison& c, const Turn* turn, Variables& variables,
                                         ScopedText& text);

}  // namespace tessera::codegen
