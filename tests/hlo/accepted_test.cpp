// Every text that XLA's own parser accepts is parsed with the meaning that XLA prints. All that XLA infers is inferred
// (tests/cases/hlo_accepted.jsonl, from jaxlib).
#include <catch2/catch.hpp>

#include "core/hlo/compose/fusion.h"
#include "core/hlo/text/module.h"
#include "hlo/cases.h"
#include "hlo/outline.h"

using namespace tessera;
using namespace tessera::testing;
using nlohmann::json;

TEST_CASE("a shape that is left out is the one that XLA infers") {
  int inferred = 0, refused = 0;
  for (const json& c : casesOf("result_shape", "hlo_accepted.jsonl")) {
    INFO(c["id"] << "\n" << c["hlo"].get<std::string>());
    const hlo::Module m = hlo::readModule(c["hlo"].get<std::string>());
    if (c["shape"].is_null()) {
      REQUIRE(m.problems.size() == 1);
      CHECK(m.problems[0].instruction == "out");
      CHECK(!m.problems[0].diag.expected.empty());
      ++refused;
      continue;
    }
    for (const hlo::Problem& p : m.problems) FAIL_CHECK(hlo::textOf(p));
    const hlo::Computation& e = m.computations.at(static_cast<std::size_t>(m.entry));
    REQUIRE(e.root >= 0);
    REQUIRE(e.instructions[static_cast<std::size_t>(e.root)].name == "out");
    CHECK(xla::print(m.shapeOf(e.instructions[static_cast<std::size_t>(e.root)])) == c["shape"].get<std::string>());
    ++inferred;
  }
  CHECK(inferred > 80);
  CHECK(refused > 20);
}

TEST_CASE("texts that XLA accepts are read as it prints them") {
  int compared = 0;
  for (const json& c : casesOf("accepted", "hlo_accepted.jsonl")) {
    INFO(c["id"] << "\n" << c["hlo"].get<std::string>());
    const hlo::Module m = hlo::readModule(c["hlo"].get<std::string>());
    for (const hlo::Problem& p : m.problems) FAIL_CHECK(hlo::textOf(p));
    CHECK(outline(m) == outline(hlo::readModule(c["printed"].get<std::string>())));
    ++compared;
  }
  CHECK(compared > 30);
}

TEST_CASE("an instruction without its shape means what it does with it") {
  const std::string head = "HloModule m\nENTRY e {\n p0 = f32[8] parameter(0)\n p1 = f32[8] parameter(1)\n ROOT out = ";
  CHECK(outline(hlo::readModule(head + "add(p0, p1)\n}\n")) ==
        outline(hlo::readModule(head + "f32[8] add(p0, p1)\n}\n")));
  CHECK(hlo::readModule(head + "add(p0, p2)\n}\n").problems.at(0).diag.message ==
        "the shape of out is left out, and p2 does not come before it");
}

TEST_CASE("a lost instruction is one message, and says how many need it") {
  const auto messages = [](const std::string& lines) {
    std::string out;
    const hlo::Module m = hlo::readModule("HloModule m\nENTRY e {\n p = f32[8] parameter(0)\n" + lines + "}\n");
    for (const hlo::Problem& p : m.problems) out += hlo::textOf(p) + "\n";
    for (std::size_t i = 0; i < m.computations.at(0).instructions.size(); ++i)
      CHECK(hlo::readsOf(m, {0, static_cast<int>(i)}).ok());  // no second complaint where it is needed
    return out;
  };
  CHECK(messages(" a = f32[8] add(p, lost)\n b = f32[8] add(lost, lost)\n ROOT r = f32[8] add(b, lost)\n") ==
        "line 4: %a: there is no lost in e; expected: an instruction of the same computation; 2 more instructions name "
        "it\n");
  CHECK(messages(" a = f32[8 add(p, p)\n b = add(a, a)\n c = add(b, a)\n ROOT r = f32[8] add(b, c)\n") ==
        "line 4: %a: there is no shape after the `=`; expected: a shape: f32[8,4]{1,0}, (f32[], s32[]); 3 instructions "
        "need it\n");
}

TEST_CASE("a computation whose root is lost has none, and its callers are not known") {
  const hlo::Module m = hlo::readModule(
      "HloModule m\nf {\n p = f32[8] parameter(0)\n n = f32[8] negate(p)\n ROOT r = f32[8] exp(\n}\n"
      "ENTRY e {\n p = f32[8] parameter(0)\n ROOT r = f32[8] fusion(p), kind=kLoop, calls=f\n}\n");
  CHECK(m.problems.size() == 1);
  CHECK(m.computations.at(0).root == -1);
  const auto reads = hlo::readsThrough(m, {1, 1});
  REQUIRE(reads.ok());
  CHECK(reads->at(0).soundness == hlo::Soundness::Unknown);
  CHECK(reads->at(0).why == "a line of f could not be read");
  const auto uses = hlo::usesThrough(m, {1, 1}, 0);
  REQUIRE(uses.ok());
  CHECK(uses->at(0).soundness == hlo::Soundness::Unknown);
}
