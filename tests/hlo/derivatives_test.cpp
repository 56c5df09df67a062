// The reads of whole modules against jax's derivatives (tests/cases/hlo_derivatives/make.py): if an output element
// changes with an input element, the output reads it. The converse also holds for these functions, except where a mask
// multiplies by 0.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/hlo/compose/fusion.h"
#include "hlo/images.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

const std::string kFolder = TESSERA_SOURCE_DIR "/tests/cases/hlo_derivatives/";

using Pairs = std::set<std::pair<i64, i64>>;  // (output element, input element), row by row

i64 flat(const Element& at, const std::vector<i64>& sizes) {
  i64 out = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) out = out * sizes[k] + at.at(k);
  return out;
}

std::vector<Pairs> readPairs(const std::string& name, std::size_t inputs) {
  std::ifstream in(kFolder + name);
  std::stringstream text;
  text << in.rdbuf();
  const hlo::Module m = hlo::readModule(text.str());
  const hlo::Computation& entry = m.computations.at(static_cast<std::size_t>(m.entry));
  const auto sizesOf = [&](int instruction) {
    return m.shapeOf(entry.instructions.at(static_cast<std::size_t>(instruction))).sizes();
  };
  const auto reached = hlo::reachedIn(m, m.entry);
  REQUIRE(reached.ok());
  std::vector<Pairs> out(inputs);
  for (const hlo::Reached& r : *reached) {
    const auto number = std::find(entry.parameters.begin(), entry.parameters.end(), r.instruction);
    if (number == entry.parameters.end()) continue;
    CHECK(r.soundness == hlo::Soundness::Exact);
    Pairs& pairs = out.at(static_cast<std::size_t>(number - entry.parameters.begin()));
    eachCoordinate(sizesOf(entry.root), [&](const Element& from) {
      for (const hlo::ReachedMap& map : r.maps)
        for (const Element& to : elementsAt(map.map, from))
          pairs.emplace(flat(from, sizesOf(entry.root)), flat(to, sizesOf(r.instruction)));
    });
  }
  return out;
}

}  // namespace

TEST_CASE("what a function reads is what its value changes with") {
  std::ifstream in(kFolder + "derivatives.json");
  const auto cases = nlohmann::json::parse(in);
  CHECK(cases.size() >= 24);
  for (const auto& one : cases) {
    const std::string name = one["name"];
    for (const char* when : {".before.hlo", ".after.hlo"}) {
      const std::vector<Pairs> read = readPairs(name + when, one["nonzero"].size());
      for (std::size_t k = 0; k < read.size(); ++k) {
        INFO(name << when << ", parameter " << k);
        const Pairs changes = one["nonzero"][k].get<Pairs>();
        REQUIRE(!changes.empty());
        CHECK(std::includes(read[k].begin(), read[k].end(), changes.begin(), changes.end()));
        CHECK((read[k] == changes) == (name != "masked"));
      }
    }
  }
}
