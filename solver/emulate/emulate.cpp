#include "solver/emulate/emulate.h"

#include <fmt/format.h>

#include "core/base/nearest.h"
#include "solver/emulate/slots.h"

namespace tessera::graphene {
namespace {

// Addresses of an operand's elements in logical order.
Result<std::vector<i64>> addressesOf(const Root& root) {
  TESSERA_TRY(FlatSlots slots, slotsOf(root.tensor));
  const i64 offset = root.tensor.offset.isConstant() ? root.tensor.offset.value() : 0;
  for (i64& a : slots.addresses) a = root.tensor.swizzle(offset + a);
  return std::move(slots.addresses);
}

// Numbers of blocks and threads that have a copy of it.
struct Copies {
  i64 blocks = 1, threads = 1;
};
Copies copiesOf(const Root& root, const Plan& plan) {
  Copies out;
  if (root.memory != Memory::Global) out.blocks = plan.blocks;
  if (root.memory == Memory::Register) out.threads = plan.threads;
  return out;
}

Result<int> operandOf(const Plan& plan, const std::string& name) {
  if (const Root* found = plan.root(name)) return static_cast<int>(found - plan.roots.data());
  std::vector<std::string> names;
  for (const Root& r : plan.roots)
    if (r.operand) names.push_back(r.tensor.name);
  const auto near = nearest(name, names);
  return Diag{fmt::format("the program has no operand {}", name), "a tensor that is declared outside of every body",
              near ? fmt::format("did you mean {}?", *near) : ""};
}

Result<void> put(Machine<Numbers>& machine, const Plan& plan, const std::string& name,
                 const std::vector<double>& values) {
  TESSERA_TRY(const int index, operandOf(plan, name));
  const Root& root = plan.roots[static_cast<std::size_t>(index)];
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

std::vector<double> take(const Machine<Numbers>& machine, const Plan& plan, int index) {
  const Root& root = plan.roots[static_cast<std::size_t>(index)];
  std::vector<double> out;
  const auto addresses = addressesOf(root);
  if (!addresses) return out;
  const Copies copies = copiesOf(root, plan);
  for (i64 b = 0; b < copies.blocks; ++b)
    for (i64 t = 0; t < copies.threads; ++t)
      for (const i64 a : *addresses) out.push_back(machine.value(index, b, t, a).value_or(Numbers::undefined()));
  return out;
}

}  // namespace

Result<Run> emulate(const Program& program, const TensorValues& inputs, const EmulateOptions& options) {
  TESSERA_TRY(const Plan plan, makePlan(program, {options.sizes, options.architecture, {}}));
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
