// emulate: runs a Graphene program on given numbers, for tests. `measure` and `check` draw their own (solver/measure).
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
// Law: without findings, the numbers do not depend on `seed`. solver/emulate/numbers.h defines their rounding.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "core/base/nearest.h"
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

// The operand named "%A" or "A"; null: none.
inline const Root* rootNamed(const Plan& plan, std::string_view name) {
  if (!name.empty() && name[0] == '%') name.remove_prefix(1);
  for (const Root& r : plan.roots)
    if (r.operand && r.tensor.name == name) return &r;
  return nullptr;
}

namespace emulating {

// Addresses of an operand's elements in logical order.
inline Result<std::vector<i64>> addressesOf(const Root& root) {
  TESSERA_TRY(FlatSlots slots, slotsOf(root.tensor));
  const i64 offset = root.tensor.offset.isConstant() ? root.tensor.offset.value() : 0;
  for (i64& a : slots.addresses) a = root.tensor.swizzle(offset + a);
  return std::move(slots.addresses);
}

// Numbers of blocks and threads that have a copy of it.
struct Copies {
  i64 blocks = 1, threads = 1;
};
inline Copies copiesOf(const Root& root, const Plan& plan) {
  Copies out;
  if (root.memory != Memory::Global) out.blocks = plan.blocks;
  if (root.memory == Memory::Register) out.threads = plan.threads;
  return out;
}

inline Result<int> operandOf(const Plan& plan, const std::string& name) {
  if (const Root* found = rootNamed(plan, name)) return static_cast<int>(found - plan.roots.data());
  std::vector<std::string> names;
  for (const Root& r : plan.roots)
    if (r.operand) names.push_back(r.tensor.name);
  const auto near = nearest(name, names);
  return Diag{fmt::format("the program has no operand {}", name), "a tensor that is declared outside of every body",
              near ? fmt::format("did you mean {}?", *near) : ""};
}

inline Result<void> put(Machine<Numbers>& machine, const Plan& plan, const std::string& name,
                        const std::vector<double>& values) {
  TESSERA_TRY(const int index, operandOf(plan, name));
  const Root& root = plan.roots[index];
  TESSERA_TRY(const std::vector<i64> addresses, addressesOf(root));
  const Copies copies = copiesOf(root, plan);
  const std::size_t one = addresses.size();
  const std::size_t all = one * static_cast<std::size_t>(copies.blocks * copies.threads);
  if (values.size() != one && values.size() != all)
    return Diag{fmt::format("{} values for {}", values.size(), name),
                one == all ? fmt::format("{} values", one) : fmt::format("{} values, or {} for every copy", one, all)};
  std::size_t from = 0;
  for (i64 b = 0; b < copies.blocks; ++b) {
    for (i64 t = 0; t < copies.threads; ++t) {
      for (std::size_t i = 0; i < one; ++i)
        machine.set(index, b, t, addresses[i], rounded(values[from + i], root.type));
      if (values.size() != one) from += one;
    }
  }
  return {};
}

inline std::vector<double> take(const Machine<Numbers>& machine, const Plan& plan, int index) {
  const Root& root = plan.roots[index];
  std::vector<double> out;
  const auto addresses = addressesOf(root);
  if (!addresses) return out;
  const Copies copies = copiesOf(root, plan);
  for (i64 b = 0; b < copies.blocks; ++b)
    for (i64 t = 0; t < copies.threads; ++t)
      for (const i64 a : *addresses) out.push_back(machine.value(index, b, t, a).value_or(Numbers::undefined()));
  return out;
}

}  // namespace emulating

// Returns a Diag if the program cannot be run (plan.h), and for inputs of unknown name or wrong size.
inline Result<Run> emulate(const Program& program, const TensorValues& inputs = {},
                           const EmulateOptions& options = {}) {
  using namespace emulating;
  TESSERA_TRY(const Plan plan, makePlan(program, {options.sizes, options.architecture}));
  Numbers numbers;
  MachineOptions how;
  how.seed = options.seed;
  how.maxSteps = options.maxSteps;
  how.stopAtFirst = options.stopAtFirst;
  how.count = options.count;
  how.cancel = options.cancel;
  Machine<Numbers> machine(plan, numbers, how);
  for (const auto& [name, values] : inputs) TESSERA_CHECKED(put(machine, plan, name, values));
  machine.run();
  Run out;
  for (std::size_t r = 0; r < plan.roots.size(); ++r)
    if (plan.roots[r].operand) out.tensors[plan.roots[r].tensor.name] = take(machine, plan, static_cast<int>(r));
  for (std::size_t l = 0; l < plan.leaves.size(); ++l) {
    out.leaves.push_back({plan.leaves[l].span, plan.leaves[l].atom.name, machine.counts()[l]});
    out.total += machine.counts()[l];
  }
  out.findings = machine.findings();
  out.findingCount = machine.findingCount();
  out.steps = machine.steps();
  out.stopped = machine.stopped();
  return out;
}

}  // namespace tessera::graphene
