// Coverage: for how many instructions of a module their reads are known, and why not for the other instructions.
//
//     parameter, constant, iota                      nothing: they read no operand
//     transpose, reduce, fusion of such ...          exact
//     sort                                           over: a superset of what is read, `why`
//     custom-call                                    unknown, `why`
//     transpose of [4,8] to [4,8], dimensions={1,0}  wrong: the instruction contradicts itself
//
// Laws: the five counts add up to the module's instructions; an instruction counts once, under the worst verdict over
// its outputs and operands; the counts in `gaps` add up to over + unknown + wrong.
#pragma once

#include <string>
#include <vector>

#include "core/hlo/ops/op_maps.h"

namespace tessera::hlo {

struct Coverage {
  enum class Kind : unsigned char { Nothing, Exact, Over, Unknown, Wrong };
  struct Gap {  // instructions with the same opcode and the same reason
    Kind kind = Kind::Unknown;
    std::string opcode, why;
    Where first;
    int count = 0;
  };
  int nothing = 0, exact = 0, over = 0, unknown = 0, wrong = 0;
  std::vector<Gap> gaps;  // in text order

  [[nodiscard]] int instructions() const { return nothing + exact + over + unknown + wrong; }
};

// An instruction that takes longer than `secondsEach` counts as unknown. The caller's WorkBudget applies too.
[[nodiscard]] Coverage coverageOf(const Module& module, double secondsEach = 1e9);

}  // namespace tessera::hlo
