// The registers that an instruction reads and writes.
//
//     @P1 LDG.E.64 R2, [R4.64+0x10]       reads P1, R4, R5; writes R2, R3
//     IADD3 R6, P0, R4, 0x8, RZ           reads R4; writes R6, P0
//     HMMA.16816.F32 R8, R4, R2, R8       reads R2-R5, R8-R11; writes R8-R11
//
// Law: the same registers as in nvdisasm -plr (tests/sass), for the operations of ptxas that the tests meet. An
// operation that is not in the tables writes its first operand, one register, and reads the others.
//
// Source: nvdisasm -plr of CUDA 13; NVIDIA documents no operands.
#pragma once

#include <string>
#include <vector>

#include "core/sass/listing.h"

namespace tessera::sass {

// R0 to R254, then P0 to P6, UR0 to UR254, UP0 to UP6. RZ, PT, URZ and UPT are no registers.
using Register = int;
inline constexpr Register kFirstPredicate = 256, kFirstUniform = 272, kFirstUniformPredicate = 528, kRegisters = 544;
[[nodiscard]] std::string nameOf(Register r);
[[nodiscard]] constexpr bool isGeneral(Register r) { return r < kFirstPredicate; }
[[nodiscard]] constexpr bool isPredicate(Register r) {
  return (r >= kFirstPredicate && r < kFirstUniform) || r >= kFirstUniformPredicate;
}
[[nodiscard]] constexpr Register guardRegister(const Guard& g) {
  return g.number < 0 ? -1 : (g.uniform ? kFirstUniformPredicate : kFirstPredicate) + g.number;
}

struct Uses {
  std::vector<Register> reads, writes;  // ascending, each once; the guard is among `reads`
};
[[nodiscard]] Uses usesOf(const Instruction& instruction);

}  // namespace tessera::sass
