// Compares what a whole computation reads and uses with the interpreter: every output of its root, every parameter.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "core/hlo/compose/fusion.h"
#include "hlo/beside_interpreter.h"

namespace tessera::testing {

inline void flattened(const Tensor& t, std::vector<Tensor>& to) {
  if (t.tuple.empty()) return to.push_back(t);
  for (const Tensor& e : t.tuple) flattened(e, to);
}

// Requires: parameters that are arrays.
inline void besideResults(const std::string& text, u64 seed, Compared& compared) {
  INFO(text);
  const hlo::Module m = hlo::readModule(text);
  for (const hlo::Problem& p : m.problems) FAIL(hlo::textOf(p));
  const std::vector<Tensor> parameters = parametersOf(m, seed);
  std::vector<Tensor> outputs;
  flattened(Interpreter(m, parameters).run(), outputs);
  const hlo::Computation& c = m.computations.at(static_cast<std::size_t>(m.entry));
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const auto reached = hlo::reachedIn(m, m.entry, static_cast<int>(o));
    if (!reached) FAIL(reached.error().message);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      hlo::Reach read;
      for (const hlo::Reached& r : *reached)
        if (r.instruction == c.parameters[p]) read = hlo::asReach(r, c, "e");
      std::set<std::pair<Element, Element>> there, back;
      eachCoordinate(outputs[o].sizes, [&](const Element& at) {
        for (const Element& e : of(outputs[o][at], static_cast<int>(p))) {
          there.insert({at, e});
          back.insert({e, at});
        }
      });
      INFO("output " << o << ", parameter " << p);
      holds(read, outputs[o].sizes, there, compared);
      const auto uses = hlo::usesOfParameter(m, m.entry, static_cast<int>(p));
      if (!uses) FAIL(uses.error().message);
      hlo::Reach use;
      for (const hlo::Reach& u : *uses)
        if (u.slot == static_cast<int>(o) && (!u.maps.empty() || u.soundness != hlo::Soundness::Exact)) use = u;
      holds(use, parameters[p].sizes, back, compared);
    }
  }
}

}  // namespace tessera::testing
