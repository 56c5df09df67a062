// Uses against reads: the same relation from both ends.
#include <catch2/catch.hpp>

#include "core/hlo/compose/fusion.h"
#include "core/notation/indexing/map.h"
#include "hlo/images.h"
#include "hlo/random_module.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

std::vector<Map> mapsOf(const hlo::Reached& r) {
  std::vector<Map> maps;
  for (const hlo::ReachedMap& m : r.maps) maps.push_back(m.map);
  return maps;
}
std::string text(const std::vector<Map>& maps) {
  std::string out;
  for (const Map& m : maps) out += indexing::print(indexing::toIndexingMap(m)) + "\n";
  return out;
}
hlo::Module moduleOf(const std::string& text) {
  hlo::Module m = hlo::readModule(text);
  for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
  return m;
}

}  // namespace

TEST_CASE("where elements go is whence they are read") {
  int compared = 0, unknown = 0;
  for (u64 seed = 1; seed <= 250; ++seed) {
    const std::string source = RandomComputation(seed + 900).text(1 + static_cast<int>(seed % 4), seed % 2 == 0);
    INFO(source);
    const hlo::Module m = moduleOf(source);
    const hlo::Computation& entry = m.computations[static_cast<std::size_t>(m.entry)];
    const std::vector<i64> out = m.shapeOf(entry.instructions[static_cast<std::size_t>(entry.root)]).sizes();
    const auto reached = hlo::reachedIn(m, m.entry, 0);
    REQUIRE(reached.ok());
    for (const int parameter : entry.parameters) {
      const std::vector<i64> in = m.shapeOf(entry.instructions[static_cast<std::size_t>(parameter)]).sizes();
      const auto goes = hlo::usesFrom(m, {m.entry, parameter});
      if (!goes) FAIL(goes.error().message);
      hlo::Reached use, read;
      for (const hlo::Reached& r : *goes)
        if (r.instruction == entry.root) use = r;
      for (const hlo::Reached& r : *reached)
        if (r.instruction == parameter) read = r;
      if (use.soundness != hlo::Soundness::Exact || read.soundness != hlo::Soundness::Exact) {
        ++unknown;
        continue;
      }
      const std::vector<Map> uses = mapsOf(use), reads = mapsOf(read);
      INFO(text(uses) << "beside\n" << text(reads));
      if (std::any_of(reads.begin(), reads.end(), [](const Map& map) { return !map.params().empty(); })) continue;
      std::set<std::pair<Element, Element>> forward, back;
      eachCoordinate(in, [&](const Element& x) {
        for (const Element& y : elementsAt(uses, x)) forward.insert({x, y});
      });
      eachCoordinate(out, [&](const Element& y) {
        for (const Element& x : elementsAt(reads, y)) back.insert({x, y});
      });
      REQUIRE(forward == back);
      ++compared;
    }
  }
  CHECK(compared > 200);
  CHECK(unknown < compared);
}

TEST_CASE("an epilogue, worked by hand") {
  const hlo::Module m = moduleOf(
      "HloModule m\nENTRY e {\n  p = f32[10,20] parameter(0)\n  t = f32[20,10] transpose(p), dimensions={1,0}\n"
      "  n = f32[200] reshape(t)\n  s = f32[200] add(n, n)\n  ROOT r = (f32[200], f32[20,10]) tuple(s, t)\n}\n");
  const auto goes = hlo::usesFrom(m, {0, 0});
  REQUIRE(goes.ok());
  REQUIRE(goes->size() == 6);
  CHECK(goes->at(0).instruction == 0);
  std::string all;
  for (const hlo::Reached& r : *goes)
    all += std::string(m.computations[0].instructions[static_cast<std::size_t>(r.instruction)].name) + "." +
           std::to_string(r.output) + " " + text(mapsOf(r));
  CHECK(all.find("s.0 (d0, d1) -> (d0 + d1 * 10), domain: d0 in [0, 9], d1 in [0, 19]") != std::string::npos);
  CHECK(all.find("r.1 (d0, d1) -> (d1, d0), domain: d0 in [0, 9], d1 in [0, 19]") != std::string::npos);
  const hlo::Module cycle = hlo::readModule(
      "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n  a = f32[2] add(p, b)\n"
      "  ROOT b = f32[2] negate(a)\n}\n");
  CHECK(!hlo::usesFrom(cycle, {0, 0}).ok());
  CHECK(!hlo::usesFrom(m, {0, 0}, 1).ok());
}
