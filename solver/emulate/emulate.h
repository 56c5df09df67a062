// emulate: runs a Graphene program on numbers on the CPU.
//
//     Result<Run> run = emulate(program, {{"A", a}, {"B", b}}, {.sizes = {{"M", 64}}});
//     run->tensors["C"]      64*64 numbers, row-major
//     run->findings          "block 0, thread 33: %s[1,0] at 33, phase 0: ... ; the other is thread 1"
//     run->total             instructions, wavefronts, sectors
//
// A tensor is given by its elements in logical order (core/graphene/atoms/atom.h): row-major for one level. A shared
// tensor has them once per block, a register tensor once per thread of each block (block, thread, element). Missing
// operands are zero.
//
// Law: without findings, the numbers do not depend on `seed`. Their rounding: solver/emulate/numbers.h.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "solver/emulate/machine.h"

namespace tessera::graphene {

using TensorValues = std::map<std::string, std::vector<double>>;  // by name, "A" or "%A"

struct EmulateOptions {
  std::map<std::string, i64> sizes;
  std::string architecture = "sm_80";
  u64 seed = 0;  // 0: blocks and warps in order; otherwise a random order
  bool stopAtFirst = false;
  bool count = true;
  i64 maxSteps = 50'000'000;  // warp instructions
  const std::atomic<bool>* cancel = nullptr;
};

struct LeafRun {
  Span span;
  std::string atom;
  LeafCounts counts;
};

struct Run {
  TensorValues tensors;  // of every operand, by name without %
  std::vector<Finding> findings;
  i64 findingCount = 0;  // including suppressed repetitions
  std::vector<LeafRun> leaves;
  LeafCounts total;
  i64 steps = 0;
  std::string stopped;  // why it ended early; empty: it did not
};

// Returns a Diag if the program cannot be run (plan.h), and for inputs of unknown name or wrong size.
[[nodiscard]] Result<Run> emulate(const Program& program, const TensorValues& inputs = {},
                                  const EmulateOptions& options = {});

}  // namespace tessera::graphene
