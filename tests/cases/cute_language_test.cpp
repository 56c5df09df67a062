// CuTe's algebra as worksheet lines: composed operands, and counterexamples in the layout's own hierarchy.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/notation/cute/layout.h"
#include "laws/generate.h"
#include "support/ask.h"

using namespace tessera;

namespace {

Outcome outcomeOf(const std::string& line) {
  Scope scope;
  const auto statements = splitStatements(line);
  REQUIRE(statements.size() == 1);
  return runStatement(statements[0], scope);
}

std::string valueOf(const std::string& line) {
  const Outcome outcome = outcomeOf(line);
  if (outcome.diag) return "error: " + outcome.diag->message;
  return outcome.value ? print(*outcome.value) : "no value";
}

std::string counterexampleOf(const std::string& claim) {
  const Outcome outcome = outcomeOf("prove " + claim);
  INFO(claim << (outcome.diag ? ": " + outcome.diag->message : ""));
  REQUIRE(outcome.verdict.has_value());
  if (!outcome.verdict->counterexample) return std::string("none: ") + name(outcome.verdict->truth);
  return outcome.verdict->counterexample->text;
}

}  // namespace

TEST_CASE("composed layouts as operands of the algebra") {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"tiled_divide(Sw<1,0,1> o 0 o (4,4):(4,1), 2:1)", "Sw<1,0,1> o 0 o (2,2,4):(4,8,1)"},
      {"flat_divide(Sw<1,0,1> o 0 o (4,4):(4,1), 2:1)", "Sw<1,0,1> o 0 o (2,2,4):(4,8,1)"},
      {"right_inverse(Sw<1,0,1> o 0 o 5:1)", "Sw<1,0,1> o 0 o 5:1"},
      {"left_inverse(Sw<1,0,1> o 0 o 5:1)", "Sw<1,0,1> o 0 o 5:1"},
      {"left_inverse(Sw<1,0,1> o 0 o 4:2)", "(2,4):(0,1)"},
      {"coalesce(Sw<1,0,1> o 0 o (2,2):(1,2))", "Sw<1,0,1> o 0 o 4:1"},
      {"coalesce(Sw<1,0,1> o 0 o ((2,2),4):((1,2),4), (1,1))", "Sw<1,0,1> o 0 o (4,4):(1,4)"},
      {"flatten(Sw<1,0,1> o 0 o ((2,2),4):((1,2),4))", "Sw<1,0,1> o 0 o (2,2,4):(1,2,4)"},
      {"group(Sw<1,0,1> o 0 o (2,2,2):(1,2,4), 0, 2)", "Sw<1,0,1> o 0 o ((2,2),2):((1,2),4)"},
      {"select(Sw<1,0,1> o 0 o (2,2,2):(1,2,4), 0, 2)", "Sw<1,0,1> o 0 o (2,2):(1,4)"},
      {"take(Sw<1,0,1> o 0 o (2,2,2):(1,2,4), 0, 2)", "Sw<1,0,1> o 0 o (2,2):(1,2)"},
      {"logical_product(Sw<1,0,1> o 0 o (4,4):(4,1), 2:1)", "Sw<1,0,1> o 0 o ((4,4),2):((4,1),16)"},
      {"flat_product(Sw<1,0,1> o 0 o (4,4):(4,1), 2:1)", "Sw<1,0,1> o 0 o (4,4,2):(4,1,16)"},
      {"blocked_product(Sw<1,0,1> o 0 o (4,4):(4,1), 2:1)", "Sw<1,0,1> o 0 o ((4,2),(4,1)):((4,16),(1,0))"},
      {"raked_product(Sw<1,0,1> o 0 o (4,4):(4,1), 2:1)", "Sw<1,0,1> o 0 o ((2,4),(1,4)):((16,4),(0,1))"},
      {"logical_product(4:1, Sw<1,0,1> o 0 o 4:1)", "Sw<1,2,1> o 0 o (4,4):(1,4)"},
      {"composition(8:2, Sw<1,0,1> o 0 o 4:1)", "Sw<1,1,1> o 0 o 4:2"},
      {"8:2 o (Sw<1,0,1> o 0 o 4:1)", "Sw<1,1,1> o 0 o 4:2"},
      {"composition(Sw<1,0,1> o 0 o 4:1, Sw<1,0,1> o 0 o 4:1)", "4:1"},
      {"composition(4:1, Sw<1,0,1>)", "Sw<1,0,1> o 0 o 4:1"},
      {"max_common_vector(Sw<3,3,3> o 4 o 128:1, 128:1)", "4"},
      {"max_common_vector(2:1, 4:1)", "2"},
      {"zipped_divide((4,4):(4,1), <_,2>)", "((4,2),(1,2)):((4,1),(0,2))"},
      {"complement(2:1, 9223372036854775807)", "4611686018427387904:2"},
  };
  for (const auto& [line, want] : lines) {
    INFO(line);
    CHECK(valueOf(line) == want);
  }
}

TEST_CASE("a swizzle that permutes its offsets is onto them") {
  CHECK(counterexampleOf("bijective(Sw<1,0,1> o 0 o 5:1)") == "none: proved");
  CHECK(counterexampleOf("surjective(Sw<1,0,1> o 0 o 5:1)") == "none: proved");
  CHECK(counterexampleOf("surjective(Sw<1,0,1> o 0 o 7:1)") == "no coordinate gives 6");  // 6 goes to 7
}

TEST_CASE("counterexamples keep the hierarchy") {
  CHECK(counterexampleOf("injective(((2,2),2):((1,1),2))") == "((1,0),0) and ((0,1),0) both give 1");
  CHECK(counterexampleOf("injective(((2,(2,2)),2):((1,(2,1)),5))") == "((1,(0,0)),0) and ((0,(0,1)),0) both give 1");
  CHECK(counterexampleOf("injective((4,2):(1,2))") == "(2,0) and (0,1) both give 2");
  CHECK(counterexampleOf("injective(Sw<1,0,1> o 0 o ((2,2),2):((1,1),2))") == "((1,0),0) and ((0,1),0) both give 1");
  CHECK(counterexampleOf("equal(((2,2),2):((1,2),4), ((2,2),2):((1,3),4))") ==
        "at ((0,1),0) the first gives 2 and the second 3");
  CHECK(counterexampleOf("equal(8:1, ((2,2),2):((1,3),4))") ==
        "at 2, which is ((0,1),0) of the second, the first gives 2 and the second 3");
  CHECK(counterexampleOf("equal(((2,2),2):((1,2),4), ((2,2),4):((1,2),4))") ==
        "the first has 8 coordinates and the second 16: ((0,0),2) of the second is outside the other");
  CHECK(counterexampleOf("roundtrip(((2,2),2):((1,1),2))") ==
        "((1,0),0) and ((0,1),0) both give 1, so the map is not invertible at 1");
}

TEST_CASE("a counterexample's coordinates can be typed") {
  std::mt19937_64 random(23);
  int typed = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const auto n = [&] { return laws::pick(random, 1, 3); };
    const auto d = [&] { return laws::pick(random, 0, 6); };
    const std::string layout = fmt::format("(({},({},{})),({},{}),{}):(({},({},{})),({},{}),{})", n(), n(), n(), n(),
                                           n(), n(), d(), d(), d(), d(), d(), d());
    const std::string text = counterexampleOf(fmt::format("injective({})", layout));
    const std::size_t both = text.find(" both give "), middle = text.find(" and ");
    if (both == std::string::npos) continue;
    ++typed;
    const std::string x = text.substr(0, middle), y = text.substr(middle + 5, both - middle - 5);
    INFO(layout << ": " << text);
    const auto at = [&](const std::string& c) { return valueOf(fmt::format("({})({})", layout, c)); };
    CHECK(at(x) == text.substr(both + 11));
    CHECK(at(y) == text.substr(both + 11));
    CHECK(x != y);
  }
  CHECK(typed > 200);
}
