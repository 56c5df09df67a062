#include "core/hlo/cost/wire.h"

#include <algorithm>
#include <array>

#include "core/hlo/cost/operations.h"
#include "core/hlo/ops/op.h"
#include "core/hlo/text/device_groups.h"

namespace tessera::hlo {
namespace {

// How much of the larger of its arrays a replica sends, times (n - 1) / n.
struct Row {
  std::string_view opcode;
  double times;
  bool whole;     // the array itself, for every size of the group
  bool reshards;  // no arithmetic
};
constexpr std::array<Row, 7> kRows = {{
    {"all-reduce", 2, false, false},
    {"reduce-scatter", 1, false, false},
    {"all-gather", 1, false, true},
    {"all-to-all", 1, false, true},
    {"ragged-all-to-all", 1, false, true},
    {"collective-permute", 1, true, true},
    {"collective-broadcast", 1, true, true},
}};

// Of a collective or its first half, which may be the last of its two: "all-reduce-start".
const Row* rowOf(std::string_view opcode) {
  if (opcode.ends_with("-start")) opcode.remove_suffix(6);
  const auto row = std::ranges::find(kRows, opcode, &Row::opcode);
  return row == kRows.end() ? nullptr : &*row;
}

double operandBytes(const Module& module, Where where) {
  double bytes = 0;
  const Computation& c = module.computation(where.computation);
  for (const int o : c.at(where.instruction).operands)
    if (o >= 0) bytes += bytesOf(module.shapeOf(c.at(o)));
  return bytes;
}

}  // namespace

Wire wireOf(const Module& module) {
  Wire wire;
  std::vector<std::string> keys, axisKeys;  // equal for every spelling of the same groups
  const std::vector<Runs> runs = runsOf(module);
  for (std::size_t c = 0; c < runs.size(); ++c) {
    if (runs[c].times == 0) continue;
    for (std::size_t i = 0; i < module.computations[c].instructions.size(); ++i) {
      const Instruction& instruction = module.computations[c].instructions[i];
      const Row* const row = rowOf(instruction.opcode);
      if (row == nullptr) continue;
      const Where where{static_cast<int>(c), static_cast<int>(i)};
      WireUse use;
      use.where = where;
      use.reshards = row->reshards;
      use.groups = instruction.value("replica_groups", instruction.value("source_target_pairs"));
      keys.push_back(groupsText(instruction));
      use.runs = runs[c].times;
      use.runsKnown = runs[c].known;
      const double in = operandBytes(module, where);
      if (row->whole) {
        use.bytes = in;
      } else if (const auto n = groupSize(module, instruction); n && *n > 0) {
        use.replicas = *n;
        const double array = instruction.opcode.starts_with("all-gather") ? in * static_cast<double>(*n) : in;
        use.bytes = row->times * array * static_cast<double>(*n - 1) / static_cast<double>(*n);
      }
      wire.uses.push_back(std::move(use));
    }
  }
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const WireUse& use = wire.uses[k];
    const auto at = static_cast<std::size_t>(std::ranges::find(axisKeys, keys[k]) - axisKeys.begin());
    if (at == axisKeys.size()) {
      axisKeys.push_back(keys[k]);
      wire.axes.push_back({use.groups, use.replicas, 0, 0});
    }
    ++wire.axes[at].collectives;
    wire.axes[at].bytes += use.inAll();
  }
  std::ranges::stable_sort(wire.uses, [](const WireUse& a, const WireUse& b) { return a.inAll() > b.inAll(); });
  std::ranges::stable_sort(wire.axes, [](const WireAxis& a, const WireAxis& b) { return a.bytes > b.bytes; });
  return wire;
}

}  // namespace tessera::hlo
