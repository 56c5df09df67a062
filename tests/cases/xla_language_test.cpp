// XLA arrays as values of the language: in the algebra, in slices, in claims, and the messages for typos.
#include <catch2/catch.hpp>

#include "tests/support/ask.h"

using namespace tessera;

namespace {
std::string said(const std::string& text) { return ask(text).text; }
}  // namespace

TEST_CASE("an array without padding is its CuTe layout in the algebra") {
  CHECK(said("composition(f32[8,8], 4:2)") == "4:16");
  CHECK(said("coalesce(f32[8,8]{0,1})") == "64:1");
  CHECK(said("Sw<2,0,2> o f32[8,8]") == "Sw<2,0,2> o 0 o (8,8):(8,1)");
  CHECK(said("f32[3,5](_,3)") == "(3):(5)");
  CHECK(said("logical_divide(f32[16,256]{1,0:T(8,128)}, <8:1,128:1>)") == "((8,2),(128,2)):((128,2048),(1,1024))");
  CHECK(said("to_cute(bf16[4,8]{1,0:T(2,4)(2,1)})") == "((2,2),(4,2)):((1,16),(2,8))");
  CHECK(said("to_axe(f32[2,3]{0,1})") == "S[(2,3):(1,2)] over (2,3)");
  CHECK(said("contiguous(bf16[16,256]{1,0:T(8,128)(2,1)})") == "(2,1)");
  CHECK(said("coalesce(f32[3,5]{1,0:T(2,2)})") ==
        "a tile of 2 does not divide the 3 of dimension 0 of f32[3,5]{1,0:T(2,2)}");
}

TEST_CASE("claims read the array's element type and know its padding") {
  const auto truth = [](const std::string& claim) { return ask(claim).truth; };
  CHECK(truth("coalesced(bf16[64,256], ld.global.v4)") == Truth::Proved);
  CHECK(truth("vectorizes(bf16[16,256]{1,0:T(8,128)(2,1)}, 4)") == Truth::Proved);
  CHECK(truth("vectorizes(bf16[16,256]{1,0:T(8,128)(2,1)}, 8)") == Truth::Refuted);
  CHECK(truth("conflict_free(f32[32,32], ld.shared)") == Truth::Proved);
  CHECK(truth("bijective(f32[3,5]{1,0:T(2,2)})") == Truth::Refuted);
  CHECK(truth("bijective(physical_map(f32[3,5]{1,0:T(2,2)}))") == Truth::Proved);
  CHECK(truth("roundtrip(f32[3,5]{1,0:T(2,2)}, physical_map(f32[3,5]{1,0:T(2,2)}))") == Truth::Proved);
  CHECK(truth("equal(f32[2,3]{0,1}, S[(2,3):(1,2)] over (2,3))") == Truth::Proved);
}

TEST_CASE("a method that is asked for is the one that decides") {
  for (const auto& [claim, method] : std::vector<std::pair<std::string, std::string>>{
           {"prove vectorizes((64,64):(64,1), 16, fp16) by z3", "Z3"},
           {"prove vectorizes((64,64):(64,1), 16, fp16) by exhaustive", "exhaustive"},
           {"prove aligned((64,64):(64,1), 16, fp16) by z3", "Z3"},
           {"prove vectorizes((64,64):(66,1), 16, fp16) by z3", "Z3"}}) {
    INFO(claim);
    Scope scope;
    const Outcome outcome = runStatement(splitStatements(claim).at(0), scope);
    REQUIRE(outcome.verdict);
    CHECK(outcome.verdict->truth != Truth::Unknown);
    CHECK(outcome.verdict->method.substr(0, method.size()) == method);
  }
}

TEST_CASE("what is missing in a shape is named where it is missing") {
  CHECK(said("f32[2") == "a ']' is missing");
  CHECK(said("f32[2]{0:T(2}") == "a ')' is missing");
  CHECK(said("(f32[2], f32[3") == "`]` is missing after the dimensions");
  CHECK(said("add.1 = f32[2] add(b, c") == "a ')' is missing");
  CHECK(said("F32[2]") == "XLA writes element types in lower case, not F32");
  CHECK(said("f33[2]") == "'f33' is not an element type");
  CHECK(said("f32[2]{0:T(1,)}") == "a tile size is missing here");
  CHECK(said("((), f32[2])") == "((), f32[2]{0})");
  CHECK(said("f32[2] /* the end */") == "f32[2]{0}");
  CHECK(said("and.1 = pred[2] and(ge.1, le.1), control-predecessors={%x}, metadata={a=\"b\"}") ==
        "and.1 = pred[2]{0} and(ge.1, le.1), control-predecessors={%x}, metadata={a=\"b\"}");
}
