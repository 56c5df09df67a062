// Equality of two maps of an operand: against enumeration, and the document's examples.
#include "core/hlo/compose/same_maps.h"

#include <catch2/catch.hpp>

#include "core/hlo/compose/fusion.h"
#include "core/notation/indexing/map.h"
#include "hlo/images.h"
#include "hlo/random_module.h"

using namespace tessera;
using namespace tessera::testing;
using hlo::Same;

namespace {

Map mapOf(const std::string& text) {
  INFO(text);
  const auto map = indexing::parse(text);
  if (!map) FAIL(map.error().message);
  return map->map;
}

hlo::Reach fusionReads(const std::string& parameter, const std::string& body, const hlo::SameMaps& same = {}) {
  const hlo::Module m = hlo::readModule(
      "HloModule m\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\nf {\n  p0 "
      "= " +
      parameter + " parameter(0)\n" + body + "\n}\nENTRY e {\n  p = " + parameter +
      " parameter(0)\n  ROOT r = " + body.substr(body.rfind("= ") + 2, body.substr(body.rfind("= ") + 2).find(' ')) +
      " fusion(p), kind=kLoop, calls=f\n}\n");
  for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
  const auto reads = hlo::readsThrough(m, {m.entry, 1}, 0, same);
  if (!reads) FAIL(reads.error().message);
  return reads->at(0);
}

}  // namespace

TEST_CASE("same and different are right, on maps that random computations make") {
  int yes = 0, no = 0, asked = 0;
  for (u64 seed = 1; seed <= 250; ++seed) {
    const std::string text = RandomComputation(seed + 50'000).text(1 + static_cast<int>(seed % 4), false);
    const hlo::Module m = hlo::readModule(text);
    // Maps of all that is reached, of one rank: different maps of an operand, and maps of different operands.
    const auto reached = hlo::reachedIn(m, m.entry, 0);
    REQUIRE(reached.ok());
    std::vector<Map> maps;
    for (const hlo::Reached& r : *reached)
      for (const hlo::ReachedMap& map : r.maps)
        if (map.map.params().empty() && maps.size() < 12) maps.push_back(map.map);
    const xla::Shape& out = m.shapeOf(m.computations[static_cast<std::size_t>(m.entry)].instructions.back());
    for (const Map& a : maps)
      for (const Map& b : maps) {
        if (a.axes().size() != b.axes().size()) continue;
        bool really = true;
        eachCoordinate(out.sizes(),
                       [&](const Element& at) { really = really && elementsAt(a, at) == elementsAt(b, at); });
        const Same same = hlo::sameMaps(a, b, [&](const Map&, const Map&) {
          ++asked;
          return Same::Unknown;
        });
        INFO(text << print(a) << "\n" << print(b));
        if (same != Same::Unknown) REQUIRE((same == Same::Yes) == really);
        ++(really ? yes : no);
      }
  }
  CHECK(yes > 400);
  CHECK(no > 200);
  CHECK(asked == 0);  // so small that no proof is asked for
}

TEST_CASE("normal forms decide at any size") {
  const std::string box = ", domain: d0 in [0, 999999], s0 in [0, 7999], s1 in [0, 4999]";
  CHECK(hlo::sameMaps(
            mapOf("(d0)[s0, s1] -> (d0, s0, s1)" + box),
            mapOf("(d0)[s0, s1] -> (d0, s1, s0), domain: d0 in [0, 999999], s0 in [0, 4999], s1 in [0, 7999]")) ==
        Same::Yes);
  CHECK(hlo::sameMaps(mapOf("(d0)[s0] -> (d0 floordiv 4, d0 mod 4, s0), domain: d0 in [0, 999999], s0 in [0, 7999]"),
                      mapOf("(d0)[s0] -> (d0 floordiv 4, d0 - d0 floordiv 4 * 4, s0), domain: d0 in [0, 999999], s0 in "
                            "[0, 7999]")) == Same::Yes);
  // What one map has and the other has not makes them two, however much they share.
  CHECK(hlo::sameMaps(mapOf("(d0) -> (d0), domain: d0 in [0, 999999]"),
                      mapOf("(d0) -> (d0), domain: d0 in [0, 999998]")) == Same::No);
  CHECK(hlo::sameMaps(mapOf("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 5]"),
                      mapOf("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 4]")) == Same::No);
  // Too long for the cheap ways: whoever is handed in decides.
  const Map up = mapOf("(d0)[s0] -> (d0, s0), domain: d0 in [0, 99999], s0 in [0, 9999]");
  const Map down = mapOf("(d0)[s0] -> (d0, s0 * -1 + 9999), domain: d0 in [0, 99999], s0 in [0, 9999]");
  CHECK(hlo::sameMaps(up, down) == Same::Unknown);
  CHECK(hlo::sameMaps(up, down, [](const Map&, const Map&) { return Same::Yes; }) == Same::Yes);
}

TEST_CASE("the document's examples") {
  // p0 + transpose(p0): two.
  CHECK(fusionReads("f32[20,20]", "  t = f32[20,20] transpose(p0), dimensions={1,0}\n  ROOT s = f32[20,20] add(p0, t)")
            .maps.size() == 2);
  // Three transpositions on two paths: one.
  const hlo::Reach turned = fusionReads(
      "f32[20,10,50]",
      "  lhs = f32[10,20,50] transpose(p0), dimensions={1,0,2}\n  e = f32[10,20,50] exponential(lhs)\n"
      "  t = f32[50,10,20] transpose(e), dimensions={2,0,1}\n  u = f32[50,10,20] transpose(p0), dimensions={2,1,0}\n"
      "  ROOT s = f32[50,10,20] add(t, u)");
  CHECK(turned.maps.size() == 1);
  CHECK(turned.undecided.empty());
  // Softmax: the element and its row.
  const hlo::Reach softmax =
      fusionReads("f32[2,65,125]",
                  "  z = f32[] constant(0)\n  m = f32[2,65] reduce(p0, z), dimensions={2}, to_apply=add\n"
                  "  b = f32[2,65,125] broadcast(m), dimensions={0,1}\n  d = f32[2,65,125] subtract(p0, b)\n"
                  "  x = f32[2,65,125] exponential(d)\n  n = f32[2,65] reduce(x, z), dimensions={2}, to_apply=add\n"
                  "  c = f32[2,65,125] broadcast(n), dimensions={0,1}\n  ROOT s = f32[2,65,125] divide(x, c)");
  CHECK(softmax.maps.size() == 2);
  CHECK(softmax.undecided.empty());
  // A part of it and the whole: the whole has all, and they stay two.
  CHECK(fusionReads(
            "f32[8]",
            "  z = f32[] constant(0)\n  a = f32[8] pad(p0, z), padding=0_0\n  h = f32[4] slice(p0), slice={[0:4]}\n"
            "  g = f32[8] pad(h, z), padding=0_4\n  ROOT s = f32[8] add(a, g)")
            .maps.size() == 2);
}
