// Prefix parsers: the literal at the start of a text ends where it would end by itself, for any text after it.
#include "core/worksheet/language/literals.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/hlo/notation.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

using namespace tessera;

namespace {

const std::vector<std::string> kLiterals = {
    "42",
    "m.%n",
    "-4",
    "(4,(2,?))",
    "_8",
    "1@0",
    "(4,8):(8,1)",
    "((2,2),8):((1,16),2)",
    "(4,5):(1@1,1@0)",
    "(_4,_8):(_8,_1)",
    "Sw<3,4,3>",
    "Sw<3,3,3> o 0 o (64,64):(64,1)",
    "smem_ptr[16b](0x400) o (8,64):(64,1)",
    "Sw<3,4,3>_smem_ptr[16b](unset) o (8,64):(64,1)",
    "Layout<Shape<_4,_8>,Stride<_8,_1>>",
    "!cute.layout<\"(4,8):(8,1)\">",
    "S[(8,4):(4@lane,1@lane)]",
    "S[(8,4):(4@lane,1@lane)] + R[2:1@warp] + 5@warp",
    "5@warp + S[8:1@lane]",
    "( 8 2 ; 4@lane, 1@warp ) + [ 2 ; 4@warp ] + 5@warp",
    "( 8 2 ) ( 2 ) ( 4@lane, 1@warp ) + ( 4@warp )",
    "D: (8, 4@lane) x (2, 1@warp) | R: (2, 4@warp) | O: 5@warp",
    "S[(n,8):(8@m,1@m)] for n in [1, 4096]",
    "mesh (2,2)",
    "mesh (2,2):(1,2)",
    "{lane: 8, reg: 1}",
    "register = [[0, 1]], lane = [[0, 2], [1, 0]] -> dim0 2, dim1 4",
    "offset = [[0, 1], [1, 0]] -> dim0 2, dim1 2",
    "(d0, d1) -> (d0 + d1), domain: d0 in [0, 3], d1 in [0, 2]",
    "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 3], s0 in [0, 3], d0 + s0 in [0, 5]",
    "KNOWN EMPTY",
    "f32[3,5]{1,0:T(2,2)}",
    "(f32[2], (s8[4]{0}, token[]))",
    "iota.5 = s32[8]{0} iota(), iota_dimension=0",
    "%add.1 = f32[2]{0} add(f32[2]{0} %a, f32[2]{0} %b), metadata={op_name=\"x, y\"}",
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    "tensor<16x16xf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = "
    "[1, 0]}>>",
    "tensor<ptr<f32, gmem> o (4,3):(3,1)>",
    "tensor(raw_ptr(0x400: f32, gmem, align<4>) o (4,3):(3,1), data=[[1, 2, 3]])",
    "%A:[4,(2,4):2,(1,8)].fp32.GL",
    "#warp:[32:1].thread.tile([8:1]).reshape(0,[2,2:2,1])",
    "%A:[16,16].fp16.SH.tile(8,8)[1,0]",
    "\"a text, (with brackets\"",
    "cuda { int at(int r, int c) { return r * 8 + c; } } over (4, 8)",
};

// A name of a module, whose parts are literals.
const Value* nameOfModule(const std::string& name) {
  static const Value kModule(
      Layout(*hlo::readBlock("hlo m {\nENTRY %main (p: f32[4]) -> f32[4] {\n  %p = f32[4] parameter(0)\n  ROOT %n = "
                             "f32[4] negate(%p)\n}\n}")));
  return name == "m" ? &kModule : nullptr;
}
const NameLookup kNames = nameOfModule;

}  // namespace

TEST_CASE("a literal ends where it would end alone, whatever follows it") {
  for (const std::string& text : kLiterals) {
    INFO(text);
    NotLiterals none;
    const auto alone = readLiteral(text, 0, text.size(), kNames, none);
    REQUIRE(alone.ok());
    REQUIRE(alone->has_value());
    CHECK((*alone)->end == text.size());
    for (const std::string tail : {")", ", 3)", ", (4,8):(8,1))", ", f32[2])", ", x.1 = f32[2])", ", offset = [[1]])",
                                   " == 4", " o A", "  o", " and true", " + x", " - y", " over (4,8)", " where z", "]",
                                   ", to_map((d0) -> (d0), domain: d0 in [0, 3]))", "\n", " // comment"}) {
      INFO(tail);
      const std::string before = "f(", whole = before + text + tail;
      NotLiterals noneInside;
      const auto inside = readLiteral(whole, before.size(), whole.size(), kNames, noneInside);
      REQUIRE(inside.ok());
      REQUIRE(inside->has_value());
      CHECK((*inside)->end == before.size() + text.size());
      CHECK((*inside)->row == (*alone)->row);
      CHECK((*inside)->kind == (*alone)->kind);
      CHECK(print(*(*inside)->value) == print(*(*alone)->value));
    }
  }
}

TEST_CASE("each notation's reader is asked by some literal") {
  std::vector<const LiteralRow*> asked;
  for (const std::string& text : kLiterals) {
    NotLiterals none;
    const auto read = readLiteral(text, 0, text.size(), kNames, none);
    if (read.ok() && read->has_value()) asked.push_back((*read)->row);
  }
  for (const LiteralRow& row : literalRows()) {
    INFO(row.notation);
    CHECK(std::find(asked.begin(), asked.end(), &row) != asked.end());
  }
}

TEST_CASE("only the names that a row lists begin a literal with a bracket behind them") {
  std::vector<std::string> words = {"b",
                                    "Layout",
                                    "counting_iter",
                                    "ArithTuple",
                                    "make_layout",
                                    "MakeLayout",
                                    "Shape",
                                    "make_composed_layout",
                                    "S",
                                    "R",
                                    "E",
                                    "C",
                                    "x",
                                    "token",
                                    "mesh",
                                    "tuple",
                                    "T"};
  for (const FunctionInfo& f : functions()) words.emplace_back(f.name);
  int began = 0;
  for (const std::string& word : words) {
    for (const char* inside :
         {"(4)", "(4,8)", "((4,8),(8,1))", "(f32[2])", "(D=(8,1))", "(D=[(8, 1, \"m\")])", "(0,0)"}) {
      const std::string text = word + inside;
      INFO(text);
      for (const LiteralRow& row : literalRows()) {
        if (row.first.find(text[0]) == std::string::npos && !row.names) continue;
        Cursor in(text);
        const auto read = row.read(in, kNames);
        if (read.ok() && !read->has_value()) continue;
        ++began;  // a value, or a fault of one
        CHECK(row.calls.find(" " + word + " ") != std::string_view::npos);
      }
    }
  }
  CHECK(began > 0);
}

TEST_CASE("what holds a name of the worksheet is no literal") {
  for (const std::string text : {"A", "(M,8):(8,1)", "(4 - 1)", "(4:1, 8:1)", "S < 3", "(a, b)", "<3:4>", "over",
                                 "dim0 = 4", "f(x)", "1 + 2 @", ":1", ""}) {
    INFO(text);
    NotLiterals none;
    const auto read = readLiteral(text, 0, text.size(), kNames, none);
    REQUIRE(read.ok());
    // A number may begin a sum; nothing else may be taken.
    CHECK((!read->has_value() || (*read)->kind == LiteralKind::Integer));
  }
}

TEST_CASE("damaged literals: a value that ends inside the text, nothing, or a Diag that points into it") {
  std::mt19937 random(11);
  const std::string kBytes = "()[]{}<>,:;@+-= o#!_?\"x0S";
  for (int round = 0; round < 20'000; ++round) {
    std::string text = kLiterals[random() % kLiterals.size()] + (random() % 2 == 0 ? ", 3)" : "");
    for (int edits = 0; edits < 1 + static_cast<int>(random() % 3); ++edits) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) text.erase(at, 1 + random() % 4);
      if (text.empty()) break;
      if (random() % 2 == 0) text.insert(random() % text.size(), 1, kBytes[random() % kBytes.size()]);
    }
    INFO(text);
    NotLiterals none;
    const auto read = readLiteral(text, 0, text.size(), kNames, none);
    if (!read) {
      CHECK_FALSE(read.error().message.empty());
      CHECK(read.error().span.begin <= text.size());
      CHECK(read.error().span.end <= text.size() + 1);
    } else if (read->has_value()) {
      CHECK((*read)->end > 0);
      CHECK((*read)->end <= text.size());
    }
  }
}

TEST_CASE("a list that a failed literal leaves open begins no literal") {
  const std::vector<std::string> pieces = {"(", "(", "(",   "1",      "_2", ",", ", ", "8:1",
                                           ")", ")", " + ", "f32[2]", "x",  "?", ":"};
  std::mt19937 random(20261126);
  int learned = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const auto length = 4 + random() % 12;
    while (text.size() < length) text += pieces[random() % pieces.size()];
    INFO(text);
    NotLiterals none;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '(') continue;
      NotLiterals fresh;
      const auto alone = readLiteral(text, at, text.size(), kNames, fresh);
      const auto after = readLiteral(text, at, text.size(), kNames, none);
      REQUIRE(alone.ok() == after.ok());
      if (!alone.ok()) continue;
      REQUIRE(alone->has_value() == after->has_value());
      if (alone->has_value()) REQUIRE((*alone)->end == (*after)->end);
      for (std::size_t row = 0; row < literalRows().size(); ++row) learned += none.has(row, at) ? 1 : 0;
    }
  }
  CHECK(learned > 1000);  // 20,000 texts of this kind have that many
}
