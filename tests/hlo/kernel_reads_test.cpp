// What a kernel reads for all of its outputs, and which instructions its plan may look at.
#include "core/hlo/cost/kernel_reads.h"

#include <catch2/catch.hpp>

#include "core/hlo/compose/fusion.h"
#include "core/hlo/cost/waste.h"
#include "hlo/random_module.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

hlo::Module readWhole(const std::string& text) {
  hlo::Module m = hlo::readModule(text);
  INFO(text);
  REQUIRE(m.problems.empty());
  return m;
}

hlo::Where named(const hlo::Module& m, std::string_view name) {
  const hlo::Computation& entry = m.computation(m.entry);
  for (std::size_t k = 0; k < entry.instructions.size(); ++k)
    if (entry.instructions[k].name == name) return {m.entry, static_cast<int>(k)};
  FAIL("no instruction " << name);
  return {};
}

hlo::KernelWaste fused(const std::string& body, const std::string& shape) {
  const hlo::Module m = readWhole(
      "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\nf {\n x = f32[256,512] "
      "parameter(0)\n y = f32[256,512] parameter(1)\n z = f32[] constant(0)\n" +
      body + "}\nENTRY e {\n x = f32[256,512] parameter(0)\n y = f32[256,512] parameter(1)\n ROOT r = " + shape +
      " fusion(x, y), kind=kLoop, calls=f\n}\n");
  const auto waste = hlo::wasteOf(m, named(m, "r"));
  REQUIRE(waste);
  return *waste;
}

constexpr i64 kArray = 256 * 512 * 4;

}  // namespace

TEST_CASE("outputs of one loop load an operand once") {
  const auto k = fused(
      " a = f32[256,512] negate(x)\n b = f32[256,512] add(x, y)\n ROOT t = (f32[256,512], f32[256,512]) tuple(a, b)\n",
      "(f32[256,512], f32[256,512])");
  CHECK(k.plan == "a loop over the output");
  REQUIRE(k.operands.size() == 2);
  CHECK(k.operands[0].asked == kArray);
  CHECK(k.operands[1].asked == kArray);  // needed by the second output only
  CHECK(k.needed() == 2 * kArray);
}

TEST_CASE("a reduction's threads write the outputs of the shape that it runs over") {
  const std::string body =
      " e = f32[256,512] exponential(x)\n s = f32[256] reduce(e, z), dimensions={1}, to_apply=sum\n";
  const auto k = fused(body + " ROOT t = (f32[256], f32[256,512]) tuple(s, e)\n", "(f32[256], f32[256,512])");
  CHECK(k.plan == "a row reduction");
  REQUIRE(k.operands.size() >= 1);
  CHECK(k.operands[0].needed == kArray);
  CHECK(k.operands[0].asked == kArray);
  const auto other = fused(body + " ROOT t = (f32[256,512], f32[256]) tuple(e, s)\n", "(f32[256,512], f32[256])");
  CHECK(other.asked() == k.asked());
}

TEST_CASE("outputs that read an operand in two ways load it twice") {
  const auto k = fused(
      " a = f32[256,512] negate(x)\n b = f32[256,512] reverse(x), dimensions={1}\n ROOT t = (f32[256,512], "
      "f32[256,512]) tuple(a, b)\n",
      "(f32[256,512], f32[256,512])");
  CHECK(k.operands.at(0).needed == kArray);
  CHECK(k.operands.at(0).asked == 2 * kArray);
}

TEST_CASE("an instruction of its own is no part of another's kernel") {
  const hlo::Module m = readWhole(R"(sum {
 a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b)
}
ENTRY e {
  a = f32[300,64] parameter(0)
  b = f32[64,500] parameter(1)
  z = f32[] constant(0)
  d = f32[300,500] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  n = f32[300,500] multiply(d, d)
  s = f32[300] reduce(n, z), dimensions={1}, to_apply=sum
  t = f32[300] tanh(s)
  o = f32[300] broadcast(z), dimensions={}
  ROOT r = f32[300] add(t, o)
}
)");
  CHECK(hlo::wasteOf(m, named(m, "d"))->plan == "a product, tiles of 128x128");
  CHECK(hlo::wasteOf(m, named(m, "s"))->plan == "a row reduction");
  for (const char* name : {"n", "t", "r"}) {
    const auto k = hlo::wasteOf(m, named(m, name));
    REQUIRE(k);
    INFO(name << ": " << hlo::textOf(*k));
    CHECK(k->plan == "a loop over the output");
    for (const hlo::OperandWaste& w : k->operands) {
      CHECK(w.warps.verdict == hlo::WarpVerdict::Coalesced);
      CHECK(w.asked.value_or(-1) >= w.needed.value_or(0));
    }
  }
  CHECK(hlo::textOf(*hlo::wasteOf(m, named(m, "o"))) == "reads nothing from memory");
}

TEST_CASE("a cumulative sum reads its operand once, another window does not") {
  const auto windowed = [](const std::string& window) {
    const hlo::Module m = readWhole(
        "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\nENTRY e {\n x = "
        "f32[8192,8] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[8192,8] reduce-window(x, z), window={" +
        window + "}, to_apply=sum\n}\n");
    return *hlo::wasteOf(m, named(m, "r"));
  };
  for (const char* window : {"size=8192x1 pad=8191_0x0_0", "size=8192x1 pad=0_8191x0_0"}) {
    const auto k = windowed(window);
    CHECK(k.plan == "a scan, its operand read once");
    CHECK(k.asked() == 8192 * 8 * 4);
    CHECK(k.operands.at(0).usage.distinct == 8192 * 8);
    CHECK(k.operands.at(0).usage.reads == i64{8} * 8192 * 8193 / 2);
  }
  CHECK(windowed("size=3x1 pad=1_1x0_0").plan == "a loop over the output");
}

TEST_CASE("every kernel of a module of single instructions is planned") {
  for (u64 seed = 1; seed <= 120; ++seed) {
    const hlo::Module m = readWhole(RandomComputation(seed).text(8, false));
    for (const hlo::KernelWaste& k : hlo::rankingOf(m).kernels) {
      INFO("seed " << seed << ", " << m.at(k.where).name);
      for (const hlo::OperandWaste& w : k.operands)
        CHECK(w.warps.why.find("computations of this module") == std::string::npos);
      const auto reads = hlo::readsOfKernel(m, k.where);
      const auto plan = hlo::planOf(m, k.where);
      REQUIRE(reads);
      REQUIRE(plan);
      CHECK(reads->plan == plan->name);
      const auto alone = hlo::readsOfPlan(m, k.where, 0, *plan);
      const auto through = hlo::readsThrough(m, k.where, 0);
      REQUIRE(alone);
      REQUIRE(through);
      REQUIRE(reads->reads.size() == through->size());
      REQUIRE(reads->planned.size() == alone->size());
      for (std::size_t o = 0; o < alone->size(); ++o) {
        CHECK(reads->reads[o].maps == (*through)[o].maps);
        CHECK(reads->planned[o].elements == (*alone)[o].elements);
      }
    }
  }
}
