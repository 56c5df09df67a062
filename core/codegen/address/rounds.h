// Rounds: a loop through stages as rounds of copies of its body (variables.h).
#pragma once

#include <functional>
#include <string>

#include "core/codegen/address/scoped_text.h"

namespace tessera::codegen {

class Rounds {
 public:
  using Body = std::function<Result<void>()>;  // writes one copy
  Rounds(Variables& variables, ScopedText& text, Bases& bases, Writer& out)
      : variables_(variables), text_(text), bases_(bases), out_(out) {}

  // `convergent`: all threads reach the loop.
  Result<void> write(Rotation& r, bool convergent, const Body& body);

 private:
  // The copies of the body, each under `guard`, a format of the stage's name.
  Result<void> stages(const Turn& turn, i64 count, const std::string& guard, const Body& body);
  Result<void> leftOver(const Turn& turn, const Body& body);
  void stepPointers(const Rotation& r, bool ofStage);

  Variables& variables_;
  ScopedText& text_;
  Bases& bases_;
  Writer& out_;
};

// Comparisons in a rotated loop (variables.h) against sizes, turned so that nothing that is computed there is wide:
//
//     kt + 2 < K           stage < K - 2 - round * 3               kt + 2 itself may leave 32 bits
//     kt + 2 < X + U       round < (int)((X + U - stage) / 3)      and here the right side as well
//     r + i * 32 < N * 8   i * 32 < (int)max(min(N * 8 - r, 97), 0)   where i is 0 to 3: i * 32 is below both or none
//
// The first way takes one register and a comparison with a number for each stage; the second a bound for each stage,
// the third one for all i, made before the loop. As they were written, each costs four instructions of 64 bits.

// `turn`: of the rotated loop around; nullptr: none.
[[nodiscard]] std::string comparisonText(const graphene::Comparison& c, const Turn* turn, Variables& variables,
                                         ScopedText& text);

}  // namespace tessera::codegen
