// What CuTe prints and Triton's linear layouts, read back: tables written here as the printers write them, reports,
// symbols and messages. Expected values are computed from the definition of each layout.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/base/work_budget.h"
#include "core/notation/linear/layout.h"
#include "core/paste/dialects.h"
#include "core/paste/printed/mangled.h"
#include "core/paste/printed/print_lines.h"
#include "core/paste/printed/print_table.h"
#include "core/worksheet/programs/programs.h"
#include "support/pasted_value.h"

using namespace tessera;
using paste::layoutOfTable;

namespace {

const bool kPrintedPrograms = (addPrograms(), true);

using Offsets = std::function<i64(i64, i64)>;

i64 swizzled(i64 x, int b, int m, int s) { return x ^ ((x >> s) & (((i64{1} << b) - 1) << m)); }

// print_layout of CuTe C++.
std::string tableOf(i64 rows, i64 columns, const Offsets& f, const std::string& header = "") {
  i64 largest = 0;
  for (i64 m = 0; m < rows; ++m)
    for (i64 n = 0; n < columns; ++n) largest = std::max(largest, f(m, n));
  const std::size_t width = std::to_string(largest).size();
  std::string rule = "    ", text = header.empty() ? "" : header + "\n";
  for (i64 n = 0; n < columns; ++n) rule += "+" + std::string(width + 2, '-');
  rule += "+\n";
  text += "    ";
  for (i64 n = 0; n < columns; ++n) text += fmt::format("  {:>{}} ", n, width);
  text += "\n";
  for (i64 m = 0; m < rows; ++m) {
    text += rule + fmt::format("{:>2}  ", m);
    for (i64 n = 0; n < columns; ++n) text += fmt::format("| {:>{}} ", f(m, n), width);
    text += "|\n";
  }
  return text + rule;
}

std::vector<std::vector<i64>> rowsOfFunction(i64 rows, i64 columns, const Offsets& f) {
  std::vector<std::vector<i64>> out(static_cast<std::size_t>(rows));
  for (i64 m = 0; m < rows; ++m)
    for (i64 n = 0; n < columns; ++n) out[static_cast<std::size_t>(m)].push_back(f(m, n));
  return out;
}

// The layout that the table gives has its values everywhere.
void checkRecovered(i64 rows, i64 columns, const Offsets& f) {
  const auto layout = layoutOfTable(rowsOfFunction(rows, columns, f));
  INFO(tableOf(rows, columns, f));
  REQUIRE(layout.ok());
  INFO(*layout);
  for (i64 m = 0; m < rows; m += std::max<i64>(1, rows / 5))
    for (i64 n = 0; n < columns; n += std::max<i64>(1, columns / 5))
      CHECK(pastedValue("L = " + *layout, fmt::format("L({},{})", m, n)) == std::to_string(f(m, n)));
}

const std::string kMma =
    "TiledMMA\n  ThrLayoutVMNK:  (_32,_4,_2,_1):(_1,_32,_128,_0)\n  PermutationMNK: (_128,_32,_16)\nMMA_Atom\n"
    "  ThrID:      _32:_1\n  Shape_MNK:  (_16,_8,_16)\n"
    "  LayoutA_TV: ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))\n"
    "  LayoutB_TV: ((_4,_8),(_2,_2)):((_16,_1),(_8,_64))\n"
    "  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))\n";

}  // namespace

TEST_CASE("a printed value has the name that the line gives it") {
  const std::string text =
      "sA    : ((_8,_4),(_32,_1)):((_32,_256),(_1,_0))\n[thr 3] tCsA = (4,2):(2,1)\n>?? Flat Divide: "
      "((2,4),3):((1,2),8)";
  CHECK(pastedValue(text, "sA(9,3)") == "291");  // row 9 = 1 + 8*1: 32 + 256, column 3
  CHECK(pastedValue(text, "tCsA(3,1)") == "7");
  CHECK(pastedValue(text, "Flat_Divide((1,3),2)") == "23");
  CHECK(pastedValue(text, "X((1,3),2)") == "23");
  CHECK(pastedValue("layout : (_4,_8):(_8,_1)", "layout(3,7)") == "31");
  CHECK(pastedValue("a: (4,8):(8,1); b: (2,2):(1,2)", "a(1,1)") == "9");
  CHECK(pastedValue("tile layout:\n(4,8):(8,1)\n", "tile_layout(1,1)") == "9");
}

TEST_CASE("pointers of tensors leave the offsets as they are") {
  // Row 9 of 64-element rows under a swizzle of 16-bit elements: 577 = 9 * 64 + (9 xor 8).
  const std::string layout = "((_8,_16),(_64,_1)):((_64,_512),(_1,_0))";
  for (const std::string& tensor : std::vector<std::string>{
           "Sw<3,3,3>_smem_ptr[16b](0x7f0000000400) o " + layout, "smem_ptr[16b]((nil)) o Sw<3,3,3> o _0 o " + layout,
           "Sw<3,4,3>_smem_ptr[16b](SMEM_ADDR) o " + layout, "sA: smem_ptr[16b](0x80) o Sw<3,3,3> o 0 o " + layout,
           std::string("tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o ((8,16),(64,1)):((64,512),(1,0))>")})
    CHECK(pastedValue(tensor, "X(9,9)") == "577");
  CHECK(pastedValue("tensor(raw_ptr(0x000000000a001000: f32, generic, align<4>) o (3,4):(4,1), data=\n [[ 0, 1 ]]",
                    "X(2,3)") == "11");
  CHECK(pastedValue("gmem_ptr_[32b](0x7f00) o (4,8):(8,_1)", "X(3,7)") == "31");
  CHECK(pastedValue("// tCrA: UMMA::DescriptorIterator o (_1,_2,_4):(_0,_8,_2)", "tCrA(0,1,3)") == "14");
  CHECK(pastedValue("tensor<(0,0) o (16,8):(1@0,1@1)>", "X(3,5)") == "(3,5)");
}

TEST_CASE("a table of print_layout is the layout of its header, or has one") {
  const Offsets rowMajor = [](i64 m, i64 n) { return m * 8 + n; };
  CHECK(pastedValue(tableOf(4, 8, rowMajor, "(_4,_8):(_8,_1)"), "X(3,7)") == "31");
  CHECK(pastedValue(tableOf(4, 8, rowMajor), "X(3,7)") == "31");
  CHECK(pastedValue(tableOf(4, 8, rowMajor), "shape(X)") == "(4,8)");
  checkRecovered(1, 1, [](i64, i64) { return 0; });
  checkRecovered(5, 3, [](i64 m, i64 n) { return m * 3 + n; });
  checkRecovered(4, 4, [](i64, i64 n) { return n; });  // stride 0
  checkRecovered(8, 6, [](i64 m, i64 n) { return m % 2 + (m / 2) * 8 + (n % 3) * 2 + (n / 3) * 64; });
  checkRecovered(4, 8, [](i64 m, i64 n) { return 100 + m * 8 + n; });
  for (int b = 1; b <= 3; ++b)
    for (int m = 0; m <= 2; ++m)
      checkRecovered(16, 16, [&](i64 r, i64 c) { return swizzled(r * 16 + c, b, m, std::max(b, 3)); });
  checkRecovered(32, 64, [](i64 r, i64 c) { return swizzled(r * 64 + c, 3, 3, 3); });
}

TEST_CASE("a table that is no layout names the first cell that fits none") {
  const auto wrong = layoutOfTable({{0, 1, 2, 3}, {4, 5, 7, 6}, {8, 9, 10, 12}});
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().message.find("7 at (1,2)") != std::string::npos);
  CHECK_FALSE(layoutOfTable({}).ok());
  CHECK_FALSE(layoutOfTable({{0, 1}, {i64{1} << 60, 2}}).ok());
}

TEST_CASE("random strided and swizzled tables come back") {
  std::mt19937_64 random(27);
  for (int trial = 0; trial < 60; ++trial) {
    const int a = static_cast<int>(random() % 4), b = static_cast<int>(random() % 5), bits = a + b;
    std::vector<int> places(static_cast<std::size_t>(bits));
    for (int k = 0; k < bits; ++k) places[static_cast<std::size_t>(k)] = k;
    std::shuffle(places.begin(), places.end(), random);
    const int sb = static_cast<int>(random() % 3), sm = static_cast<int>(random() % 2);
    const Offsets f = [&](i64 m, i64 n) {
      i64 x = 0;
      for (int k = 0; k < a; ++k) x |= (m >> k & 1) << places[static_cast<std::size_t>(k)];
      for (int k = 0; k < b; ++k) x |= (n >> k & 1) << places[static_cast<std::size_t>(a + k)];
      return sb == 0 ? x : swizzled(x, sb, sm, 2);
    };
    checkRecovered(i64{1} << a, i64{1} << b, f);
  }
}

TEST_CASE("grids, pictures and tables of threads are tables too") {
  CHECK(pastedValue("    0    2    4    6\n    1    3    5    7\n", "X(1,3)") == "7");
  std::string picture = "\\begin{tikzpicture}[x={(0cm,-1cm)},y={(1cm,0cm)}]\n", threads;
  for (int m = 0; m < 2; ++m)
    for (int n = 0; n < 4; ++n) picture += fmt::format("\\node[fill=white] at ({},{}) {{{}}};\n", m, n, m * 4 + n);
  picture += "\\node at (0,-1) {\\Large{\\texttt{0}}};\n\\end{tikzpicture}\n";
  CHECK(pastedValue(picture, "X(1,2)") == "6");
  CHECK(pastedValue("% Layout: (_2,_2):(_1,_2)\n" + picture, "X(1,1)") == "3");
  const std::string rule = "    +------+------+\n";
  CHECK(pastedValue(rule + " 0  |T 0V0 |T 1V0 |\n" + rule + " 1  |T 0V1 |T 1V1 |\n" + rule, "X(1,1)") == "3");
}

TEST_CASE("a report of TiledMMA is rebuilt around the atom with its layouts") {
  CHECK(pastedValue(kMma, "ThrLayoutVMNK") == "(_32,_4,_2,_1):(_1,_32,_128,_0)");
  const std::string rebuilt = pastedValue(kMma, "X");
  CHECK(rebuilt == pastedValue("M = make_tiled_mma(mma.m16n8k16.f32.f16.f16.f32, (4,2,1), (128,32,16))", "M"));
  CHECK(rebuilt.find("tile 128x32x16") != std::string::npos);
  // The words of the Python DSL.
  std::string dsl = kMma;
  for (const auto& [cpp, python] :
       std::vector<std::pair<std::string, std::string>>{{"TiledMMA", "Tiled MMA"},
                                                        {"ThrLayoutVMNK", "Thr Layout VMNK"},
                                                        {"PermutationMNK", "Permutation MNK"},
                                                        {"MMA_Atom", "MMA Atom"},
                                                        {"Shape_MNK", "Shape MNK"},
                                                        {"LayoutA_TV", "TV Layout A"},
                                                        {"LayoutB_TV", "TV Layout B"},
                                                        {"LayoutC_TV", "TV Layout C"}})
    dsl.replace(dsl.find(cpp), cpp.size(), python);
  CHECK(pastedValue(dsl, "X") == rebuilt);
  // Layouts of no instruction: X is the report's own.
  std::string odd = kMma;
  odd.replace(odd.find("((_32,_1),(_16,_8))"), 19, "((_32,_1),(_8,_16))");
  CHECK(pastedValue(odd, "X(1,1)") == "40");
}

TEST_CASE("a report of TiledCopy binds its names, and X is its layout") {
  const std::string text =
      "TiledCopy\n  Tiler_MN:       (_32,_32)\n  TiledLayout_TV: ((_4,_32),_8):((_256,_1),_32)\nCopy_Atom\n"
      "  ThrID:        _1:_0\n  ValLayoutSrc: (_1,_8):(_0,_1)\n  ValLayoutRef: (_1,_8):(_0,_1)\n  ValueType:    16b\n";
  CHECK(pastedValue(text, "X(5,2)") == "321");  // thread 5 = (1,1): 256 + 1, value 2: 64
  CHECK(pastedValue(text, "Tiler_MN") == "(_32,_32)");
  CHECK(pastedValue(text, "ValLayoutSrc") == "(_1,_8):(_0,_1)");
}

TEST_CASE("symbols are written out, and their layouts read") {
  const std::string symbol =
      "_Z4demoIN4cute6LayoutINS0_5tupleIJNS0_1CILi4EEENS3_ILi32EEEEEENS2_IJNS3_ILi1EEES4_EEEEEEvT_";
  const auto read = paste::demangled("  Function : " + symbol + " REG:8");
  REQUIRE(read.size() == 1);
  CHECK(read[0].whole);
  const std::string layout = "cute::Layout<cute::tuple<cute::C<4>, cute::C<32>>, cute::tuple<cute::C<1>, cute::C<4>>>";
  CHECK(read[0].text == "void demo<" + layout + ">(" + layout + ")");
  CHECK(pastedValue(symbol, "X(3,5)") == "23");
  CHECK(paste::demangled("_Z1fPKfi")[0].text == "f(float const*, int)");
  for (const auto& partly : paste::demangled("_Z4demoIXadL_Z1gvEEEvv")) CHECK_FALSE(partly.whole);
  // A symbol whose substitutions double: reading ends, and writes no more than its limit.
  std::string doubling = "_Z1fN4cute5tupleIJiiEEE";
  for (int k = 0; k < 60; ++k)
    doubling += fmt::format("NS_5tupleIJS{0}_S{0}_EEE", k == 0 ? "1" : std::to_string(k % 9));
  CHECK(paste::demangled(doubling).size() <= 1);
}

TEST_CASE("types of messages have the names of their template parameters") {
  const std::string message =
      "copy.h(12): error: static assertion failed [with LayoutA=cute::Layout<cute::tuple<cute::C<4>, cute::C<8> >, "
      "cute::tuple<cute::C<8>, cute::C<1> > >, Sw=cute::ComposedLayout<cute::Swizzle<2, 1, 3>, cute::C<0>, "
      "cute::Layout<cute::tuple<cute::C<8>, cute::C<8>>, cute::tuple<cute::C<8>, cute::C<1>>>>]";
  CHECK(pastedValue(message, "LayoutA(3,7)") == "31");
  CHECK(pastedValue(message, "Sw(3,5)") == std::to_string(swizzled(29, 2, 1, 3)));
  CHECK(pastedValue("cute::TiledMMA<cute::MMA_Atom<cute::SM80_16x8x16_F32F16F16F32_TN>, "
                    "cute::Layout<cute::tuple<cute::C<2>, cute::C<1>, cute::C<1>>, cute::tuple<cute::C<1>, cute::C<0>, "
                    "cute::C<0>>>, cute::tuple<cute::Underscore, cute::Underscore, cute::Underscore>>",
                    "X")
            .find("tile 32x8x16") != std::string::npos);
}

TEST_CASE("MLIR of the DSL binds its values") {
  const std::string module =
      "!buf = !cute.memref<f16, smem, align<1024>, S<3,4,3>, \"(16,64):(64,1)\">\nfunc.func @k(%arg0: "
      "!cute.memref<f32, gmem, \"(8,4):(4,1)\">) {\n  %lay = cute.static : !cute.layout<\"(4,8):(1,4)\">\n  %0 = "
      "cute.make_view(%p, %lay) : !buf\n}";
  CHECK(pastedValue(module, "lay(1,1)") == "5");
  CHECK(pastedValue(module, "arg0(7,3)") == "31");
  CHECK(pastedValue(module, "X(9,9)") == "577");  // the pointer's swizzle of bytes is Sw<3,3,3> of f16
}

TEST_CASE("dumps and constructors of a linear layout are the same value") {
  const std::string line =
      "register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] -> dim0 16, dim1 8";
  const auto layout = linear::parse(line);
  REQUIRE(layout.ok());
  const std::string cpp =
      "auto a = LinearLayout({{kRegister, {{0, 1}, {8, 0}}}, {S(\"lane\"), {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, "
      "0}}}},\n"
      "    {S(\"dim0\"), outDimNames[order[0]]});";
  const std::string python =
      "ll = LinearLayout.from_bases([(\"register\", [[0, 1], [8, 0]]), (\"lane\", [[0, 2], [0, 4], [1, 0], [2, 0], [4, "
      "0]])], [\"dim0\", \"dim1\"], out_dim_sizes=[16, 8])";
  CHECK(pastedValue("regs:" + toString(*layout), "regs") == line);
  CHECK(pastedValue(python, "ll") == line);
  CHECK(pastedValue(cpp, "a", {.lets = {{"order", "[1, 0]"}}, .over = {}, .name = {}, .dialect = {}}) == line);
  CHECK(pastedValue(cpp, "a") == "asks: order");
  CHECK(pastedValue("LinearLayout::identity1D(4, S(\"register\"), S(\"dim1\")) * LinearLayout::identity1D(8, kLane, "
                    "S(\"dim1\")) * LinearLayout::strided1D(4, 2, kWarp, S(\"dim0\"))",
                    "X(3,5,1)") == "(23,2)");
  CHECK(pastedValue("LinearLayout({{kLane, {{0, 2 * kWidth}}}}, {{S(\"dim0\"), 1}, {S(\"dim1\"), 16}}, false)", "X(1)",
                    {.lets = {{"kWidth", "4"}}, .over = {}, .name = {}, .dialect = {}}) == "(0,8)");
}

TEST_CASE("several dumps in a log are bound under the words before them") {
  const std::string text =
      "[pass] source:\n - register=1 -> (0, 1)\n - lane=1 -> (1, 0)\nwhere out dims are: [dim0 (size 2), dim1 (size "
      "2)]\ntarget =\n - register is a size 1 dimension\n - lane=1 -> (0, 1)\nwhere out dims are: [dim0 (size 1), dim1 "
      "(size 2)]\n";
  CHECK(pastedValue(text, "source(1,1)") == "(1,1)");
  CHECK(pastedValue(text, "target(0,1)") == "(0,1)");
}

TEST_CASE("damaged prints are read or refused") {
  const std::vector<std::string> seeds = {
      kMma,
      tableOf(
          4, 8, [](i64 m, i64 n) { return m * 8 + n; }, "(_4,_8):(_8,_1)"),
      "_Z4demoIN4cute6LayoutINS0_5tupleIJNS0_1CILi4EEENS3_ILi32EEEEEENS2_IJNS3_ILi1EEES4_EEEEEEvT_",
      "LinearLayout({{kRegister, {{0, 1}}}, {kLane, {{1, 0}}}}, {S(\"dim0\"), S(\"dim1\")})",
      " - register=1 -> (0, 1)\n - lane=1 -> (1, 0)\nwhere out dims are: [dim0 (size 2), dim1 (size 2)]",
      "sA: smem_ptr[16b]((nil)) o Sw<3,3,3> o _0 o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))",
      "[with L=cute::Layout<cute::tuple<cute::C<4>, cute::C<8> >, cute::tuple<cute::C<8>, cute::C<1> > >]"};
  std::mt19937_64 random(3);
  const std::string bytes = "()[]{}<>,:;+-_|\" \n09aSwE";
  for (int trial = 0; trial < 300; ++trial) {
    std::string text = seeds[random() % seeds.size()];
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text.erase(at, 1 + random() % 6);
          break;
        case 1:
          text.insert(at, 1, bytes[random() % bytes.size()]);
          break;
        default:
          text.insert(at, text.substr(at, random() % 20));
      }
    }
    const auto reading = paste::read(text);
    CHECK((reading.ok() || !reading.error().message.empty()));
  }
  for (const std::string& piece : {std::string("("), std::string("cute::Layout<"), std::string("LinearLayout({{"),
                                   std::string("N4cute6LayoutI"), std::string("| 0 ")}) {
    std::string deep;
    for (int k = 0; k < 3000; ++k) deep += piece;
    CHECK_FALSE(paste::kCutePrint.read("sA: " + deep, {}).ok());
  }
}
