// Causes of traffic, and the changes that remove them.
#include "core/hlo/cost/why.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "core/hlo/compose/fusion.h"
#include "hlo/images.h"
#include "hlo/random_module.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

hlo::Module parsed(const std::string& text) {
  hlo::Module m = hlo::readModule(text);
  INFO(text);
  REQUIRE(m.problems.empty());
  return m;
}
hlo::Where resultOf(const hlo::Module& m) { return {m.entry, m.computation(m.entry).root}; }

const char* const kLoopSoftmax = R"(add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
soft {
  t = f32[64,1024] parameter(0)
  z = f32[] constant(0)
  e = f32[64,1024] exponential(t)
  rs = f32[64] reduce(e, z), dimensions={1}, to_apply=add
  rb = f32[64,1024] broadcast(rs), dimensions={0}, metadata={source_file="soft.py" source_line=7}
  ROOT dv = f32[64,1024] divide(e, rb)
}
ENTRY main {
  x = f32[64,1024] parameter(0)
  ROOT f = f32[64,1024] fusion(x), kind=kLoop, calls=soft
}
)";

// What the entry reads of a parameter at every coordinate of its result.
std::vector<Elements> readsAtEach(const hlo::Module& m, std::size_t parameter, const std::vector<i64>& sizes) {
  std::vector<Elements> all;
  const auto reached = hlo::reachedIn(m, m.entry, 0);
  REQUIRE(reached.ok());
  const int wanted = m.computation(m.entry).parameters.at(parameter);
  eachCoordinate(sizes, [&](const Element& at) {
    Elements here;
    for (const hlo::Reached& r : *reached)
      if (r.instruction == wanted)
        for (const hlo::ReachedMap& map : r.maps) here.merge(elementsAt(map.map, at));
    all.push_back(std::move(here));
  });
  return all;
}

}  // namespace

TEST_CASE("a softmax in one loop repeats its rows, and a split at the sum removes that") {
  const hlo::Module m = parsed(kLoopSoftmax);
  const auto why = hlo::whyOf(m, resultOf(m));
  REQUIRE(why.ok());
  REQUIRE(why->operands.size() == 1);
  const hlo::OperandWhy& x = why->operands[0];
  CHECK(x.repeats * x.spread == Approx(static_cast<double>(x.asked) / static_cast<double>(x.needed)));
  CHECK(m.at(x.repeatedBy).name == "rb");
  REQUIRE(x.split);
  CHECK(m.at(x.split->at).name == "rs");
  CHECK(x.split->asked < x.asked / 10);
  CHECK(x.split->written == 256);
  std::string all;
  for (const std::string& line : hlo::sentencesOf(m, *why)) all += line + "\n";
  INFO(all);
  CHECK(all.find("because of %rb (broadcast, soft.py:7)") != std::string::npos);
  CHECK(all.find("split at %rs (reduce)") != std::string::npos);
}

TEST_CASE("an operand in another layout is scattered, and its own layout removes that") {
  const hlo::Module m = parsed(
      "ENTRY e {\n p = f32[128,256]{1,0} parameter(0)\n q = f32[128,256]{0,1} parameter(1)\n ROOT a = "
      "f32[128,256]{1,0} "
      "add(p, q)\n}\n");
  const auto why = hlo::whyOf(m, resultOf(m));
  REQUIRE(why.ok());
  CHECK(why->operands[0].asked == why->operands[0].needed);
  const hlo::OperandWhy& q = why->operands[1];
  CHECK(q.spread == 8);
  CHECK(q.repeats == 1);
  REQUIRE(q.relayout);
  CHECK(q.relayout->shape.layout().minorToMajor == std::vector<i64>{1, 0});
  CHECK(q.relayout->asked == q.needed);
}

TEST_CASE("a scattered read inside a loop is split where it scatters") {
  // Two transpositions, so no emitter for either: a loop.
  const hlo::Module m = parsed(
      "f {\n p = f32[256,512] parameter(0)\n q = f32[256,512] parameter(1)\n t = f32[512,256] transpose(p), "
      "dimensions={1,0}\n u = f32[512,256] transpose(q), dimensions={1,0}\n ROOT a = f32[512,256] add(t, u)\n}\nENTRY "
      "e "
      "{\n p = f32[256,512] parameter(0)\n q = f32[256,512] parameter(1)\n ROOT r = f32[512,256] fusion(p, q), "
      "kind=kLoop, calls=f\n}\n");
  const auto why = hlo::whyOf(m, resultOf(m));
  REQUIRE(why.ok());
  const hlo::OperandWhy& p = why->operands.front();
  CHECK(p.spread == 8);
  CHECK(m.at(p.scatteredBy).name == "t");
  REQUIRE(p.relayout);
  CHECK(p.relayout->asked == p.needed);
  REQUIRE(p.split);
  CHECK(m.at(p.split->at).name == "t");
  // The first half transposes in tiles, and then the rest has one transposition left.
  CHECK(p.split->asked == 3 * 256 * 512 * 4);
}

TEST_CASE("a split fusion reads what the fusion reads, wherever it is split") {
  int splits = 0;
  for (u64 seed = 1; seed <= 120; ++seed) {
    const std::string text = RandomComputation(seed + 7000).text(2 + static_cast<int>(seed % 4), true);
    const hlo::Module m = hlo::readModule(text);
    if (!m.problems.empty()) continue;
    const hlo::Where fusion = resultOf(m);
    const int body = m.byName.at("f");
    for (std::size_t i = 0; i < m.computation(body).instructions.size(); ++i) {
      const auto split = hlo::splitAt(m, fusion, {body, static_cast<int>(i)});
      if (!split) continue;
      INFO(text << "\nat " << m.computation(body).instructions[i].name << "\n" << *split);
      const hlo::Module two = parsed(*split);
      const std::vector<i64> sizes = m.shapeOf(m.at(fusion)).sizes();
      bool runtime = false;
      for (const hlo::Module* one : {&m, &two}) {
        const auto reached = hlo::reachedIn(*one, one->entry, 0);
        REQUIRE(reached.ok());
        for (const hlo::Reached& r : *reached)
          for (const hlo::ReachedMap& map : r.maps) runtime = runtime || !map.map.params().empty();
      }
      if (runtime) continue;
      for (std::size_t p = 0; p < m.at(fusion).operands.size(); ++p)
        REQUIRE(readsAtEach(m, p, sizes) == readsAtEach(two, p, sizes));
      ++splits;
    }
  }
  CHECK(splits > 60);
}

TEST_CASE("what has no cause or no split says so") {
  const hlo::Module m = parsed(kLoopSoftmax);
  CHECK_FALSE(hlo::whyOf(m, {m.entry, 0}).ok());  // a parameter
  const int body = m.byName.at("soft");
  CHECK_FALSE(hlo::splitAt(m, resultOf(m), {body, 5}).ok());     // the root
  CHECK_FALSE(hlo::splitAt(m, resultOf(m), {body, 0}).ok());     // a parameter
  CHECK_FALSE(hlo::splitAt(m, resultOf(m), {m.entry, 0}).ok());  // not inside
  CHECK_FALSE(hlo::splitAt(m, resultOf(m), {body, 99}).ok());
}

// Found by tests/fuzz: what is printed of such a module has other instructions at the same places.
TEST_CASE("a fusion in a module with lines that cannot be read is not split") {
  const hlo::Module m = hlo::readModule(R"(HloModule m

%sum (a: f32[], b: f32[]) -> f32[]
  {
  "sizes":[] %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

%window (p0: f32[2,7,6,4], p1: f32[]) -> f32[2,6,3,4] {
  %p0 = f32[2,7,6,4]{3,2,1,0} parameter(0)
  %p1 = f32[] parameter(1)
  ROOT %w = f32[2,6,3,4]{3,2,1,0} reduce-window(%p0, %p1), window={size=1x2x3x1 stride=1x1x2x1 pad=0_0x0_1x1_1x0_0 rhs_dilate=1x2x1x1}, to_apply=%sum
}

ENTRY %
  }main (x: f32[2,7,6,4]) -> f32[2,6,3,4] {
  %x = f32[2,7,6,4]{3,2,1,0} parameter(0)
  %z = f32[] consta(d0)[s0] -> (d0 mod s0)nt(0)
  ROOT %f = f32[2,6,3,4]{3,2,1,0} fusion(%x, %z), kind=kLoop, calls=%window
}
)");
  CHECK_FALSE(m.problems.empty());
  const auto kernels = hlo::rankingOf(m).kernels;
  REQUIRE(kernels.size() == 1);
  const auto why = hlo::whyOf(m, kernels[0].where);
  REQUIRE(why.ok());
  for (const hlo::OperandWhy& operand : why->operands) CHECK_FALSE(operand.split);
  for (int k = -1; k < 4; ++k) CHECK_FALSE(hlo::splitAt(m, kernels[0].where, {kernels[0].where.computation, k}).ok());
}
