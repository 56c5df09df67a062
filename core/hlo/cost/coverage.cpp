#include "core/hlo/cost/coverage.h"

#include <algorithm>

#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"

namespace tessera::hlo {
namespace {

using Kind = Coverage::Kind;

struct Judged {
  Kind kind = Kind::Nothing;
  std::string why;

  void add(Kind other, const std::string& reason) {
    if (other <= kind) return;
    kind = other;
    why = reason;
  }
};

// A `tuple` only forwards its operands, so checking all pairs of outputs and operands is not needed.
constexpr std::size_t kMostOutputs = 64;

Judged judged(const Module& module, Where where) {
  const Instruction& instruction = module.at(where);
  std::size_t outputs = module.outputsOf(instruction);
  if (instruction.opcode == "tuple") outputs = std::min(outputs, kMostOutputs);
  Judged all;
  for (std::size_t o = 0; o < outputs; ++o) {
    const auto reaches = readsThrough(module, where, static_cast<int>(o));
    if (!reaches) {
      all.add(Kind::Wrong, reaches.error().message);
      break;
    }
    for (const Reach& r : *reaches)
      all.add(r.soundness == Soundness::Exact  ? Kind::Exact
              : r.soundness == Soundness::Over ? Kind::Over
                                               : Kind::Unknown,
              r.why);
  }
  return all;
}

// Unknown if it exceeds the time limit.
Judged judgedInTime(const Module& module, Where where, double seconds) {
  try {
    const WorkBudget limit({.seconds = seconds});
    return judged(module, where);
  } catch (const OutOfBudget& end) {
    if (end.cancelled()) throw;
    return {Kind::Unknown, end.what()};
  }
}

// By Kind.
constexpr int Coverage::*kCounters[] = {&Coverage::nothing, &Coverage::exact, &Coverage::over, &Coverage::unknown,
                                        &Coverage::wrong};

}  // namespace

Coverage coverageOf(const Module& module, double secondsEach) {
  Coverage coverage;
  for (std::size_t c = 0; c < module.computations.size(); ++c) {
    const auto& instructions = module.computations[c].instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const Where where{static_cast<int>(c), static_cast<int>(i)};
      const Judged one = judgedInTime(module, where, secondsEach);
      ++(coverage.*kCounters[static_cast<std::size_t>(one.kind)]);
      if (one.kind <= Kind::Exact) continue;
      const auto gap = std::ranges::find_if(coverage.gaps, [&](const Coverage::Gap& g) {
        return g.kind == one.kind && g.opcode == instructions[i].opcode && g.why == one.why;
      });
      if (gap != coverage.gaps.end()) {
        ++gap->count;
      } else {
        coverage.gaps.push_back({one.kind, std::string(instructions[i].opcode), one.why, where, 1});
      }
    }
  }
  return coverage;
}

}  // namespace tessera::hlo
