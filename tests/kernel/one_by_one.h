// OneByOne: a second, slow machine for PTX, to judge the first one. It runs single threads in an order drawn from a
// seed, makes each asynchronous copy as early or as late as the seed says, and fills registers with random bits, so that
// a result that is not determined differs from one seed to the next.
//
//     runOneByOne(module, launch, 3).fault      "race", "bounds", ... or empty
//
// Races: each thread keeps a clock for every thread and for every thread's copies; each byte keeps all accesses that
// were made to it. An access conflicts with an earlier one that its thread's clocks do not cover. Nothing is merged,
// pruned or shared with solver/kernel. It stops at the first fault.
//
// Two unordered writes of one value are no fault. A lane that takes part in an instruction whose member mask does not
// name it is one, and so is a barrier whose threads name different counts.
//
// Source: PTX ISA 9.0, 8.9 (causality order), 9.7.13 (barriers).
#pragma once

#include <string>
#include <vector>

#include "solver/kernel/kernel.h"

namespace tessera::test {

struct OneByOne {
  std::string fault;                            // of the first fault; empty: none
  std::string unsupported;                      // an instruction of no known meaning; then the rest says nothing
  std::vector<std::vector<std::byte>> buffers;  // by parameter
  // By thread of the launch: the lines of the PTX that it executed; negative: the guard did not hold.
  std::vector<std::vector<int>> lines;
};

// Requires: every argument is given as a buffer or a scalar.
[[nodiscard]] OneByOne runOneByOne(const ptx::Module& module, const kernel::Launch& launch, u64 seed, i64 mostSteps);

}  // namespace tessera::test
