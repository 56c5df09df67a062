// Rounds: writes a loop over stages as rounds of copies of its body (Rotation in variables.h).
//
//     for (kt = 0; kt < 12; kt += 1) over three stages      for (int round = 0; round < 4; ++round) {
//                                                             #pragma unroll
//                                                             for (int stage = 0; stage < 3; ++stage) { body }
#pragma once

#include <functional>
#include <string>

#include "core/codegen/address/scoped_text.h"

namespace tessera::codegen {

class Rounds : KernelText {
 public:
  using Body = std::function<Result<void>()>;  // writes one copy
  struct Copies {
    Body each;
    std::function<void()> drain;  // written between the full rounds and the iterations after them; may be empty
    Body last;                    // of those; empty: as `each`
  };
  Rounds(const KernelText& kernel, Bases& bases) : KernelText(kernel), bases_(bases) {}

  // `convergent`: all threads reach the loop.
  Result<void> write(Rotation& r, bool convergent, const Copies& copies);

 private:
  // The copies of the body, each after `guard`, a format string with the stage's name.
  Result<void> stages(const Turn& turn, i64 count, const std::string& guard, const Body& body);
  Result<void> leftOver(const Turn& turn, const Body& body);
  void stepPointers(const Rotation& r, bool ofStage);

  Bases& bases_;
};

// Comparisons with sizes in a rotated loop, rearranged so that no 64-bit value is computed inside it:
//
//     kt + 2 < K           stage < K - 2 - round * 3               kt + 2 itself may leave 32 bits
//     kt + 2 < X + U       round < (int)((X + U - stage) / 3)      here the right side may as well
//     r + i * 32 < N * 8   i * 32 < (int)max(min(N * 8 - r, 97), 0)   i is 0 to 3, so i * 32 is below both or neither
//
// The first form takes one register, and per stage a comparison with a number; the second a bound per stage; the third
// one bound for all i, computed before the loop. In their original form, each costs four 64-bit instructions.

// `turn`: the rotated loop around it; nullptr: none.
[[nodiscard]] std::string comparisonText(const graphene::Comparison& c, const Turn* turn, Variables& variables,
                                         ScopedText& text);

}  // namespace tessera::codegen
