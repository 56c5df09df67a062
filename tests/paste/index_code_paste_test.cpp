// Index code as it is copied: C++, Python, LLVM, PTX's tables.
#include <catch2/catch.hpp>
#include <random>

#include "core/paste/dialects.h"
#include "core/paste/paste.h"
#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

namespace tessera {
namespace {

using paste::Given;
using paste::Reading;

Given given(std::vector<std::pair<std::string, i64>> over, std::vector<std::pair<std::string, std::string>> lets = {}) {
  Given out;
  out.over = std::move(over);
  out.lets = std::move(lets);
  return out;
}

// The texts of the expressions after the statements of the reading and X = its last value.
std::vector<std::string> values(const std::string& text, const Given& g, const std::vector<std::string>& expressions) {
  INFO(text);
  const auto reading = paste::read(text, g);
  if (!reading) FAIL(reading.error().message);
  for (const paste::Question& q : reading->questions) INFO("asked: " << q.name);
  REQUIRE(reading->questions.empty());
  Scope scope;
  std::vector<std::string> lines;
  for (const paste::Statement& s : reading->statements) lines.push_back(s.text);
  lines.push_back("X = " + reading->statements.back().name);
  std::vector<std::string> out;
  const auto run = [&](const std::string& line, bool keep) {
    const auto statements = splitStatements(line);
    REQUIRE(statements.size() == 1);
    const Evaluated e = evaluate(statements[0], scope);
    INFO(line << ": " << (e.diag ? e.diag->message : ""));
    REQUIRE(!e.diag);
    if (keep) out.push_back(e.value ? print(*e.value) : "");
  };
  for (const std::string& line : lines)
    if (line != "X = X") run(line, false);
  for (const std::string& line : expressions) run(line, true);
  return out;
}

using Texts = std::vector<std::string>;

std::string refusal(const std::string& text, const Given& g) {
  const auto reading = paste::read(text, g);
  if (!reading) return reading.error().message + " " + reading.error().hint;
  std::string asked;
  for (const paste::Question& q : reading->questions) asked += q.name + " ";
  return "asks " + asked;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a subscript, an address, an assignment and a return are the index") {
  CHECK(values("tile[ty * LD + tx]", given({{"ty", 8}, {"tx", 32}}, {{"LD", "33"}}),
               {"X(2,5)", "tile(2,5)", "size(X)"}) == Texts{"71", "71", "256"});
  CHECK(values("&stage[s][threadIdx.x / 4][threadIdx.x % 4 * 8]",
               given({{"s", 2}, {"threadIdx.x", 64}}, {{"stage", "(2,16,40)"}}), {"X(1,5)"}) == Texts{"688"});
  CHECK(values("k ^= k >> 3;", given({{"k", 64}}), {"X(9)", "k(9)"}) == Texts{"8", "8"});
  CHECK(values("return (r << 4) + (c ^ (r & 3));", given({{"r", 4}, {"c", 16}}), {"X(3,1)"}) == Texts{"50"});
  CHECK(values("int slot = (lane < 16) ? lane : lane - 16 + 64;", given({{"lane", 32}}), {"slot(17)"}) == Texts{"65"});
  CHECK(values("__shared__ double t[16][16 + PAD];", given({}, {{"PAD", "1"}}), {"t(1,2)", "shape(X)"}) ==
        Texts{"19", "(16,17)"});
}

TEST_CASE("a kernel is its accesses; the block's size gives coordinates") {
  const std::string text =
      "__global__ void move(const half *in, half *out, int n) {\n"
      "  __shared__ half s[32][34];\n"
      "  int row = threadIdx.x / 8, chunk = threadIdx.x % 8;\n"
      "  if (row < n) s[row][chunk * 4] = in[row * 32 + chunk * 4];\n"
      "  __syncthreads();\n"
      "  out[blockIdx.x * 1024 + threadIdx.x] = s[threadIdx.x % 32][threadIdx.x / 32];\n"
      "}\n";
  const Given g = given({}, {{"blockDim", "(256,1,1)"}, {"gridDim", "(2,1,1)"}, {"n", "30"}});
  CHECK(values(text, g, {"X(3,1)", "row(17,1)", "in(9,1)", "code.s.1(9,0)", "s(33,1)"}) ==
        Texts{"1027", "2", "36", "38", "35"});
  const auto reading = paste::read(text, g);
  REQUIRE(reading.ok());
  CHECK(reading->dialect == "index code in C++");
  bool line = false;
  for (const std::string& note : reading->notes) line = line || holds(note, "line 6: stores 1 element of out (half)");
  CHECK(line);
}

TEST_CASE("unmatched braces of a cut text are closed") {
  CHECK(values("for (int i = 0; i < 4; ++i) {\n  s[i * 8] = 0;", given({}), {"X(3)"}) == Texts{"24"});
  CHECK(values("  return i * 8;\n}", given({{"i", 4}}), {"X(3)"}) == Texts{"24"});
}

TEST_CASE("Python: a lambda, a function, statements, Triton's offsets") {
  CHECK(values("lambda i, j: [i // 8, j, i % 8]", given({{"i", 16}, {"j", 4}}), {"X(9,3)"}) == Texts{"(1,3,1)"});
  CHECK(values("def place(t, v):\n    r = t // 4 + v // 2 * 8\n    return r, t % 4 * 2 + v % 2\n",
               given({{"t", 32}, {"v", 4}}), {"X(9,3)", "place(0,2)"}) == Texts{"(10,3)", "(8,0)"});
  CHECK(values("rows = tl.program_id(0) * 16 + tl.arange(0, 16)\ncols = tl.arange(0, 8)\nat = rows[:, None] * ld + "
               "cols[None, :]\n",
               given({{"tl.program_id(0)", 4}, {"tl.arange(0,16)", 16}, {"cols", 8}}, {{"ld", "100"}}),
               {"X(1,2,3)"}) == Texts{"1803"});
}

TEST_CASE("LLVM's address chains, with signs and widths") {
  const std::string text =
      "%tid = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "%1 = and i32 %tid, 7\n"
      "%2 = lshr i32 %tid, 3          ; the row\n"
      "%3 = xor i32 %1, %2\n"
      "%4 = shl nuw nsw i32 %3, 1\n"
      "%5 = zext i32 %2 to i64\n"
      "%6 = getelementptr [8 x [16 x float]], ptr addrspace(3) @s, i64 0, i64 %5, i32 %4\n"
      "%7 = load float, ptr addrspace(3) %6, align 4\n";
  CHECK(values(text, given({{"threadIdx.x", 64}}), {"X(9)", "X(63)"}) == Texts{"16", "112"});
  CHECK(values("%2 = sub i32 0, %t\n%3 = sdiv i32 %2, 2\n%4 = add i32 %3, 8\n%5 = getelementptr i8, ptr %p, i32 %4\n",
               given({{"t", 16}}), {"X(5)"}) == Texts{"6"});
}

TEST_CASE("PTX's tables of rows and columns are read with their cases") {
  const std::string text =
      "g = %laneid >> 2\n"
      "row = g for ci where i < 2\n"
      "      g + 8 for ci where i >= 2\n"
      "col = (%laneid % 4) * 2 + (i & 0x1) for ci where i = {0,..,3}\n";
  CHECK(values(text, given({{"laneid", 32}, {"i", 4}}), {"row(9,3)", "col(9,3)", "row(9,1)"}) == Texts{"10", "3", "2"});
}

TEST_CASE("what is not defined is named, or asked for") {
  CHECK(holds(refusal("s[SWAP(row, col)]", given({{"row", 4}, {"col", 4}})), "SWAP"));
  const std::string asked = refusal("s[row * LD + threadIdx.x]", given({}));
  CHECK(holds(asked, "row"));
  CHECK(holds(asked, "LD"));
  CHECK(holds(asked, "threadIdx.x"));
  CHECK(holds(refusal("s[row][col]", given({{"row", 4}, {"col", 4}})), "--let s="));
  CHECK(holds(refusal("int x = row * 65536 * 65536;", given({{"row", 4}})),
              "overflows int: it is 4294967296 at (row=1)"));
}

TEST_CASE("fuzzed index code never crashes the reading") {
  const Texts texts = {"s[(row ^ (col >> 2)) * LD + col] = t[row][col];", "lambda i, j: (i // 2, j % 3)",
                       "%1 = and i32 %t, 31\n%2 = getelementptr half, ptr %p, i32 %1",
                       "row = g for ai where i < 2 || 4 <= i < 6\n g + 8 Otherwise",
                       "#define A(x) ((x) * 8)\nint f(int r) { return A(r) / 3; }"};
  std::mt19937_64 random(3);
  const std::string inserted = "(){}[];<>*&^%#\"'/\\,=+-!?:\n0f1 ";
  for (int k = 0; k < 1000; ++k) {
    std::string text = texts[random() % texts.size()];
    for (std::uint64_t n = random() % 5 + 1; n > 0; --n) {
      const std::size_t where = random() % (text.size() + 1);
      if (random() % 2 == 0) {
        text.insert(where, 1, inserted[random() % inserted.size()]);
      } else {
        text.erase(where, random() % 4);
      }
    }
    for (const paste::Dialect* d : {&paste::kCode, &paste::kPythonCode, &paste::kLlvm}) {
      (void)d->recognizes(text);
      (void)d->read(text, given({{"row", 4}, {"col", 4}, {"t", 4}, {"i", 4}}, {{"LD", "8"}}));
    }
  }
}

}  // namespace tessera
