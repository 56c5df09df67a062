// Compares the root of an entry computation with the interpreter: its reads and its uses, every output and every
// operand.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "core/hlo/ops/op_maps.h"
#include "core/notation/indexing/map.h"
#include "hlo/followed.h"

namespace tessera::testing {

struct Compared {
  int exact = 0, wider = 0;  // pairs of an operand and an output, of which the maps say so
};

inline std::string mapsOf(const hlo::Reach& reach) {
  std::string out = reach.why + "\n";
  for (const Map& m : reach.maps) out += indexing::print(indexing::toIndexingMap(m)) + "\n";
  return out;
}

// One relation, by maps from elements of `from`: exact is that relation, and anything else holds it.
inline void holds(const hlo::Reach& reach, const std::vector<i64>& from,
                  const std::set<std::pair<Element, Element>>& truth, Compared& compared) {
  INFO(mapsOf(reach));
  REQUIRE(reach.soundness != hlo::Soundness::Unknown);
  for (const Map& m : reach.maps)
    if (!m.params().empty()) return;
  ++(reach.soundness == hlo::Soundness::Exact ? compared.exact : compared.wider);
  eachCoordinate(from, [&](const Element& at) {
    const Elements ours = elementsAt(reach.maps, at, {});
    Elements theirs;
    for (auto t = truth.lower_bound({at, {}}); t != truth.end() && t->first == at; ++t) theirs.insert(t->second);
    INFO("at " << ::Catch::StringMaker<Element>::convert(at));
    if (reach.soundness == hlo::Soundness::Exact)
      REQUIRE(ours == theirs);
    else
      REQUIRE(std::includes(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
  });
}

// Requires: the root's operands are parameters, or made of constants alone.
inline void besideInterpreter(const std::string& text, u64 seed, Compared& compared) {
  INFO(text);
  const hlo::Module m = hlo::readModule(text);
  for (const hlo::Problem& p : m.problems) FAIL(hlo::textOf(p));
  const std::vector<Tensor> parameters = parametersOf(m, seed);
  const Tensor result = Interpreter(m, parameters).run();
  const hlo::Computation& c = m.computations.at(static_cast<std::size_t>(m.entry));
  const hlo::Instruction& root = c.instructions.at(static_cast<std::size_t>(c.root));
  const std::size_t outputs = result.tuple.empty() ? 1 : result.tuple.size();
  for (std::size_t o = 0; o < outputs; ++o) {
    const Tensor& output = result.tuple.empty() ? result : result.tuple[o];
    const auto reads = hlo::readsOf(m, {m.entry, c.root}, static_cast<int>(o));
    if (!reads) FAIL(reads.error().message);
    for (std::size_t k = 0; k < root.operands.size(); ++k) {
      const hlo::Instruction& operand = c.instructions.at(static_cast<std::size_t>(root.operands[k]));
      if (operand.opcode != "parameter") continue;
      const auto number = static_cast<std::size_t>(std::stoul(std::string(operand.literal)));
      std::set<std::pair<Element, Element>> there, back;
      eachCoordinate(output.sizes, [&](const Element& at) {
        for (const Element& e : of(output[at], static_cast<int>(number))) {
          there.insert({at, e});
          back.insert({e, at});
        }
      });
      INFO("output " << o << ", operand " << k);
      holds(reads->at(k), output.sizes, there, compared);
      const auto uses = hlo::usesOf(m, {m.entry, c.root}, static_cast<int>(k));
      if (!uses) FAIL(uses.error().message);
      holds(uses->at(o), parameters[number].sizes, back, compared);
    }
  }
}

}  // namespace tessera::testing
