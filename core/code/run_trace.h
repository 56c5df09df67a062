// RunTrace: what one block of a compiled kernel did, step by step, and how two threads came to a finding.
//
//     step 41   warp 1   lanes 0-15 of 0-31   st.shared.f32 [%r7], %f1   line 15   T32: 4 bytes at tile+128, ...
//     step 42   warp 1   lanes 0-31           bar.sync 0                 line 16   warp 0 waits since step 20
//
// A step is one attempt of a group of a warp's lanes to execute one instruction. Lanes of the group whose guard does
// not hold do nothing in it; a group that finds other lanes missing at an instruction of the whole warp waits, and
// attempts it again.
//
// Law (tests/kernel/trace_test.cpp): the writes in order, applied to the memories before the run, give those after it;
// the lanes of all groups are the thread instructions of the run.
// Not a run: it has no registers. It is data for pictures; solver/kernel/trace records it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace tessera::code {

struct RunTrace {
  struct Memory {
    std::string name;  // "shared", or of an argument
    bool shared = false;
    int argument = -1;            // the parameter whose buffer it is
    i64 bytes = 0;                // 0: without bounds
    std::vector<i64> shape = {};  // of an argument's array; empty: not known
    i64 elementBytes = 0;         // of that array
    struct Variable {
      std::string name;
      i64 offset = 0;
    };
    std::vector<Variable> variables = {};  // of shared memory, by offset
    bool operator==(const Memory&) const = default;
  };
  struct Instruction {
    std::string text;      // "st.shared.f32 [%r7], %f1;"
    std::size_t line = 1;  // of the text that is shown
    int ptxLine = 0, location = -1;
    bool waits = false;  // a barrier or another wait
    bool operator==(const Instruction&) const = default;
  };
  struct Access {
    int memory = 0, lane = 0, width = 0;
    bool write = false;
    i64 offset = 0;
    std::size_t bytes = 0;  // in `contents`: what is there after the step
  };
  struct Step {
    std::uint32_t warp = 0;
    std::uint32_t group = 0, mask = 0;  // lanes at the instruction, and those of them whose guard holds
    std::uint32_t instruction = 0;
    std::uint32_t states = 0;     // of `states`: when it begins
    std::size_t firstAccess = 0;  // up to that of the next step
  };
  struct WarpState {
    std::uint32_t waiting = 0, live = 0;  // lanes that wait for others; that have not ended
    bool operator==(const WarpState&) const = default;
  };
  // A thread's path to an access: the instructions that it executed, and how often.
  struct Path {
    i64 block = 0, thread = 0;
    std::vector<std::pair<std::uint32_t, i64>> executed;  // by instruction
    i64 access = -1;                                      // the instruction that accesses; -1: it was not executed
    i64 step = -1;                                        // of the trace; -1: another block, or not recorded
  };
  struct Meeting {
    std::size_t finding = 0;  // its number
    Path at;
    std::optional<Path> other;
    int memory = -1;  // where they meet; -1: nowhere
    i64 offset = 0;
    int bytes = 0;
  };

  i64 block = 0, blocks = 1, threads = 1;
  std::vector<Memory> memories;
  std::vector<Instruction> instructions;
  std::vector<Step> steps;
  std::vector<Access> accesses;
  std::vector<std::uint8_t> contents;
  std::vector<std::vector<WarpState>> states;
  i64 total = 0;                  // steps of the block, recorded or not
  i64 laneSteps = 0;              // lanes of all their groups
  std::vector<Meeting> meetings;  // of the findings whose first access was seen

  [[nodiscard]] std::span<const Access> accessesOf(std::size_t step) const {
    const std::size_t first = steps[step].firstAccess;
    const std::size_t last = step + 1 < steps.size() ? steps[step + 1].firstAccess : accesses.size();
    return std::span(accesses).subspan(first, last - first);
  }
  [[nodiscard]] const Instruction& instructionOf(const Step& step) const { return instructions[step.instruction]; }
};

}  // namespace tessera::code
