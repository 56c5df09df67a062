// Maps of operations and of whole fusions against an interpreter that traces every element, on random small
// computations.
#include "core/hlo/ops/op_maps.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/hlo/compose/fusion.h"
#include "core/notation/indexing/map.h"
#include "hlo/followed.h"
#include "hlo/random_module.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

void sameAsInterpreter(const std::string& text, u64 seed, int& compared) {
  INFO(text);
  const hlo::Module m = hlo::readModule(text);
  for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
  const std::vector<Tensor> parameters = parametersOf(m, seed);
  const Tensor result = Interpreter(m, parameters).run();
  const hlo::Computation& c = m.computations.at(static_cast<std::size_t>(m.entry));
  const auto reached = hlo::reachedIn(m, m.entry, 0);
  if (!reached) FAIL(reached.error().message);
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const hlo::Reached* node = nullptr;
    for (const hlo::Reached& r : *reached)
      if (r.instruction == c.parameters[p]) node = &r;
    std::string maps;
    if (node != nullptr)
      for (const hlo::ReachedMap& map : node->maps) maps += indexing::print(indexing::toIndexingMap(map.map)) + "\n";
    INFO("parameter " << p << "\n" << maps);
    if (node != nullptr) REQUIRE(node->soundness != hlo::Soundness::Unknown);
    eachCoordinate(result.sizes, [&](const Element& at) {
      Elements ours;
      bool known = true;
      if (node != nullptr)
        for (const hlo::ReachedMap& map : node->maps) {
          const std::vector<i64> numbers = numbersAt(map.map, map.runtime, c, parameters, at, known);
          if (known) ours.merge(elementsAt(map.map, at, numbers));
        }
      if (!known) return;
      ++compared;
      const Elements theirs = of(result[at], static_cast<int>(p));
      INFO("at " << ::Catch::StringMaker<Element>::convert(at));
      if (node != nullptr && node->soundness == hlo::Soundness::Over)
        REQUIRE(std::includes(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
      else
        REQUIRE(ours == theirs);
    });
  }
}

}  // namespace

TEST_CASE("one operation reads what an interpreter reads") {
  int compared = 0;
  for (u64 seed = 1; seed <= 600; ++seed) sameAsInterpreter(RandomComputation(seed).text(1, false), seed, compared);
  CHECK(compared > 4000);
}

TEST_CASE("whole computations read what an interpreter reads") {
  int compared = 0;
  for (u64 seed = 1; seed <= 300; ++seed)
    sameAsInterpreter(RandomComputation(seed + 10'000).text(2 + static_cast<int>(seed % 4), false), seed, compared);
  CHECK(compared > 3000);
}
