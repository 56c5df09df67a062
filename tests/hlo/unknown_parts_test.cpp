// If the reads of an operation are unknown, all its dependencies are unknown, including those that reach it in a tuple
// of which a later user takes one element. "Reads nothing" is reported only if it is certain.
#include <catch2/catch.hpp>

#include "core/hlo/compose/fusion.h"
#include "hlo/support_cases.h"

using namespace tessera;
using namespace tessera::testing;
using hlo::Soundness;

namespace {

const std::string kTwo = "p0 = f32[4] parameter(0)\n p1 = f32[4] parameter(1)\n ";
const std::string kCalled =
    "cond {\n cc = (s32[], f32[4], f32[4]) parameter(0)\n ROOT cl = pred[] constant(false)\n}\n"
    "body {\n ROOT bb = (s32[], f32[4], f32[4]) parameter(0)\n}\n"
    "first {\n fp = (f32[4], f32[4]) parameter(0)\n ROOT fg = f32[4] get-tuple-element(fp), index=0\n}\n"
    "second {\n sp = (f32[4], f32[4]) parameter(0)\n ROOT sg = f32[4] get-tuple-element(sp), index=1\n}\n";

// Each is a computation of two parameters whose result may depend on both.
const std::vector<std::string> kBodies = {
    "t = (f32[4], f32[4]) tuple(p0, p1)\n ROOT r = f32[4] custom-call(t), custom_call_target=\"x\"",
    "t = (f32[4], f32[4]) tuple(p0, p1)\n c = f32[4] custom-call(t), custom_call_target=\"x\"\n o = (f32[4], f32[4]) "
    "tuple(p0, c)\n ROOT r = f32[4] call(o), to_apply=second",
};

// The same, but known: through tuples in tuples, and into a computation that takes a tuple.
const std::vector<std::string> kKnown = {
    "z = s32[] constant(0)\n t = (s32[], f32[4], f32[4]) tuple(z, p0, p1)\n w = (s32[], f32[4], f32[4]) while(t), "
    "condition=cond, body=body\n ROOT r = f32[4] get-tuple-element(w), index=2",
    "t = (f32[4], f32[4]) tuple(p0, p1)\n ROOT r = f32[4] call(t), to_apply=second",
    "t = (f32[4], f32[4]) tuple(p0, p1)\n o = (f32[4], (f32[4], f32[4])) tuple(p0, t)\n g = (f32[4], f32[4]) "
    "get-tuple-element(o), index=1\n ROOT r = f32[4] get-tuple-element(g), index=1",
    "t = (f32[4], f32[4]) tuple(p0, p1)\n o = (f32[4], (f32[4], f32[4])) tuple(p0, t)\n b = (f32[4], (f32[4], f32[4])) "
    "opt-barrier(o)\n g = (f32[4], f32[4]) get-tuple-element(b), index=1\n ROOT r = f32[4] get-tuple-element(g), "
    "index=1",
    "t = (f32[4], f32[4]) tuple(p0, p1)\n s = (((f32[4], f32[4])), f32[4], u32[]) async-start(t), calls=second\n u = "
    "(((f32[4], f32[4])), f32[4], u32[]) async-update(s)\n ROOT r = f32[4] async-done(u)",
    "t = (f32[4], f32[4]) tuple(p0, p1)\n y = pred[] constant(true)\n ROOT r = f32[4] conditional(y, t, t), "
    "true_computation=second, false_computation=first",
};

}  // namespace

TEST_CASE("what reaches an operation without a rule in a tuple is unknown, never nothing") {
  for (const std::string& body : kBodies) {
    INFO(body);
    const hlo::Module m = hlo::readModule("HloModule m\n" + kCalled + "f {\n " + kTwo + body +
                                          "\n}\nENTRY e {\n a = f32[4] parameter(0)\n b = f32[4] parameter(1)\n ROOT c "
                                          "= f32[4] call(a, b), to_apply=f\n}\n");
    for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
    const auto reads = hlo::readsThrough(m, {m.entry, 2}, 0);
    if (!reads) FAIL(reads.error().message);
    REQUIRE(reads->size() == 2);
    // The last operand is what the result really depends on, in all of them.
    CHECK(reads->at(1).soundness == Soundness::Unknown);
    CHECK_FALSE(reads->at(1).why.empty());
    const auto uses = hlo::usesThrough(m, {m.entry, 2}, 1);
    if (!uses) FAIL(uses.error().message);
    CHECK(uses->at(0).soundness == Soundness::Unknown);
    const auto whole = hlo::usesOfParameter(m, m.entry, 1);
    if (!whole) FAIL(whole.error().message);
    CHECK(whole->at(0).soundness == Soundness::Unknown);
  }
}

TEST_CASE("elements of tuples in tuples, of calls and of branches are followed") {
  for (const std::string& body : kKnown) {
    INFO(body);
    const hlo::Module m = hlo::readModule("HloModule m\n" + kCalled + "f {\n " + kTwo + body +
                                          "\n}\nENTRY e {\n a = f32[4] parameter(0)\n b = f32[4] parameter(1)\n ROOT c "
                                          "= f32[4] call(a, b), to_apply=f\n}\n");
    for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
    const auto reads = hlo::readsThrough(m, {m.entry, 2}, 0);
    if (!reads) FAIL(reads.error().message);
    REQUIRE(reads->size() == 2);
    CHECK(reads->at(0).maps.empty());
    for (std::size_t k = 0; k < 2; ++k) {
      const auto uses = hlo::usesThrough(m, {m.entry, 2}, static_cast<int>(k));
      if (!uses) FAIL(uses.error().message);
      for (const hlo::Reach* r : {&reads->at(k), &uses->at(0)}) {
        CHECK(r->soundness == Soundness::Exact);
        CHECK(r->maps.size() == k);
      }
    }
  }
}

// A barrier of tuples in tuples and of tokens hands on its arrays all the same.
TEST_CASE("a barrier's arrays are handed on beside what is none") {
  const hlo::Module m = hlo::readModule(
      entryOf(kTwo + "t = (f32[4], f32[4]) tuple(p0, p1)\n k = token[] after-all()\n o = (f32[4], (f32[4], f32[4]), "
                     "token[]) tuple(p0, t, k)\n b = (f32[4], (f32[4], f32[4]), token[]) opt-barrier(o)\n ROOT r = "
                     "f32[4] get-tuple-element(b), index=0"));
  for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
  const auto reached = hlo::reachedIn(m, m.entry, 0);
  if (!reached) FAIL(reached.error().message);
  for (const hlo::Reached& r : *reached) {
    CHECK(r.soundness == Soundness::Exact);
    CHECK(r.instruction != 1);
  }
  const auto uses = hlo::usesOfParameter(m, m.entry, 0);
  if (!uses) FAIL(uses.error().message);
  CHECK(uses->at(0).soundness == Soundness::Exact);
  CHECK(uses->at(0).maps.size() == 1);
}

// x[t[i] : ..] of x[i : ..]: the start depends on i, which may be none of the map's numbers, or another one of
// them.
TEST_CASE("a number of the run whose place hangs on another one is not said to hang on itself") {
  const hlo::Module m = hlo::readModule(entryOf(
      "x = f32[6,5] parameter(0)\n t = s32[4] parameter(1)\n i = s32[3,1] parameter(2)\n g = s32[3] gather(t, i), "
      "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n j = "
      "s32[2,1] "
      "parameter(3)\n h = s32[2] gather(g, j), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1}\n ROOT r = s32[2] negate(h)"));
  for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
  const auto reached = hlo::reachedIn(m, m.entry, 0);
  if (!reached) FAIL(reached.error().message);
  int hanging = 0;
  for (const hlo::Reached& r : *reached)
    for (const hlo::ReachedMap& map : r.maps)
      for (const hlo::RuntimeValue& v : map.runtime)
        for (const Param& p : v.index.params()) {
          CHECK(p.name == "run0");
          ++hanging;
        }
  CHECK(hanging > 0);
}
