// Index code as layouts: the constructs of the languages, the accesses, refusals, damage.
#include "core/code/index_code.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/map/tabulate.h"
#include "core/worksheet/worksheet.h"

namespace tessera {
namespace {

using code::Given;
using code::IndexCode;
using code::IndexValue;

Given over(std::vector<Given::Coordinate> coordinates, std::vector<std::pair<std::string, std::string>> lets = {}) {
  Given given;
  given.over = std::move(coordinates);
  for (const auto& [name, value] : lets) {
    const auto constant = code::constantOf(name, value);
    REQUIRE(constant.ok());
    given.constants.push_back(*constant);
  }
  return given;
}

IndexCode read(const std::string& text, Given given, const std::string& word = "cuda") {
  INFO(text);
  auto code = code::indexCode(word, text, std::move(given));
  if (!code) INFO(code.error().message);
  if (!code) FAIL(code.error().message);
  return *std::move(code);
}

std::string refusal(const std::string& text, Given given, const std::string& word = "cuda") {
  const auto code = code::indexCode(word, text, std::move(given));
  return code ? "" : code.error().message + " | " + code.error().expected + " | " + code.error().hint;
}

i64 at(const IndexCode& code, std::vector<i64> point) {
  const auto map = code::toMap(code);
  REQUIRE(map.ok());
  REQUIRE(map->digits().size() == point.size());
  return map->at(point).at(0);
}

std::vector<i64> tuple(const IndexCode& code, std::vector<i64> point) { return code::toMap(code)->at(point); }

// The whole table against a function written here.
template <typename F>
void same(const IndexCode& code, i64 rows, i64 columns, F f) {
  for (i64 r = 0; r < rows; ++r)
    for (i64 c = 0; c < columns; ++c)
      if (at(code, {r, c}) != f(r, c)) {
        INFO(code.text << " at (" << r << ", " << c << ")");
        CHECK(at(code, {r, c}) == f(r, c));
        return;
      }
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a text is what its last function returns") {
  const auto swizzle = [](i64 r, i64 c) { return r * 64 + (c ^ ((r & 7) << 3)); };
  same(read("int at(int r, int c) { return r * 64 + (c ^ ((r & 7) << 3)); }", over({{"", 16}, {"", 64}})), 16, 64,
       swizzle);
  same(read("auto at = [=](int r, int c) { return r * 64 + (c ^ ((r & 7) << 3)); };", over({{"", 16}, {"", 64}})), 16,
       64, swizzle);
  same(read("lambda r, c: r * 64 + (c ^ ((r & 7) << 3))", over({{"", 16}, {"", 64}}), "python"), 16, 64, swizzle);
  same(read("int half(int x) { return x / 2; }\nint at(int r, int c) { return half(r) + half(half(c)); }",
            over({{"", 8}, {"", 8}})),
       8, 8, [](i64 r, i64 c) { return r / 2 + c / 4; });
  same(read("struct Tile { static constexpr int kWidth = 40;\n int operator()(int r, int c) const { return r * kWidth "
            "+ c; } };",
            over({{"", 8}, {"", 40}})),
       8, 40, [](i64 r, i64 c) { return r * 40 + c; });
  same(read("template <int B, int M, int S> struct Swap { static int apply(int x) { return x ^ ((x >> S) & (((1 << B) "
            "- 1) << M)); } };\n"
            "int at(int r, int c) { return Swap<2, 3, 3>::apply(r * 32 + c); }",
            over({{"", 16}, {"", 32}})),
       16, 32, [](i64 r, i64 c) {
         const i64 x = r * 32 + c;
         return x ^ ((x >> 3) & 24);
       });
}

TEST_CASE("statements: locals, conditions, loops, switches") {
  same(read("int at(int r, int c) { int x = 0; if (r < 3) { x = c; } else if (r == 5) return 100; else x += 7; return "
            "x + r; }",
            over({{"", 8}, {"", 4}})),
       8, 4, [](i64 r, i64 c) { return r < 3    ? c + r
                                       : r == 5 ? 100
                                                : 7 + r; });
  same(read("int at(int r, int c) { int x = r; while (x > 3) { x -= 2; if (x == c) break; } return x; }",
            over({{"", 12}, {"", 6}})),
       12, 6, [](i64 r, i64 c) {
         i64 x = r;
         while (x > 3) {
           x -= 2;
           if (x == c) break;
         }
         return x;
       });
  same(read("int at(int r, int c) { int s = 0; for (int k = 0; k < r; ++k) { if (k % 2) continue; s += k + c; } return "
            "s; }",
            over({{"", 9}, {"", 3}})),
       9, 3, [](i64 r, i64 c) {
         i64 s = 0;
         for (i64 k = 0; k < r; k += 2) s += k + c;
         return s;
       });
  same(read("int at(int r, int c) { switch (r % 4) { case 0: return c; case 1: case 2: c += 5; break; default: c = 1; "
            "} return c * 2; }",
            over({{"", 8}, {"", 3}})),
       8, 3, [](i64 r, i64 c) { return r % 4 == 0   ? c
                                       : r % 4 == 3 ? 2
                                                    : (c + 5) * 2; });
  same(read("int at(int r, int c) { constexpr int order[4] = {0, 2, 1, 3}; int own[4]; for (int k = 0; k < 4; ++k) "
            "own[k] = order[k] * c;"
            " return own[r]; }",
            over({{"", 4}, {"", 5}})),
       4, 5, [](i64 r, i64 c) {
         return std::vector<i64>{0, 2, 1, 3}[static_cast<std::size_t>(r)] * c;
       });
  same(read("void split(int x, int &q, int &m) { q = x / 3; m = x % 3; }\nint at(int r, int c) { int q, m; split(r, q, "
            "m); return q * 10 + m + c; }",
            over({{"", 9}, {"", 2}})),
       9, 2, [](i64 r, i64 c) { return r / 3 * 10 + r % 3 + c; });
  same(read("def at(r, c):\n  s = 0\n  for k in range(3):\n    if k == c:\n      continue\n    s += k * r\n  return s",
            over({{"", 4}, {"", 4}}), "python"),
       4, 4, [](i64 r, i64 c) { return (3 - (c < 3 ? c : 0)) * r; });
}

TEST_CASE("the rules of C: widths, signs, truncation, and those of Python") {
  same(read("unsigned at(unsigned r, unsigned c) { return r - c; }", over({{"", 4}, {"", 4}})), 4, 4,
       [](i64 r, i64 c) { return static_cast<i64>(static_cast<std::uint32_t>(r - c)); });
  same(read("int at(int r, int c) { return (uint8_t)(r * 100 - c) + (int8_t)(r * 50); }", over({{"", 8}, {"", 8}})), 8,
       8, [](i64 r, i64 c) {
         return static_cast<i64>(static_cast<std::uint8_t>(r * 100 - c)) + static_cast<std::int8_t>(r * 50);
       });
  same(read("int at(int r, int c) { return (c - r) / 3 * 10 + (c - r) % 3; }", over({{"", 8}, {"", 8}})), 8, 8,
       [](i64 r, i64 c) { return (c - r) / 3 * 10 + (c - r) % 3; });
  same(read("lambda r, c: (c - r) // 3 * 10 + (c - r) % 3", over({{"", 8}, {"", 8}}), "python"), 8, 8,
       [](i64 r, i64 c) { return floorDiv(c - r, 3) * 10 + floorMod(c - r, 3); });
  same(read("uint32_t at(uint32_t r, uint32_t c) { return (r * 2654435761u + c) >> 20; }", over({{"", 32}, {"", 8}})),
       32, 8, [](i64 r, i64 c) {
         return static_cast<i64>((static_cast<std::uint32_t>(r) * 2654435761U + static_cast<std::uint32_t>(c)) >> 20);
       });
  same(read("int at(int r, int c) { return (1 << c) | (r & ~((1 << c) - 1)); }", over({{"", 64}, {"", 6}})), 64, 6,
       [](i64 r, i64 c) { return (i64{1} << c) | (r & ~((i64{1} << c) - 1)); });
  same(read("int at(int r, int c) { return __ffs(r) * 100 + __popc(r) * 10 + min(r, c); }", over({{"", 16}, {"", 9}})),
       16, 9, [](i64 r, i64 c) {
         return __builtin_ffs(static_cast<int>(r)) * 100 + __builtin_popcount(static_cast<unsigned>(r)) * 10 +
                std::min(r, c);
       });
  CHECK(contains(refusal("int at(int r, int c) { return r * 65536 * 32768 + c; }", over({{"", 2}, {"", 2}})),
                 "at (r=1, c=0)"));
  CHECK(contains(refusal("int at(int r, int c) { return 8 / (r - c); }", over({{"", 2}, {"", 2}})), "division by 0"));
  // Elsewhere nothing overflows: the branch is not taken.
  same(read("int at(int r, int c) { return r == 0 ? c : r < 2 ? r * 1000000000 : 8 / r; }", over({{"", 8}, {"", 2}})),
       8, 2, [](i64 r, i64 c) { return r == 0  ? c
                                       : r < 2 ? r * 1000000000
                                               : 8 / r; });
}

TEST_CASE("macros are text, as the preprocessor's") {
  same(read("#define TWICE(x) x + x\n#define AREA(a, b) (TWICE(a)) * b\nint at(int r, int c) { return 2 * TWICE(r) + "
            "AREA(c, 3); }",
            over({{"", 8}, {"", 8}})),
       8, 8, [](i64 r, i64 c) { return 2 * r + r + (c + c) * 3; });
  const auto& fault = code::indexCode("cuda", "#define F(x) (x) / (x - 1)\nint at(int r, int c) { return F(r) + c; }",
                                      over({{"", 4}, {"", 2}}));
  REQUIRE(!fault.ok());
  CHECK(fault.error().span.begin > 27);  // at the use, not in the definition
  CHECK(read("#define N 8\nint x = i * N;", over({{"i", 4}}, {{"N", "10"}})).value().name == "x");
  CHECK(at(read("#define N 8\nint x = i * N;", over({{"i", 4}}, {{"N", "10"}})), {3}) == 30);
}

TEST_CASE("arrays, pointers and accesses are layouts with their line") {
  const std::string text =
      "__shared__ half tile[32][40];\n"
      "half *row = &tile[threadIdx.x / 4][0];\n"
      "*(float4 *)(row + threadIdx.x % 4 * 8) = *reinterpret_cast<const float4 *>(&in[threadIdx.x * 8]);\n"
      "half one = tile[threadIdx.x % 32][threadIdx.x / 32];\n";
  const IndexCode code = read(text, over({{"threadIdx.x", 128}}, {{"in", "half"}}));
  CHECK(code.value().name == "tile");
  CHECK(code.value().kind == IndexValue::Kind::Access);
  CHECK(code.value().direction == code::Direction::Load);
  CHECK(code.value().line == 4);
  CHECK(code.value().elementBits == 16);
  CHECK(at(code, {33}) == 41);
  const auto in = code::selected(code, "in");
  REQUIRE(in.ok());
  CHECK(in->value().vector == 8);
  CHECK(in->value().line == 3);
  CHECK(at(*in, {5}) == 40);
  const auto array = code::selected(code, "tile.0");
  REQUIRE(array.ok());
  CHECK(array->value().kind == IndexValue::Kind::Array);
  CHECK(array->value().extents == std::vector<i64>{32, 40});
  const auto store = code::selected(code, "tile.1");
  REQUIRE(store.ok());
  CHECK(store->value().direction == code::Direction::Store);
  CHECK(store->value().vector == 8);
  CHECK(at(*store, {5}) == 48);
  CHECK(!code::selected(code, "tile.9").ok());
  CHECK(contains(code::selected(code, "tyle").error().expected, "tile"));

  same(read("__shared__ float t[8][9]; int at(int y, int x) { return &t[y][x] - &t[0][0]; }", over({{"", 8}, {"", 9}})),
       8, 9, [](i64 y, i64 x) { return y * 9 + x; });
  same(read("half *p = (half *)((char *)smem + r * 128 + ((c * 16) ^ ((r & 7) << 4))); *p = 0;",
            over({{"r", 8}, {"c", 8}}, {{"smem", "half"}})),
       8, 8, [](i64 r, i64 c) { return (r * 128 + ((c * 16) ^ ((r & 7) << 4))) / 2; });
  CHECK(contains(refusal("a[i][j]", over({{"i", 4}, {"j", 4}})), "--let a="));
  CHECK(contains(refusal("a[b[i]]", over({{"i", 4}})), "loaded from b"));
}

TEST_CASE("coordinates are named, or those of the text") {
  CHECK(at(read("int i = blockIdx.x * blockDim.x + threadIdx.x;",
                over({}, {{"blockDim", "(64, 1, 1)"}, {"gridDim", "(4, 1, 1)"}})),
           {2, 3}) == 131);
  CHECK(at(read("int off = p.x * 8 + p.y;", over({{"p.y", 8}, {"p.x", 4}})), {3, 2}) == 19);
  CHECK(at(read("for (int i = 0; i < 4; ++i)\n  for (int j = 1; j < 8; j += 2)\n    s[i * 8 + j] = 0;", over({})),
           {2, 1}) == 19);
  CHECK(at(read("for (int i = 0; i < n; ++i)\n  s[i * 8] = 0;", over({{"i", 4}})), {3}) == 24);
  CHECK(tuple(read("def f(t, v):\n  return t // 4, v % 2 + 1", over({{"v", 4}, {"t", 32}}), "python"), {3, 9}) ==
        std::vector<i64>{2, 2});
  CHECK(contains(refusal("A[row * ld + col]", over({{"row", 4}, {"col", 4}})), "ld"));
  CHECK(contains(refusal("A[row * 4 + col]", over({{"", 4}})), "2 free names"));
  CHECK(contains(refusal("A[swz(row, 3)]", over({{"row", 4}})), "swz"));
  CHECK(contains(refusal("", over({})), "no integer value"));
}

TEST_CASE("a value has no image where its statement is not executed") {
  const IndexCode code = read("if (threadIdx.x < 24) s[threadIdx.x * 2] = 0;", over({{"threadIdx.x", 32}}));
  const auto map = code::toMap(code);
  REQUIRE(map.ok());
  CHECK(map->isReal(std::vector<i64>{23}));
  CHECK(!map->isReal(std::vector<i64>{24}));
}

TEST_CASE("blocks of code in a worksheet") {
  const std::string sheet =
      "C = cuda {\n  int at(int r, int c) {   // rows; and { braces\n    return r * 64 + (c ^ ((r & 7) << 3)); /* } "
      "*/\n  }\n} over (64, 64)\n"
      "L = python { lambda r, c: (r * 128 + c) // 2 } over (8, 8)   // a comment\n"
      "cuda K { int row = tid / 8; As[row * LD + tid % 8] = 0; } over (tid = 64) with LD = 72\n"
      "assert C(3, 5) == 221\nassert L(3, 5) == 194\nassert K(9) == 73\nassert K.row(17) == 2\n"
      "assert size(K) == 64\n";
  Scope scope;
  std::size_t bound = 0;
  for (const Statement& s : splitStatements(sheet)) {
    const Evaluated e = evaluate(s, scope);
    INFO(s.text << ": " << (e.diag ? e.diag->message : ""));
    CHECK(!e.diag);
    bound += s.kind == StatementKind::Bind ? 1 : 0;
  }
  CHECK(bound == 3);
  CHECK(splitStatements(sheet).size() == 8);
  CHECK(splitStatements(sheet).back().line == 12);
}

TEST_CASE("a value prints as a map that reads back") {
  const IndexCode code =
      read("int at(int r, int c) { return r * 64 + (c ^ ((r & 7) << 3)); }", over({{"", 8}, {"", 64}}));
  const std::string text = code::print(code);
  Scope scope;
  const auto statements = splitStatements("M = " + text);
  REQUIRE(statements.size() == 1);
  CHECK(!evaluate(statements[0], scope).diag);
}

TEST_CASE("a function that repeats in blocks has a table of one block") {
  for (const std::string text :
       {"int at(int r, int c) { return r * 256 + (c + r * 8) % 256; }",
        "int at(int r, int c) { return (c < 128 ? 0 : 8192) + r * 128 + ((c / 8) ^ (r % 8)) * 8 % 128 + c % 8; }",
        "int at(int r, int c) { return (r + 3) / 5 * 7 + (c ^ (r & 15)) % 9; }"}) {
    const IndexCode code = read(text, over({{"", 128}, {"", 256}}));
    const auto map = code::toMap(code);
    REQUIRE(map.ok());
    for (const LinearOrder order : {LinearOrder::Lex, LinearOrder::Colex}) {
      std::vector<i64> table(128 * 256);
      REQUIRE(tabulate(*map, 0, order, table).ok());
      bool equal = true;
      for (std::size_t k = 0; k < table.size(); ++k)
        equal = equal && table[k] == map->at(delinearize(static_cast<i64>(k), std::vector<i64>{128, 256}, order))[0];
      INFO(text);
      CHECK(equal);
    }
  }
}

TEST_CASE("damaged code never crashes and never runs on") {
  const std::vector<std::string> texts = {
      "template <int N> __global__ void k(float *A, int ld) {\n  __shared__ float t[32][33];\n  for (int i = 0; i < N; "
      "i += 8)\n"
      "    t[threadIdx.y + i][threadIdx.x] = A[(threadIdx.y + i) * ld + threadIdx.x];\n}\n",
      "#define F(a, b) ((a) * 8 ^ (b))\nint at(int r, int c) { int v = F(r, c); switch (v & 3) { case 1: v++; break; "
      "default: v -= 2; } return v; }",
      "def f(a, b):\n  x = [0, 2, 1, 3]\n  for i in range(4):\n    a += x[i] if b > i else -b\n  return a // 3, a % "
      "5\n"};
  std::mt19937_64 random(7);
  const std::string inserted = "(){}[];<>*&^%#\"'/\\,=+-!?:\n0f1 ";
  for (int k = 0; k < 3000; ++k) {
    std::string text = texts[random() % texts.size()];
    for (std::uint64_t n = random() % 4 + 1; n > 0; --n) {
      const std::size_t where = random() % (text.size() + 1);
      if (random() % 2 == 0) {
        text.insert(where, 1, inserted[random() % inserted.size()]);
      } else {
        text.erase(where, random() % 6);
      }
    }
    const WorkBudget limit({.seconds = 2});
    try {
      const auto code =
          code::indexCode(k % 3 == 2 ? "python" : "cuda", text, over({{"threadIdx.x", 4}, {"a", 4}, {"b", 4}}));
      if (code) (void)code::toMap(*code);
    } catch (const OutOfBudget&) {
    }
  }
  for (const std::string& deep : {std::string(5000, '('), std::string(5000, '['), std::string(5000, '-') + "x",
                                  std::string(3000, '{') + std::string(3000, '}')})
    CHECK(!code::indexCode("cuda", deep, over({{"x", 4}})).ok());
  CHECK(contains(refusal("int f(int x) { return f(x + 1); }", over({{"x", 4}})), "calls"));
  CHECK(!refusal("int f(int x) { while (x >= 0) x += 0; return x; }", over({{"x", 4}})).empty());
  std::string chain = "x";
  for (int k = 0; k < 120; ++k) chain += " ^ (x >> " + std::to_string(k % 5) + ")";
  CHECK(code::indexCode("cuda", "int y = " + chain + ";", over({{"x", 64}})).ok());
}

}  // namespace tessera
