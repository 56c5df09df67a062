// roundtrip(L) of every kind of value, as a worksheet line: an inverse exists exactly if no place has two elements.
#include <catch2/catch.hpp>

#include "core/notation/cute/layout.h"
#include "laws/generate.h"
#include "support/ask.h"

using namespace tessera;

namespace {

struct Line {
  std::string claim;
  Truth truth;
  std::string says;  // a piece of the verdict
};

Verdict verdictOf(const std::string& line) {
  Scope scope;
  const auto statements = splitStatements(line);
  REQUIRE(statements.size() == 1);
  const Outcome outcome = runStatement(statements[0], scope);
  INFO(line << (outcome.diag ? ": " + outcome.diag->message : ""));
  REQUIRE(outcome.verdict.has_value());
  return *outcome.verdict;
}

}  // namespace

TEST_CASE("roundtrip of one layout, notation by notation") {
  const std::vector<Line> lines = {
      {"roundtrip((6,8):(8,1))", Truth::Proved, "i0 = offset floordiv 8, i1 = offset mod 8"},
      {"roundtrip(1:1)", Truth::Proved, "backward by strides"},
      {"roundtrip(Sw<3,3,3> o (64,64):(64,1))", Truth::Proved, "backward by F2"},
      {"roundtrip(Sw<3,3,3> o (64,64):(72,1))", Truth::Proved, "backward by strides under a swizzle"},
      {"roundtrip(Sw<3,3,3> o (1048576,1048576):(1048576,1))", Truth::Proved, "backward by F2"},
      {"roundtrip((4,8):(10,1))", Truth::Proved, "i0 = offset floordiv 10, i1 = offset mod 10"},
      {"roundtrip((4,8):(-8,1))", Truth::Proved, "backward by strides"},
      {"roundtrip((4,4):(1,2))", Truth::Refuted, "(2,0) and (0,1) both give 2, so the map is not invertible at 2"},
      {"roundtrip((4,8):(0,1))", Truth::Refuted, "not invertible at 0"},
      {"roundtrip((128,64):(1@1,1@0))", Truth::Proved, "backward by strides"},
      {"roundtrip(f32[3,5]{1,0:T(2,2)})", Truth::Proved, "backward by strides"},
      {"roundtrip(bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)})", Truth::Proved, "backward by strides"},
      {"roundtrip(zN<2>(32,48))", Truth::Proved, "backward by"},
      {"roundtrip(S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp over (8,16))", Truth::Proved,
       "backward by"},
      {"roundtrip(S[4:1] + R[3:2])", Truth::Refuted, "not invertible"},
      {"roundtrip(S[4:8] + R[3:2] + R[2:2])", Truth::Proved, "backward by"},
      {"roundtrip((d0, d1) -> (d0 mod 8 * 4 + d1 floordiv 2, d0 floordiv 8 * 2 + d1 mod 2), domain: d0 in [0, 15], d1 "
       "in "
       "[0, 7])",
       Truth::Proved, "backward by"},
      {"roundtrip(#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}> "
       "over "
       "(32,16))",
       Truth::Proved, "backward by F2"},
      {"roundtrip(#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}> "
       "over "
       "(16,8))",
       Truth::Refuted, "not invertible"},
  };
  for (const Line& line : lines) {
    const Verdict v = verdictOf("prove " + line.claim);
    const std::string text = v.counterexample ? v.counterexample->text : v.detail;
    INFO(line.claim << ": " << text);
    CHECK(v.truth == line.truth);
    CHECK(text.find(line.says) != std::string::npos);
  }
  CHECK(ask("prove not roundtrip((4,4):(1,2))").truth == Truth::Proved);
  CHECK(ask("prove roundtrip((4,8):(8,1), (8,4):(4,1))").ok);  // the way back as given
}

TEST_CASE("roundtrip agrees with injective on every small CuTe layout, and always answers") {
  int layouts = 0;
  laws::forEachLayout(2, {1, 2, 3, 4}, {0, 1, 2, 3, 4, 6}, [&](const cute::Layout& l) {
    const Answer there = ask("prove roundtrip(" + print(l) + ")"), one = ask("prove injective(" + print(l) + ")");
    INFO(print(l) << ": " << there.text);
    REQUIRE(there.truth == one.truth);
    REQUIRE(there.truth != Truth::Unknown);
    ++layouts;
  });
  CHECK(layouts == 576);
}
