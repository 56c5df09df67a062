// The judgement of `measure` on a program, without a device: the emulator runs it on random numbers, and the outputs
// are compared with their reference by the tolerance that judges a device.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "solver/measure/emulated.h"
#include "solver/measure/runner.h"

namespace tessera::test {

// "" if it is right; "?" if it cannot be run; otherwise the error.
inline std::string measured(const graphene::Program& program, u64 seed, const std::string& architecture) {
  const auto plan = graphene::makePlan(program, {{}, architecture});
  if (!plan) return "?";
  auto operands = measure::operandsOf(program, {}, plan->blocks, plan->threads);
  REQUIRE(operands.ok());
  auto inputs = measure::Inputs::of(*operands, seed);
  REQUIRE(inputs.ok());
  measure::TrialOptions how;
  measure::ReferenceOptions reference;
  reference.architecture = architecture;
  how.reference = measure::referenceOf({std::shared_ptr<const graphene::Program>(), &program}, reference);
  how.rounding = measure::roundingOf(program);
  const measure::Trial t = measure::trial(*plan, *inputs, how);
  if (!t.stopped.empty()) return "?";
  for (const measure::Comparison& c : t.checks)
    if (!c.good) return c.complaint;
  return "";
}

}  // namespace tessera::test
