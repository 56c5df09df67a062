// HLO modules in a worksheet: blocks, parts by name, maps as values, claims about them.
#include <catch2/catch.hpp>

#include "core/hlo/listing.h"
#include "core/hlo/notation.h"
#include "core/notation/indexing/notation.h"
#include "tests/worksheet/run.h"

using namespace tessera;

namespace {

const std::string kSoft = R"(hlo soft {
HloModule jit_soft
%region (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %max = f32[] maximum(%a, %b), metadata={op_name="a \"{\" brace"}
}
%fused (p.1: f32[20,20]) -> f32[20,20] {
  %p.1 = f32[20,20]{1,0} parameter(0)
  %t = f32[20,20]{1,0} transpose(%p.1), dimensions={1,0}
  ROOT %s = f32[20,20]{1,0} add(%p.1, %t)
}
ENTRY %main (x: f32[20,20]) -> f32[20] {
  %x = f32[20,20]{1,0} parameter(0)
  %fusion.1 = f32[20,20]{1,0} fusion(%x), kind=kLoop, calls=%fused
  %fusion.12 = f32[20,20]{1,0} negate(%fusion.1)
  %zero = f32[] constant(0)
  %pair = (f32[20,20]{1,0}, f32[]) tuple(%fusion.12, %zero)
  %get-tuple-element.1 = f32[20,20]{1,0} get-tuple-element(%pair), index=0
  ROOT %red = f32[20]{0} reduce(%get-tuple-element.1, %zero), dimensions={1}, to_apply=%region
}
}
)";

constexpr std::string_view kSame = "(d0, d1) -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 19]";
constexpr std::string_view kSwapped = "(d0, d1) -> (d1, d0), domain: d0 in [0, 19], d1 in [0, 19]";

}  // namespace

TEST_CASE("a module is a value by its block's name") {
  const auto ran = runAll(kSoft);
  REQUIRE(ran.size() == 1);
  CHECK(ran[0].statement.kind == StatementKind::Block);
  REQUIRE(ran[0].evaluated.value);
  CHECK(ran[0].evaluated.notes.empty());
  CHECK(kindOf(*ran[0].evaluated.value) == "module");
  const auto* listing = as<hlo::Listing>(*ran[0].evaluated.value);
  REQUIRE(listing != nullptr);
  const auto& red = listing->module->computations.at(2).instructions.back();
  CHECK(kSoft.substr(red.span.begin, 9) == "ROOT %red");  // places count in the block's text
  CHECK(last(kSoft + "soft") == "HloModule jit_soft: 3 computations, 13 instructions");
  CHECK(last(kSoft + "soft == soft") == "true");
}

TEST_CASE("parts by name: the longest that the module has, the entry's first") {
  CHECK(last(kSoft + "soft.%t") == "%t = f32[20,20]{1,0} transpose(%p.1), dimensions={1,0}");
  CHECK(last(kSoft + "soft.t") == last(kSoft + "soft.%t"));
  CHECK(last(kSoft + "soft.%fusion.12").starts_with("%fusion.12 = "));
  CHECK(last(kSoft + "soft.%get-tuple-element.1").starts_with("%get-tuple-element.1 = "));
  CHECK(last(kSoft + "soft.%region.%max").starts_with("ROOT %max = "));
  CHECK(last(kSoft + "soft.%fused").starts_with("%fused (p.1"));
  CHECK(last(kSoft + "soft.%t == soft.%t") == "true");
  const Complaint wrong = complaint(kSoft + "soft.%fusio.1");
  CHECK(wrong.diag.message == "soft has no instruction and no computation %fusio.1");
  CHECK(wrong.diag.hint == "did you mean soft.%fusion.1?");
  CHECK(wrong.piece == "soft.%fusio.1");
  CHECK(complaint(kSoft + "soft.%region.%t").diag.message == "soft has no instruction and no computation %region.%t");
}

TEST_CASE("a name that several computations have wants its computation") {
  const std::string twice =
      "hlo two {\n%f (a: f32[4]) -> f32[4] {\n  ROOT %a = f32[4] parameter(0)\n}\n"
      "%g (a: f32[4]) -> f32[4] {\n  %a = f32[4] parameter(0)\n  ROOT %n = f32[4] negate(%a)\n}\n}\n";
  const Complaint wrong = complaint(twice + "two.%a");
  CHECK(wrong.diag.message == "2 computations of two have an instruction %a");
  CHECK(wrong.diag.hint == "two.%f.%a");
  CHECK(last(twice + "two.%g.%a") == "%a = f32[4] parameter(0)");
}

TEST_CASE("what is read is an indexing map into the operand's array") {
  CHECK(last(kSoft + "reads(soft.%t)") == kSwapped);
  CHECK(last(kSoft + "reads(soft, \"t\", 0)") == kSwapped);
  CHECK(last(kSoft + "reads(soft.%red, 0)") == "(d0)[s0] -> (d0, s0), domain: d0 in [0, 19], s0 in [0, 19]");
  CHECK(last(kSoft + "maps(soft.%fusion.1)") == "2");
  CHECK(last(kSoft + "maps(soft, 0)") == "2");  // the entry, through the fusion
  CHECK(last(kSoft + "maps(soft.%fused, 0)") == "2");
  CHECK(last(kSoft + "usage(soft.%red, 0)").starts_with("400 of 400 elements"));
  CHECK(last(kSoft + "shape(soft.%red)") == "f32[20]{0}");
  CHECK(last(kSoft + "operand(soft.%red, 0)") == "f32[20,20]{1,0}");
  CHECK(last(kSoft + "shape(output(soft.%pair, 1))") == "f32[]");
  CHECK(last(kSoft + "uses(soft.%t)") == kSwapped);
  const auto ran = runAll(kSoft + "reads(soft.%red, 0)");
  const auto map = toMap(*ran.back().evaluated.value);
  REQUIRE(map);
  CHECK(map->axes().at(0).extent == 20);
  CHECK(map->axes().at(1).extent == 20);
}

TEST_CASE("both maps of p + transpose(p), in some order") {
  const std::string a = last(kSoft + "reads(soft.%fusion.1, 0, 0)"), b = last(kSoft + "reads(soft.%fusion.1, 0, 1)");
  CHECK(a != b);
  for (const std::string& one : {a, b}) CHECK((one == kSame || one == kSwapped));
}

TEST_CASE("a part with one operand and one map is a layout of its own") {
  CHECK(last(kSoft + "size(soft.%t)") == "400");
  CHECK(last(kSoft + "prove injective(soft.%t)") == "claim injective");
  CHECK(last(kSoft + "prove in_bounds(reads(soft.%red, 0))") == "claim in_bounds");
  CHECK(complaint(kSoft + "prove injective(soft.%red)").diag.message == "%red reads 2 operands");
  CHECK(complaint(kSoft + "prove injective(soft)").diag.message == "a module is not a function of coordinates");
}

TEST_CASE("what is read, by the operand's layout, is addresses") {
  const auto ran = runAll(kSoft + "compose(reads(soft.%t, 0), operand(soft.%t, 0))");
  REQUIRE(ran.back().evaluated.value);
  const auto map = toMap(*ran.back().evaluated.value);
  REQUIRE(map);
  for (i64 i = 0; i < 20; ++i)
    for (i64 j = 0; j < 20; ++j) CHECK(map->at(std::vector<i64>{i, j}) == std::vector<i64>{j * 20 + i});
}

TEST_CASE("tiles through instructions and maps") {
  CHECK(last(kSoft + "tile(soft.%t, (4,5))") ==
        "sizes [5,4], strides [1,1], from (i0, i1) -> (i1 * 5, i0 * 4), domain: "
        "i0 in [0, 4], i1 in [0, 3]");
  CHECK(last(kSoft + "tile_sizes(soft.%t, 0, (4,5))") == "(5,4)");
  CHECK(last(kSoft + "tile_strides(soft.%t, (4,5))") == "(1,1)");
  CHECK(last(kSoft + "tile_offsets(soft.%t, (4,5))(2,1)") == "(5,8)");
  CHECK(last(kSoft + "symbolic_tile(soft.%t)") == "offsets [o1, o0], sizes [s1, s0], strides [t1, t0]");
  CHECK(last(kSoft + "tile_at(soft.%t, (0,3), (2,4))") == "offsets [3,0], sizes [4,2], strides [1,1]");
  CHECK(last(kSoft + "tilings(soft.%t)").substr(0, 24) == "((1,1),(1,2),(1,4),(1,8)");
  const std::string map = "M = (d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]\n";
  CHECK(last(map + "tilings(M)") == "((1),(2),(4),(8),(12))");
  CHECK(last(map + "tile_at(M, (4), (8))") == "offsets [1,0], sizes [2,4], strides [1,1]");
  CHECK(last(map + "tile_at(M, 5, 2)") == "offsets [1,1], sizes [1,2], strides [1,1]");
  CHECK(last(map + "tile(M, 8)").substr(0, 8) == "no tile:");
  CHECK(complaint(map + "tile_sizes(M, 6)").diag.message.substr(0, 40) == "what such a tile reads is not a tile: di");
  CHECK(complaint(map + "tile(M, 0, 6)").diag.message == "argument 2 of tile is an integer");
  CHECK(complaint(map + "tile(M, (6,6))").diag.message == "the tile [6,6] has 2 sizes, the output 1 dimensions");
  CHECK(complaint(map + "tile_at(M, (0,0), 6)").diag.message == "the array has 1 dimension");
  CHECK(complaint(kSoft + "tile(soft.%red, (4))").diag.message == "%red has 2 operands");
  CHECK(complaint(kSoft + "tile(soft.%red, 7, (4))").diag.message == "%red has 2 operands, not number 7");
}

TEST_CASE("calls that ask for what is not there") {
  CHECK(complaint(kSoft + "reads(soft.%fusion.1, 0)").diag.message == "2 maps together give what is read here");
  CHECK(complaint(kSoft + "reads(soft.%fusion.1, 0, 2)").diag.message == "there are 2 maps here");
  CHECK(complaint(kSoft + "reads(soft.%red)").diag.expected == "the number of one: 0 %get-tuple-element.1, 1 %zero");
  CHECK(complaint(kSoft + "reads(soft.%red, 2)").diag.message == "%red has 2 operands, not number 2");
  CHECK(complaint(kSoft + "reads(soft.%x, 0)").diag.message == "%x has 0 operands, not number 0");
  CHECK(complaint(kSoft + "reads(soft.%red, -1)").diag.message == "the number is out of range");
  CHECK(complaint(kSoft + "reads(soft, \"tt\", 0)").diag.message == "soft has no instruction and no computation %tt");
  CHECK(complaint(kSoft + "reads((4,8):(8,1), 0)").diag.message == "argument 1 of reads is a layout");
  CHECK(complaint(kSoft + "output(soft.%pair, 2)").diag.message == "%pair has 2 outputs");
  CHECK(complaint(kSoft + "uses(soft.%fused, 0)").diag.message == "2 maps together give what is read here");
}

TEST_CASE("what is wrong in a module is a remark in its line; all else stands") {
  const std::string text =
      "A = (4,8):(8,1)\nhlo bad {\nENTRY %main (x: f32[4]) -> f32[4] {\n  %x = f32[4] parameter(0)\n"
      "  %n = f32[4] negate(%gone)\n  ROOT %m = f32[4] negate(%x)\n}\n}\nsize(bad.%m)\n";
  const auto ran = runAll(text);
  REQUIRE(ran.size() == 3);
  REQUIRE(ran[1].evaluated.value);
  REQUIRE(ran[1].evaluated.notes.size() == 1);
  const Diag& note = ran[1].evaluated.notes[0];
  CHECK(note.message.find("gone") != std::string::npos);
  CHECK(text.substr(note.span.begin, note.span.end - note.span.begin).find("gone") != std::string::npos);
  CHECK(print(*ran[2].evaluated.value) == "4");
}

TEST_CASE("a shape that contradicts its operands is told by its line") {
  const std::string text =
      "hlo bad {\nENTRY %main (x: f32[4,8]) -> f32[4,8] {\n  %x = f32[4,8] parameter(0)\n"
      "  ROOT %t = f32[4,8] transpose(%x), dimensions={1,0}\n}\n}\n";
  const Complaint wrong = complaint(text + "reads(bad.%t, 0)");
  CHECK(wrong.diag.message.find("line 4 of bad") != std::string::npos);
}

TEST_CASE("blocks that are no modules") {
  CHECK(complaint("hlo { %a = f32[] constant(0) }").diag.message == "this block has no name");
  CHECK(complaint("hlo k { ENTRY %m {").diag.message == "this block is never closed");
  CHECK(complaint("hlo k").diag.message == "this block has no braces");
  CHECK(!complaint("hlo k { }").diag.message.empty());
  CHECK(!complaint("hlo k { nonsense }").diag.message.empty());
}

TEST_CASE("an operation that nobody has a rule for is a message") {
  const std::string text =
      "hlo odd {\nENTRY %main (x: f32[4]) -> f32[4] {\n  %x = f32[4] parameter(0)\n"
      "  ROOT %c = f32[4] custom-call(%x), custom_call_target=\"f\"\n}\n}\n";
  CHECK(complaint(text + "reads(odd.%c, 0)").diag.message.starts_with("what is read here is unknown: "));
  CHECK(last(text + "usage(odd.%c, 0)").starts_with("unknown: "));
}

TEST_CASE("claims about parts: every operand, or the reason why not") {
  CHECK(last(kSoft + "prove equal(soft.%fusion.1, soft.%fused)") == "claim equal");
  CHECK(last(kSoft + "prove in_bounds(soft.%fusion.1)") == "claim in_bounds");
  CHECK(last(kSoft + "prove identity(soft.%t)") == "claim equal");
  const auto ran = runAll(kSoft + "prove equal(soft.%fusion.1, soft.%fused)");
  const auto* asked = std::get_if<ProveRequest>(&ran.back().evaluated.request);
  REQUIRE(asked != nullptr);
  const std::vector<MapUnion>& unions = asked->claim.unions;
  REQUIRE(unions.size() == 1);
  CHECK(unions[0].name == "0 (%x)");
  CHECK(unions[0].f.size() == 2);
  CHECK(unions[0].g.size() == 2);
  CHECK(complaint(kSoft + "prove equal(soft.%red, soft.%t)").diag.message == "%red has 2 operands, %t 1");
  CHECK(complaint(kSoft + "prove in_bounds(soft.%x)").diag.message == "%x reads nothing");
  CHECK(complaint(kSoft + "prove identity((d0) -> (d0, d0), domain: d0 in [0, 3])").diag.message ==
        "the values have 2 numbers, the coordinates 1");
  const std::string custom =
      "hlo cc {\nENTRY %e (x: f32[4]) -> f32[4] {\n  %x = f32[4] parameter(0)\n"
      "  ROOT %c = f32[4] custom-call(%x), custom_call_target=\"t\"\n}\n}\n";
  CHECK(complaint(custom + "prove equal(cc.%c, cc.%c)").diag.message ==
        "what %c reads of %x is unknown: custom call t: add `t 0 0 READ` to a table (--custom-calls)");
}

TEST_CASE("reads across devices") {
  const std::string sharded =
      "hlo g {\nHloModule g, num_partitions=4\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT r = f32[4] all-gather(x), "
      "dimensions={0}, replica_groups={{0,1},{2,3}}, channel_id=1, use_global_device_ids=true\n}\n}\n";
  CHECK(last(sharded + "reads(g.%r, 0)") == "(d0) -> (d0 mod 2), domain: d0 in [0, 3]");
  CHECK(last(sharded + "devices(g.%r, 0)") ==
        "(d0, p) -> (d0 mod 2, d0 floordiv 2 + p floordiv 2 * 2), domain: d0 in [0, 3], p in [0, 3]");
  CHECK(last(sharded + "devices(g, 0)") == last(sharded + "devices(g.%r, 0)"));
}

TEST_CASE("reads by the layouts") {
  const std::string turned =
      "hlo l {\nENTRY %e (p: f32[8,4]) -> f32[4,8] {\n  %p = f32[8,4]{1,0} parameter(0)\n"
      "  ROOT %t = f32[4,8]{0,1} transpose(%p), dimensions={1,0}\n}\n}\n";
  CHECK(last(turned + "memory_order(l.%t, 0)") == "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]");
  const auto ran = runAll(turned + "slots_read(l.%t, 0)");
  REQUIRE(ran.back().evaluated.value);
  const auto map = toMap(*ran.back().evaluated.value);
  REQUIRE(map);
  CHECK(map->axes().at(0).extent == 32);
  for (i64 i = 0; i < 4; ++i)
    for (i64 j = 0; j < 8; ++j) CHECK(map->at(std::vector<i64>{i, j}) == std::vector<i64>{j * 4 + i});
}
