// Input on which XLA aborts, or which it refuses: one message each, under the wrong piece. Fuzzed text. Instruction
// lines.
#include <catch2/catch.hpp>

#include "core/notation/xla/instruction.h"
#include "tests/support/whole_text.h"
#include "tests/xla/xla_model.h"

using namespace tessera;
using namespace tessera::xla_model;

namespace {
struct Wrong {
  std::string text, piece, message;
};

Result<xla::Instruction> instruction(const std::string& text) {
  auto read = wholeText(text, xla::parsePrefix);
  if (!read) return read.error();
  return std::get<xla::Instruction>(*std::move(read));
}
}  // namespace

TEST_CASE("an array is cut into no more digits than its layout can be worked with") {
  const auto tiled = [](int count, const std::string& tile) {
    std::string text = "f32[8,8]{1,0:T";
    for (int k = 0; k < count; ++k) text += tile;
    return xla::parseShape(text + "}");
  };
  CHECK(tiled(255, "(2,2)").ok());
  CHECK(tiled(510, "(2)").ok());
  for (const auto& [count, tile] : {std::pair{256, "(2,2)"}, std::pair{511, "(2)"}, std::pair{10'000, "(8,128)"}}) {
    const auto refused = tiled(count, tile);
    REQUIRE(!refused.ok());
    CHECK(refused.error().message == std::to_string(count) + " tiles on 2 dimensions are too many");
  }
  std::string ones = "f32[1";
  for (int k = 0; k < 10'000; ++k) ones += ",1";
  const auto refused = xla::parseShape(ones + "]");
  REQUIRE(!refused.ok());
  CHECK(refused.error().message == "the array has 10001 dimensions");
}

TEST_CASE("errors name the piece and the numbers") {
  const std::vector<Wrong> wrongs = {
      {"f32[3,5]{1,0:T(2,-2)}", "-2", "the tile size -2 is negative"},
      {"f32[3,5]{1,0:T(2,2)(0)}", "(0)", "layout has invalid tiles: the tile size 0 is not positive"},
      {"f32[4,4]{1,0:T()}", "()", "layout has invalid tiles: a tile without sizes"},
      {"f32[4,4]{1,0:T(2,*)}", "(2,*)", "the last * of a tile has no more minor dimension to merge with"},
      {"f32[4,4]{1,1}", "1", "minor to major names dimension 1 twice"},
      {"f32[4,4]{1,2}", "2", "minor to major names dimension 2, but the array has 2"},
      {"f32[4,4,4]{0}", "{0", "Dimensions size is 3, but minor to major size is 1."},
      {"f32[4]{0:L(0)}", "L(0)", "the tail alignment L(0) is not positive"},
      {"f32[4]{0:S(1)T(2)}", "T", "T comes after S"},
      {"f32[4]{0:T(2)T(2)}", "T", "T appears twice"},
      {"f32[4]{0:#(s32)}", "s32", "# is expecting an unsigned integer type"},
      {"f32[4]{0:#(u32)}", "#(u32)", "#(u32) gives the index type of a sparse array; this array is dense"},
      {"f32[4]{0:*(u64)}", "*(u64)", "*(u64) gives the pointer type of a sparse array; this array is dense"},
      {"f32[4]{0:P(f32[4])}", "P(f32[4])", "Layout has physical shape, but is not for a sparse array: f32[4]{0}"},
      {"f32[4]{0:D(X)}", "X", "expected a DimLevelType abbreviation (D, C, or S)"},
      {"f32[9,9]{1,0:SC(2:1)}", "(2:1)", "SC names physical dimension 2, but the array has 2"},
      {"f32[9,9]{1,0:SC(0:1)(0:2)}", "(0:2)", "SC names the physical dimension 0 twice"},
      {"f32[9,9]{1,0:SC(0:5,4)}", "(0:5,4)", "the split index 4 does not follow 5"},
      {"f32[9,7]{0,1:SC(0:7)}", "(0:7)", "the split index 7 is outside physical dimension 0 (dimension 1, size 7)"},
      {"f32[4]{0:S(128)}", "S(128)", "there is no memory space 128"},
      {"f32[4]{0:M(-1)}", "M(-1)", "the metadata prefix M(-1) is negative"},
      {"f32[4]{0:E(-1)}", "E(-1)", "the element size E(-1) is negative"},
      {"f32[-1]", "-1", "dimension 0 has the negative size -1"},
      {"f32[99999999999999999999]", "99999999999999999999", "99999999999999999999 does not fit in 64 bits"},
      {"f32[4294967296,4294967296]", "f32[4294967296,4294967296]", "the array has more than 2^63-1 elements"},
      {"f32[4611686018427387904]", "f32[4611686018427387904]",
       "4611686018427387904 slots of 32 bits are more than 2^63-1 bytes"},
      {"s8[3,3]{1,0:T(4294967296,4294967296)}", "(4294967296,4294967296)",
       "with its padding the array has more than 2^63-1 slots"},
      {"F32[3,5]", "F32", "XLA writes element types in lower case, not F32"},
      {"f33[3,5]", "f33", "f33 is not an element type of XLA"},
      {"f32[3,5]{}", "{", "extra content after the shape"},
      {"f32[3,5]{1,0} f32", "f32", "extra content after the shape"},
      {"f32", "", "`[` is missing after the element type"},
      {"f32[3,5", "", "`]` is missing after the dimensions"},
      {"f32[3]{0:T(2)", "", "this layout is never closed"},
      {"(f32[3]", "", "`)` is missing after the tuple's shapes"},
      {"f32[3 /* open", "/", "this comment is never closed"},
      {"b((f32[3]))", "b((f32[3]))", "a buffer refers to an array"},
  };
  for (const Wrong& wrong : wrongs) {
    INFO(wrong.text);
    const auto parsed = xla::parseShape(wrong.text);
    REQUIRE_FALSE(parsed.ok());
    const Diag& diag = parsed.error();
    CHECK(diag.message == wrong.message);
    CHECK(wrong.text.substr(diag.span.begin, diag.span.end - diag.span.begin) == wrong.piece);
  }
}

TEST_CASE("deep tuples are refused, not followed") {
  CHECK(xla::parseShape(std::string(80, '(') + "f32[]" + std::string(80, ')')).ok());
  const auto deep = xla::parseShape(std::string(1000000, '('));
  REQUIRE_FALSE(deep.ok());
  CHECK(deep.error().message == "this nests more than 200 levels deep");
}

TEST_CASE("comments and blanks stand anywhere") {
  const auto shape = xla::parseShape(
      " bf16 [ 123 , <= 456 , /* the last */ 789 ] { 2 , 1 , 0 : T ( 2 , * , 128 ) ( 2 , 1 ) // tiles\n L(100) S ( 1 ) "
      "} ");
  REQUIRE(shape.ok());
  CHECK(print(*shape) == "bf16[123,<=456,789]{2,1,0:T(2,*,128)(2,1)L(100)S(1)}");
}

TEST_CASE("text that was damaged anywhere is refused or means what it prints") {
  Random random{std::mt19937_64(31)};
  const std::string alphabet = "f32bs[](){}:,0123*<=?TLESCMPD# /%-\n\xff";
  int accepted = 0;
  for (int round = 0; round < 40000; ++round) {
    std::string text = print(randomShape(random));
    for (i64 k = random(1, 3); k > 0; --k) {
      const auto at = static_cast<std::size_t>(random(0, static_cast<i64>(text.size()) - 1));
      const char c = alphabet[static_cast<std::size_t>(random(0, static_cast<i64>(alphabet.size()) - 1))];
      switch (random(0, 3)) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, c);
          break;
        case 2:
          text[at] = c;
          break;
        default:
          text.resize(at);
      }
      if (text.empty()) text = "f32";
    }
    INFO(text);
    const auto parsed = xla::parseShape(text);
    if (parsed) {
      ++accepted;
      REQUIRE(*xla::parseShape(print(*parsed)) == *parsed);
    } else {
      REQUIRE(parsed.error().span.end <= text.size());
      REQUIRE(parsed.error().span.begin <= parsed.error().span.end);
      REQUIRE_FALSE(parsed.error().message.empty());
    }
    (void)wholeText("x = " + text, xla::parsePrefix);
  }
  CHECK(accepted > 1000);
}

TEST_CASE("an instruction line gives its named shapes") {
  const std::string line = "add.936 = bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)} add(exponential.183, broadcast.3115)";
  const auto add = instruction(line);
  REQUIRE(add.ok());
  CHECK(print(*add) == line);
  CHECK(add->opcode == "add");
  CHECK(add->operands.size() == 2);
  const auto fusion = instruction(
      "  %fusion.3 = bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)} fusion(bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)} "
      "%fusion.32), kind=kCustom, calls=%all-reduce-scatter.3");
  REQUIRE(fusion.ok());
  REQUIRE(fusion->namedShapes().size() == 2);
  CHECK(fusion->namedShapes()[1].first == "%fusion.32");
  CHECK(print(fusion->namedShapes()[1].second) == "bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)}");
  CHECK(fusion->attributes == "kind=kCustom, calls=%all-reduce-scatter.3");
  CHECK(*instruction(print(*fusion)) == *fusion);
  const auto root = instruction("ROOT t = (f32[2]{0}, token[]) custom-call((f32[2]{0}, s8[]) %p, c), x={1,(2)}");
  REQUIRE(root.ok());
  CHECK(root->root);
  CHECK(root->operands.size() == 2);
  CHECK(*instruction(print(*root)) == *root);
  CHECK(instruction("c = f32[2]{0} constant({1, 2})")->operands.at(0).text == "{1, 2}");
  CHECK(instruction("a = f32[2] add(b, c").error().message == "`)` is missing after the arguments");
  CHECK_FALSE(wholeText("a f32[2]", xla::parsePrefix).ok());
}
