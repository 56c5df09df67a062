// Claims as users write them: CuTe layouts lowered to maps, then proved.
#include "core/notation/cute/notation.h"

#include "core/map/compose.h"
#include "core/notation/cute/text/text.h"
#include "prove/maps.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

Map lowered(const std::string& text) {
  if (auto layout = cute::parseLayout(text)) return made(toMap(*layout));
  auto composed = cute::parseComposedLayout(text);
  INFO(text);
  if (!composed) FAIL(composed.error().message);
  return made(toMap(*composed));
}

}  // namespace

TEST_CASE("layouts as typed: verdict and method") {
  struct Row {
    const char* layout;
    Truth injective;
    Truth bijective;
  };
  const std::vector<Row> rows = {
      {"(4,8):(8,1)", Truth::Proved, Truth::Proved},
      {"((2,2),(2,4)):((1,4),(2,8))", Truth::Proved, Truth::Proved},
      {"(4,2):(1,2)", Truth::Refuted, Truth::Refuted},
      {"(3,2):(2,3)", Truth::Proved, Truth::Refuted},  // 1 is not hit
      {"(4,8):(0,1)", Truth::Refuted, Truth::Refuted},
      {"Sw<3,3,3> o (64,64):(64,1)", Truth::Proved, Truth::Proved},
      {"Sw<2,4,3> o (16,32):(32,1)", Truth::Proved, Truth::Proved},
      {"Sw<3,4,3> o (100,72):(72,1)", Truth::Proved, Truth::Proved},   // its last 32 places stay where they are
      {"Sw<3,4,3> o (100,80):(80,1)", Truth::Proved, Truth::Refuted},  // half of the last row of 128 leaves
      {"Sw<3,3,3> o (1048576,1048576):(1048576,1)", Truth::Proved, Truth::Proved},
      {"Sw<3,4,-3> o (64,64):(1,64)", Truth::Proved, Truth::Proved},
  };
  for (const Row& row : rows) {
    const Map m = lowered(row.layout);
    const Verdict one = ask(ClaimKind::Injective, {m}), both = ask(ClaimKind::Bijective, {m});
    INFO(row.layout << " " << print(m));
    INFO(one.method << ": " << one.detail << "; " << both.method << ": " << both.detail);
    CHECK(one.truth == row.injective);
    CHECK(both.truth == row.bijective);
  }
}

TEST_CASE("an equal swizzle over two ways to write one layout") {
  const Verdict v =
      ask(ClaimKind::Equal, {lowered("Sw<3,3,3> o ((8,8),64):((64,512),1)"), lowered("Sw<3,3,3> o (64,64):(64,1)")});
  CHECK(v.truth == Truth::Proved);
  const Verdict not_ = ask(ClaimKind::Equal, {lowered("Sw<3,3,3> o (64,64):(64,1)"), lowered("(64,64):(64,1)")});
  REQUIRE(not_.truth == Truth::Refuted);
  CHECK(not_.counterexample->text == "at (1,0) the first gives 72 and the second 64");
}

TEST_CASE("composition at sizes nobody enumerates") {
  // (2^20,2^20):(2^20,1) after a transpose is column-major.
  const Map rowMajor = lowered("(1048576,1048576):(1048576,1)");
  const Map columnMajor = lowered("(1048576,1048576):(1,1048576)");
  const Map flat = lowered("1099511627776:1");
  CHECK(ask(ClaimKind::Equal, {columnMajor, flat}).truth == Truth::Proved);
  const Verdict v = ask(ClaimKind::Equal, {rowMajor, flat});
  REQUIRE(v.truth == Truth::Refuted);
  CHECK_THAT(v.counterexample->text, Catch::StartsWith("at (1,0), which is 1 of the second"));
}
