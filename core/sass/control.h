// The control word: what the compiler tells the issue logic with each instruction. The hardware checks no dependency
// of registers by itself, so this word is all that keeps a read after its write.
//
//     LDG.E R2, [R2.64] ;   0x0000000402027981  0x000ea8000c1e1900       bits 41 to 61 of the second half: 0x00754
//
//     reuse 0000 | wait 000000 | read barrier 111 | write barrier 010 | yield 1 | stall 0100
//
// stall: the cycles until the warp may issue its next instruction. Write barrier: a counter (0 to 5; 7: none) that is
// up until the result is written; read barrier: until the operands are read. Wait: the counters that must be zero
// before this instruction issues. Reuse: operands kept in the operand cache. Yield: 0 lets the scheduler prefer another
// warp.
//
// Law: decoded(encoded(c, high)) == c, and the other bits of `high` stay, for each legal c.
//
// Source: Jia, Maggioni, Staiger, Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking",
// arXiv 1804.06826, section 2.1; the same bits from sm_70 to sm_120. NVIDIA documents none of it.
#pragma once

#include <cstdint>

namespace tessera::sass {

inline constexpr int kBarriers = 6, kNoBarrier = 7;

struct Control {
  int stall = 0;  // 0 to 15
  bool yields = false;
  int writeBarrier = kNoBarrier, readBarrier = kNoBarrier;
  unsigned waits = 0;  // bit b: barrier b
  unsigned reuse = 0;  // bit k: operand k
  bool operator==(const Control&) const = default;
  // An instruction takes its place for a cycle at least.
  [[nodiscard]] int cycles() const { return stall > 1 ? stall : 1; }
};

// `high`: bits 64 to 127 of the instruction.
[[nodiscard]] Control decoded(std::uint64_t high);
[[nodiscard]] std::uint64_t encoded(const Control& control, std::uint64_t high);

}  // namespace tessera::sass
