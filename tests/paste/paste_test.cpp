// Which dialect reads a text, what is asked, and that no text ends the process.
#include "core/paste/paste.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/base/work_budget.h"
#include "core/paste/dialects.h"
#include "core/paste/meaning.h"
#include "core/worksheet/programs/programs.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

using namespace tessera;

namespace {

const bool kWithPrograms = (addPrograms(), true);

std::string printed(const paste::Reading& reading) {
  const auto value = paste::lastValue(reading);
  return value ? print(**value) : "error: " + value.error().message;
}

// A text for each dialect, written for this test.
const std::vector<std::string>& seeds() {
  static const std::vector<std::string> kSeeds = {
      "A = (64,64):(64,1)\nS = Sw<3,3,3> o A\nprove injective(S)\nshow S as grid",
      "using Tile = decltype(composition(Swizzle<kB, 3, 3>{}, Layout<Shape<_8, Int<kCols>>, Stride<Int<kCols>, "
      "_1>>{}));"
      "\nusing Whole = decltype(tile_to_shape(Tile{}, Shape<Int<kRows>, Int<kCols>>{}));",
      "template <int kDim, typename T = half_t>\nstruct Traits {\n  static constexpr int kBlock = kDim % 64 == 0 ? 64 "
      ": 32;"
      "\n  using Atom = GMMA::Layout_K_SW128_Atom<T>;\n  using Mma = TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, "
      "Layout<Shape<_4,_1,_1>>>;\n};",
      "l = cute.make_layout((4, (2, 8)), stride=(16, (1, 2)))\nc = cute.make_composed_layout(cute.make_swizzle(2, 4, "
      "3), "
      "0, l)",
      "blocked: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [2, 2], [1, 0])",
      "A = TileLayout(S[(8, 4) : (4 @ laneid, 1 @ m)])",
      "torch.Size([3, 5, 2]) (10, 2, 1)",
      "(4,8):(8,1)\n      0   1   2   3   4   5   6   7 \n    +---+---+---+---+---+---+---+---+\n 0  | 0 | 1 | 2 | 3 | "
      "4 "
      "| 5 | 6 | 7 |\n    +---+---+---+---+---+---+---+---+",
      "TiledCopy\n  Tiler_MN:       (_32,_32)\n  TiledLayout_TV: ((_4,_32),(_8,_1)):((_256,_1),(_32,_0))\nCopy_Atom\n  "
      "ThrID:        _1:_0\n",
      " - register=1 -> (0, 1)\n   register=2 -> (0, 2)\n - lane=1 -> (0, 4)\n   lane=2 -> (1, 0)\n - warp is a size 1 "
      "dimension\nwhere out dims are: [dim0 (size 2), dim1 (size 8)]",
      "#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>\nmodule {\n  tt.func "
      "@f(%arg0: tensor<64x64xf16>) {\n    %0 = ttg.local_alloc %arg0 : (tensor<64x64xf16>) -> !ttg.memdesc<64x64xf16, "
      "#shared, #smem>\n    tt.return\n  }\n}",
      "%t.1 = bf16[24,16]{0,1:T(8,128)(2,1)} transpose(bf16[16,24]{1,0} %p), dimensions={1,0}, "
      "sharding={devices=[2,1]0,1}",
      "HloModule m\n\nENTRY e {\n  p = f32[4,8]{1,0} parameter(0)\n  ROOT n = f32[4,8]{1,0} negate(p)\n}\n",
      "memref<8x16xf32, strided<[1, 8], offset: 4>>\naffine_map<(d0, d1) -> (d0 floordiv 4, d1 mod 8)>",
      "%a:[4].fp32.GL %b:[4].fp32.GL #g:[1].block #t:[4].thread\n%b <- Move<<<#g,#t>>>(%a) {\n}\n",
      "make_naive_tensor_descriptor(make_tuple(number<8>{}, number<kM>{}), make_tuple(number<kM + 1>{}, number<1>{}))",
      "kittens::st_bf<32, 64> tile;",
      "cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p, {256, 128}, {512}, {64, 32}, {1, 1}, "
      "CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE, "
      "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)",
      "using L = layout::zN; auto l = L::MakeLayout<half>(64, 32);",
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, "
      "{%f0,%f1,%f2,%f3};",
      "%3 = shl i32 %t, 2\n%4 = xor i32 %3, %u\n%5 = getelementptr inbounds float, ptr addrspace(3) %base, i32 %4",
      "__shared__ half s[BM][BK + 8];\nint r = threadIdx.x / 4, c = (threadIdx.x % 4) * 8;\ns[r][c ^ ((r & 3) << 3)] = "
      "g[(blockIdx.y * BM + r) * K + c];",
      "__device__ int at(int row, int col) {\n  for (int i = 0; i < 3; ++i) col ^= (row & 1) << i;\n  return row * 64 "
      "+ "
      "(row < 8 ? col : col + 1);\n}",
      "def at(i, j):\n    row = i // 4\n    return row * 32 + (j ^ (row % 8))",
      "lambda i, j: i * 64 + (j ^ (i % 8) * 8)",
  };
  return kSeeds;
}

// The text with a few random bytes removed, doubled, moved or replaced.
std::string damaged(std::string text, std::mt19937_64& random) {
  static const std::string kBytes = "()[]{}<>,;:=+-*/%&|^~!?.#@\"'\\_ \n0123456789azAZ\xE2\x00";
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
  for (std::size_t k = 1 + below(4); k > 0; --k) {
    const std::size_t at = below(text.size() + 1), size = below(text.size() - at + 1) % 20;
    switch (below(5)) {
      case 0:
        text.erase(at, size);
        break;
      case 1:
        text.insert(at, text.substr(below(text.size() + 1), size));
        break;
      case 2:
        text.insert(at, 1, kBytes[below(kBytes.size())]);
        break;
      case 3:
        text.resize(at);
        break;
      default:
        if (at < text.size()) text[at] = kBytes[below(kBytes.size())];
    }
  }
  return text;
}

// A reading or a message; never more than the budget. What is read evaluates, or says why not.
void checkReads(const std::string& text, const paste::Given& given) {
  INFO("text:\n" << text);
  const WorkBudget limit({.seconds = 10});
  const Result<paste::Reading> reading = paste::read(text, given);
  if (!reading) {
    CHECK_FALSE(reading.error().message.empty());
    CHECK(reading.error().span.begin <= reading.error().span.end);
    CHECK(reading.error().span.end <= text.size());
    return;
  }
  CHECK_FALSE(reading->dialect.empty());
  for (const paste::Question& q : reading->questions) {
    CHECK_FALSE(q.name.empty());
    CHECK(q.span.begin <= q.span.end);
    CHECK(q.span.end <= text.size());
  }
  if (!reading->questions.empty()) return;
  CHECK_FALSE(reading->statements.empty());
  for (const paste::Statement& s : reading->statements) CHECK(s.span.end <= text.size());
  const auto value = paste::lastValue(*reading);
  if (!value) CHECK_FALSE(value.error().message.empty());
}

}  // namespace

TEST_CASE("what the worksheet reads by itself is bound unchanged") {
  for (const char* text : {"(4,8):(8,1)", "Layout<Shape<_8,_64>,Stride<_64,_1>>{}", "f32[4,8]{1,0:T(2,4)}",
                           "L(i, j) = i * 8 + j over (4, 8)", "X = 4 * 8",
                           "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], "
                           "order = [1, 0]}> over (8, 16)"}) {
    INFO(text);
    const auto reading = paste::read(text);
    REQUIRE(reading);
    CHECK(reading->dialect == "Tessera");
    REQUIRE(reading->statements.size() == 1);
    CHECK(reading->statements[0].text == text);
    CHECK(reading->notes.empty());
  }
}

TEST_CASE("what the worksheet refuses for its meaning stays refused, with the same message") {
  for (const std::string text :
       {"composition((6,2):(1,7), (3,2):(2,3))", "A = composition((6,2):(1,7), (3,2):(2,3))",
        "complement((4,8):(1,3), 64)", "logical_divide((6,2):(1,7), 4)",
        "B = (6,2):(1,7)\nC = composition(B, (3,2):(2,3))",
        "prove injective((4,8):(8,1))\nassert rank((4,8):(8,1)) == 3",
        "find swizzle for (3,5):(5,1) where conflict_free(nothing, fp16)\nprove injective(8:1)"}) {
    INFO(text);
    Scope scope;
    std::string message;
    for (const Statement& statement : splitStatements(text))
      if (const Evaluated done = evaluate(statement, scope); done.diag && message.empty()) message = done.diag->message;
    const Result<paste::Reading> reading = paste::read(text);
    CHECK(paste::isWorksheet(text));
    if (message.empty()) continue;
    REQUIRE_FALSE(reading.ok());
    CHECK(reading.error().message == "read as Tessera: " + message);
  }
}

TEST_CASE("several lines: statements in order, a value over several lines, CR LF") {
  const auto sheet =
      paste::read("A = (4,8):(8,1)\r\n\r\n// B\nB = composition(A,\n                (2,4))\nshow B as grid\n");
  REQUIRE(sheet);
  REQUIRE(sheet->statements.size() == 3);
  CHECK(sheet->statements[0].name == "A");
  CHECK(sheet->statements[1].name == "B");
  CHECK(sheet->statements[2].name.empty());
  const auto value = paste::read("Layout<Shape<_8,\n       _64>,   // rows\n       Stride<_64,_1>>");
  REQUIRE(value);
  CHECK(value->dialect == "Tessera");
  CHECK(printed(*value) == "(_8,_64):(_64,_1)");
}

TEST_CASE("a name that nothing binds is asked, and --let answers") {
  const std::string text = "A = (M,N):(N,1)\nB = composition(A, (2,K))";
  const auto asked = paste::read(text);
  REQUIRE(asked);
  REQUIRE(asked->questions.size() == 3);
  CHECK(asked->questions[0].name == "M");
  CHECK(asked->questions[0].suggests == "--let M=64");
  CHECK(text.substr(asked->questions[2].span.begin, 1) == "K");
  const auto given = paste::read(text, {.lets = {{"M", "4"}, {"N", "8"}, {"K", "2"}}});
  REQUIRE(given);
  CHECK(given->questions.empty());
  CHECK(printed(*given) == "(2,2):(8,1)");
}

TEST_CASE("a refusal names the dialect, and --as chooses one") {
  const auto wrong = paste::read("A = (4,8):(8,1,2)");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message.find("Tessera") != std::string::npos);
  const auto chosen = paste::read("(4,8):(8,1)", {.dialect = "tessera"});
  REQUIRE(chosen);
  const auto unknown = paste::read("(4,8):(8,1)", {.dialect = "fortran"});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().expected.find("cute-c++") != std::string::npos);
}

TEST_CASE("code without blanks around its operators is index code, also if it is refused") {
  CHECK(printed(*paste::read("int g(int i) { return i/4; }", {{}, {{"i", 8}}, {}, {}})).find("floordiv 4") !=
        std::string::npos);
  CHECK(paste::read("int row = threadIdx.x/32;", {{}, {{"threadIdx.x", 64}}, {}, {}}).ok());
  const auto recursive = paste::read("int f(int x) { return f(x-1); }", {{}, {{"x", 8}}, {}, {}});
  REQUIRE_FALSE(recursive.ok());
  CHECK(recursive.error().message.starts_with("read as index code in C++"));
  CHECK(paste::read(" \n").error().message == "the text is empty");
}

TEST_CASE("no text and prose are no paste") {
  for (const char* text : {"", " \n ", "// only a comment", "The layout is row-major.", "threadIdx.x", "a b c"}) {
    INFO(text);
    const auto reading = paste::read(text);
    if (reading) CHECK_FALSE(reading->questions.empty());
  }
}

TEST_CASE("the text of every dialect is recognized by it first, and read or asked about") {
  for (const std::string& text : seeds()) {
    INFO(text);
    CHECK_FALSE(paste::dialectOf(text).empty());
    const auto reading = paste::read(text);
    INFO((reading ? "" : reading.error().message));
    CHECK(reading);
  }
}

TEST_CASE("damaged text of every dialect is read or refused, within its budget") {
  std::mt19937_64 random(27);
  const paste::Given given{.lets = {{"kB", "3"}, {"kCols", "64"}, {"BM", "64"}, {"K", "256"}}};
  for (const std::string& seed : seeds()) {
    for (int k = 0; k < 40; ++k) checkReads(damaged(seed, random), k % 2 == 0 ? paste::Given{} : given);
  }
}

TEST_CASE("nested brackets without end and long texts are refused") {
  for (const char* open : {"(", "[", "{", "<", "Layout<Shape<", "a[", "f(", "composition(", "lambda i: ("}) {
    std::string text;
    while (text.size() < 20'000) text += open;
    checkReads(text, {});
    checkReads("int x = " + text + ";", {});
  }
  checkReads(std::string(3'000'000, 'x'), {});
  std::string lines;
  for (int k = 0; k < 4000; ++k) lines += "using L" + std::to_string(k) + " = Layout<Shape<_4,_8>>;\n";
  checkReads(lines, {});
}
