// Bad input gives one clear message with its place, never a crash.
#include <catch2/catch.hpp>

#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/axes.h"
#include "core/notation/axe/eval.h"
#include "core/notation/axe/mesh.h"
#include "tests/support/whole_text.h"

using namespace tessera;

TEST_CASE("the text forms of one layout read alike") {
  const axe::Layout want = *axe::parse("S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp");
  for (const char* text : {
           "( 8 2 4 2 ; 4@lane, 1@warp, 1@lane, 1@reg ) + [ 2 ; 4@warp ] + 5@warp",
           "( 8 2 4 2 ) ( 2 )\n( 4@lane, 1@warp, 1@lane, 1@reg ) + ( 4@warp ) + 5@warp",
           "(    8       2       4      2   ) [   2    ]\n( 4@lane, 1@warp, 1@lane, 1@reg ) + [ 4@warp ] + 5@warp",
           "D: (8, 4@lane) \u00d7 (2, 1@warp) \u00d7 (4, 1@lane) \u00d7 (2, 1@reg) | R: (2, 4@warp) | O: 5@warp",
           "D: (8, 4@lane) x (2, 1@warp) x (4, 1@lane) x (2, 1@reg) | R: (2, 4@warp) | O: 5@warp",
           "Layout(D=((8,2,4,2),(4@lane,1@warp,1@lane,1@reg)), R=((2),(4@warp)), O=5@warp)",
           "5@warp + R[2:4@warp] + S[8,2,4,2 : 4@lane, 1@warp, 1@lane, 1@reg]",
           "S[(8,2,4,2):(4@lane,\"warp\",\"lane\",\"reg\")] + R[2:(4,\"warp\")] + 7@warp - 2@warp",
       }) {
    INFO(text);
    const auto got = axe::parse(text);
    if (!got) FAIL(got.error().message << " at " << got.error().span.begin);
    CHECK(*got == want);
  }
  CHECK(axe::parse("D: (2, 1@gpuid) | R: \u2205 | O: \u2205").ok());
  CHECK(print(*axe::parse("S[8:\"laneid\"]")) == "S[8:1@laneid]");
  CHECK(print(*axe::parse("S[(8,16):(16,1)] over (4,32)")) == "S[(8,16):(16,1)] over (4,32)");
}

TEST_CASE("a wrong text gets its place") {
  struct Row {
    const char* text;
    std::size_t begin;
    const char* part;  // of the message
  };
  for (const Row& row : {
           Row{"S[(8,2):(4@lane)]", 2, "2 extents but 1 strides"},
           Row{"S[0:1]", 2, "extent 0"},
           Row{"S[8:4@]", 6, "axis name"},
           Row{"S[8:1] + S[4:1]", 9, "one shard part"},
           Row{"S[8:1] + ", 9, "not a term"},
           Row{"S[8:1", 5, "missing"},
           Row{"S[8:1] over (3,3)", 0, "9 elements, but the layout has 8"},
           Row{"S[8:1] garbage", 7, "after the end"},
           Row{"S[99999999999999999999:1]", 2, "64 bits"},
           Row{"", 0, "no layout"},
           Row{"R[4:1]", 0, "shard part"},
           Row{"S[4611686018427387904:4]", 0, "62 bits"},
       }) {
    INFO(row.text);
    const auto got = axe::parse(row.text);
    REQUIRE_FALSE(got.ok());
    CHECK(got.error().span.begin == row.begin);
    CHECK(got.error().message.find(row.part) != std::string::npos);
  }
}

TEST_CASE("a refusal names the numbers") {
  const axe::Layout l = *axe::parse("S[(8,16):(16,1)]");
  const auto says = [](const auto& result, const char* part) {
    REQUIRE_FALSE(result.ok());
    INFO(result.error().message);
    CHECK(result.error().message.find(part) != std::string::npos);
  };
  says(l.over({5, 5}), "25 elements, but the layout has 128");
  says(forward(l, {8, 16}, {8, 0}), "8 is not in [0, 8)");
  says(forward(l, {8, 16}, {1}), "1 entries");
  says(tile(l, {8, 16}, l, {128}), "different ranks");
  says(tile(l, {8, 8}, l, {8, 16}), "64 elements, but the layout has 128");
  says(slice(l, {8, 16}, {{0, 9}, {0, 1}}), "[0, 9)");
  says(tileOuterOf(*axe::parse("S[64:1]"), {64}, *axe::parse("S[7:1]"), {7}), "7 does not divide 64");
  says(shard({65}, *wholeText("mesh (2)", axe::parseMeshPrefix), {*axe::parsePlacement("S0")}), "65 elements");
  says(shard({64}, *wholeText("mesh (4)", axe::parseMeshPrefix), {*axe::parsePlacement("Partial")}), "Partial");
  says(scopeOf(*axe::parse("S[(2,8):(2@wgid,4@laneid)]")), "disconnected");
  says(scopeOf(*axe::parse("S[(4,8):(1@tx,1@laneid)]")), "conflicting");
  says(wholeText("mesh (2,2):(1)", axe::parseMeshPrefix), "2 dimensions and 1 strides");
}

TEST_CASE("an axis that looks like a typo is accepted with a note") {
  const auto notes = axe::axisNotes(*axe::parse("S[8:1@lanid] + 1@wrap"));
  REQUIRE(notes.size() >= 1);
  CHECK(notes[0].hint.find("lane") != std::string::npos);
  CHECK(axe::axisNotes(*axe::parse("S[8:1@lane] + 1@g + 2@custom_axis")).empty());
}

TEST_CASE("checks: each one can fail") {
  const auto failing = [](const char* text) {
    std::string ids;
    for (const axe::Check& c : axe::check(*axe::parse(text)))
      if (!c.holds) ids += c.id;
    return ids;
  };
  CHECK(failing("S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp").empty());
  CHECK(failing("S[(2,4):(0,1)]") == "V1V3");
  CHECK(failing("S[4:1] + R[3:2]") == "V3");
  CHECK(failing("S[2:1@g] + R[(3,3):(2,3)]") == "V4");
  CHECK(failing("S[33:1@lane]") == "V5");
  CHECK(failing("S[(2,8):(2@wgid,4@laneid)]") == "V6");
  CHECK(failing("S[4:-1]") == "V7");
}

TEST_CASE("a mesh and its placements") {
  const axe::Mesh mesh = *wholeText("mesh (2,2):(1,2)", axe::parseMeshPrefix);
  const auto place = [](const char* text) { return *axe::parsePlacement(text); };
  const auto s0s1 = shard({64, 128}, mesh, {place("S0"), place("S1")}, axe::ShardPitch::Global);
  CHECK(print(*s0s1) == "S[(2,32,2,64):(1@gpuid,128,2@gpuid,1)]");  // the paper's example
  CHECK(print(*shard({64, 128}, mesh, {place("S0"), place("R")})) == "S[(2,32,128):(1@gpuid,128,1)] + R[2:2@gpuid]");
  const auto found = placementsOf(*s0s1, {64, 128}, mesh);
  REQUIRE(found.ok());
  CHECK(print(*found) == "mesh (2,2):(1,2), S0, S1");
  CHECK(found->pitch == axe::ShardPitch::Global);
  CHECK_FALSE(placementsOf(*axe::parse("S[8192:1]"), {64, 128}, mesh).ok());
  CHECK(print(*meshOf(*s0s1)) == "mesh (2,2):(2,1)");
}

TEST_CASE("placementsOf undoes shard for every small mesh and placement") {
  for (const std::vector<i64>& meshShape : std::vector<std::vector<i64>>{{2}, {2, 2}, {2, 3}, {2, 2, 2}}) {
    const axe::Mesh mesh{meshShape, axe::rowMajorStrides(meshShape)};
    for (int code = 0; code < 27; ++code) {
      std::vector<axe::Placement> placements;
      int rest = code;
      for (std::size_t i = 0; i < meshShape.size(); ++i, rest /= 3)
        placements.push_back(rest % 3 == 2 ? axe::Placement{} : axe::Placement{axe::PlacementKind::Shard, rest % 3});
      const auto made = shard({24, 48}, mesh, placements);
      REQUIRE(made.ok());
      const auto found = placementsOf(*made, {24, 48}, mesh);
      REQUIRE(found.ok());
      // Two mesh dimensions that are split alike may trade places with nothing lost: compare what they shard to.
      CHECK(*axe::equal(*shard({24, 48}, mesh, found->placements, found->pitch), *made));
    }
  }
}
