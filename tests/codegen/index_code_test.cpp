// The text of index code, its refusals, and the CUTLASS types, which are the layouts they were made from.
//
// Checked manually, not here (CUTLASS 4.2.0's headers, nvcc 13.0, 2026-11-22): 130 types printed from cute.jsonl,
// atlas.jsonl and translations (swizzles, offsets, outer layouts, bases, negative strides, strides beyond 32 bits)
// compiled, and at 75,677 coordinates CuTe's value was that of the CUDA function printed for the same layout.
#include "core/codegen/index/index_code.h"

#include <catch2/catch.hpp>

#include "core/codegen/index/index_function.h"
#include "core/codegen/index/index_text.h"
#include "core/notation/convert.h"
#include "core/notation/cute/notation.h"
#include "tests/support/value_of.h"

using namespace tessera;
using namespace tessera::codegen;

namespace {

Layout layoutOfText(const std::string& text) { return std::get<Layout>(valueOf(text)); }

std::string code(const std::string& text, Language language, std::string_view name = "") {
  const auto printed = indexCode(layoutOfText(text), language, name);
  INFO(text);
  REQUIRE(printed);
  return *printed;
}

// The text between the brackets of the first function with this name, its lines joined.
std::string bodyOf(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(" " + name + "(");
  REQUIRE(at != std::string::npos);
  const std::size_t open = text.find("{\n", at), close = text.find("\n}", at);
  REQUIRE(close != std::string::npos);
  std::string body;
  for (const char c : text.substr(open + 2, close - open - 2)) {
    if (c == '\n') body += ' ';
    if (c != '\n' && (c != ' ' || (!body.empty() && body.back() != ' '))) body += c;
  }
  return body;
}

}  // namespace

TEST_CASE("a swizzled tile in CUDA, whole") {
  CHECK(code("Sw<3,3,3> o (64,64):(64,1)", Language::Cuda) == R"(// Sw<3,3,3> o 0 o (64,64):(64,1)
// 0 <= i < 64, 0 <= j < 64. The result lies in [0, 4095].
__host__ __device__ inline int offset(int i, int j) {
  return (i * 64 + j) ^ ((i & 7) * 8);
}

struct offset_inverse_result {
  int i;
  int j;
};
// 0 <= offset < 4096. The coordinates that offset maps to this place. Proved: the composition
// simplifies to the identity.
__host__ __device__ inline offset_inverse_result offset_inverse(int offset) {
  return {offset >> 6, ((offset & 0x1c0) >> 3) ^ (offset & 63)};
}
)");
}

TEST_CASE("a nested layout in Python, whole") {
  CHECK(code("((2,2),8):((1,16),2)", Language::Python, "place") == R"(def place(i, j):
    """((2,2),8):((1,16),2)

    0 <= i < 4 (over (2,2), the first fastest), 0 <= j < 8. The result lies in [0, 31].
    """
    return (i // 2) * 16 + j * 2 + i % 2


def place_inverse(offset):
    """place, inverted

    0 <= offset < 32. The coordinates that place maps to this place. Proved: the composition simplifies
    to the identity.
    Returns (i, j).
    """
    return (offset // 16) * 2 + offset % 2, (offset // 2) % 8
)");
}

TEST_CASE("how an expression reads in C") {
  struct Row {
    const char *layout, *name, *body;
  };
  for (const auto& [layout, name, body] : {
           // What is used twice and is more than one operation has a name.
           Row{"Sw<3,4,3> o (8,64):(72,1)", "offset", "const int t0 = i * 72 + j; return t0 ^ ((t0 >> 7) * 16);"},
           // 64 bits where 32 do not suffice: the cast is where the product exceeds them.
           Row{"(1048576,65536):(65536,1)", "offset", "return (long long)i * 65536 + j;"},
           Row{"(1048576,65536):(65536,1)", "offset_inverse",
               "return (struct offset_inverse_result){(int)(offset >> 16), (int)(offset & 0xffff)};"},
           Row{"(9,4):(3000000000,1)", "offset", "return i * 3000000000LL + j;"},
           // What a coordinate does not move is still a parameter.
           Row{"(4,8):(0,1)", "offset", "(void)i; return j;"},
           // Of negative values: masks and shifts round down, C's / and % do not.
           Row{"(x, y) -> ((x - y) floordiv 4), domain: x in [0, 9], y in [0, 9]", "map_at", "return (x - y) >> 2;"},
           Row{"(x, y) -> ((x - y) mod 4), domain: x in [0, 9], y in [0, 9]", "map_at", "return (y * 3 + x) & 3;"},
           Row{"(x, y) -> ((x - y) floordiv 3), domain: x in [0, 9], y in [0, 9]", "map_at",
               "return floor_div(x - y, 3);"},
           Row{"(x) -> (x floordiv 3 * 5 + x mod 3), domain: x in [0, 99]", "map_at", "return (x / 3) * 5 + x % 3;"},
           // A field that is moved whole is masked in place.
           Row{"(x) -> (x floordiv 8 mod 8 * 8), domain: x in [0, 999]", "map_at", "return x & 0x38;"},
           Row{"(x) -> (x xor (x floordiv 64 mod 8 * 8)), domain: x in [0, 4095]", "map_at",
               "return x ^ ((x & 0x1c0) >> 3);"},
           Row{"(x) -> (min(x + 3, 7)), domain: x in [0, 9]", "map_at", "return (x < 4 ? x : 4) + 3;"},
           // Conditions: what is subtracted is on the other side.
           Row{"S[(n,8):(8@m,1@m)] for n in [1, 4096]", "offset_inside", "(void)d1; return d0 < n;"},
           Row{"(4,8):(10,1)", "offset_hit", "return offset % 10 <= 7;"},
       }) {
    INFO(layout);
    CHECK(bodyOf(code(layout, Language::C), name) == body);
  }
}

TEST_CASE("a fragment of an instruction is a function of register and lane") {
  const std::string mma =
      "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}> over (16,8)";
  const std::string text = code(mma, Language::Cuda, "accumulator");
  CHECK(text.find("accumulator(int reg, int lane)") != std::string::npos);
  CHECK(bodyOf(text, "accumulator") == "return {(reg >> 1) * 8 + (lane >> 2), (lane & 3) * 2 + (reg & 1)};");
  CHECK(bodyOf(text, "accumulator_inverse") ==
        "return {((dim0 >> 3) * 2) ^ (dim1 & 1), ((dim0 & 7) * 4) ^ (dim1 >> 1)};");
}

TEST_CASE("the line of C that is printed reads back as the same layout") {
  struct Row {
    const char *layout, *shape;
  };
  for (const auto& [layout, shape] :
       {Row{"Sw<3,3,3> o (64,64):(64,1)", "(64,64)"}, Row{"((2,2),8):((1,16),2)", "(4,8)"},
        Row{"bf16[8,100]{1,0:T(8,128)(2,1)}", "(8,100)"}, Row{"(5,7):(9,1)", "(5,7)"}}) {
    std::string body = bodyOf(code(layout, Language::C), "offset");
    REQUIRE(body.substr(0, 7) == "return ");
    for (std::size_t at = body.find("d0"); at != std::string::npos; at = body.find("d0")) body.replace(at, 2, "i");
    for (std::size_t at = body.find("d1"); at != std::string::npos; at = body.find("d1")) body.replace(at, 2, "j");
    Scope scope;
    const auto statements = splitStatements("F(i, j) = " + body.substr(7, body.size() - 8) + " over " + shape);
    REQUIRE(statements.size() == 1);
    const Evaluated e = evaluate(statements[0], scope);
    INFO(layout << ": " << body);
    REQUIRE(e.value);
    const Arrow read = *arrowOf(*e.value), written = *layoutOfText(layout).arrow();
    const std::vector<i64> extents = extentsOf(written.from);
    REQUIRE(extents == extentsOf(read.from));
    bool same = true;
    for (i64 i = 0; i < extents[0]; ++i)
      for (i64 j = 0; j < extents[1]; ++j)
        same = same && read.map.at(digitsAt(read, std::vector<i64>{i, j})) ==
                           written.map.at(digitsAt(written, std::vector<i64>{i, j}));
    CHECK(same);
  }
}

TEST_CASE("where there is no inverse, the text says why") {
  CHECK(code("(4,8):(0,1)", Language::C).find("// No inverse: (0,0) and (1,0) both give 0.\n") != std::string::npos);
  CHECK(code("S[(n,8):(8@m,1@m)] for n in [1, 64]", Language::C).find("// No inverse: ") != std::string::npos);
}

TEST_CASE("a type of CUTLASS is the layout that it was made from") {
  for (const char* text : {"(4,8):(8,1)", "((2,2),8):((1,16),2)", "Sw<3,3,3> o (64,64):(64,1)", "(4,8):(-8,1)", "7:2",
                           "(4,5):(1,4) o 2 o (2,3):(1,2)", "(4,5):(1@1,1@0)", "bf16[8,128]{1,0:T(8,128)(2,1)}",
                           "(3,65536):(3000000000,1)", "Sw<3,3,3> o 5 o (8,64):(64,1)"}) {
    const std::string printed = code(text, Language::Cutlass, "Tile");
    INFO(printed);
    const std::size_t at = printed.find("using Tile = ");
    REQUIRE(at != std::string::npos);
    REQUIRE(printed.substr(printed.size() - 2) == ";\n");
    std::string type = printed.substr(at + 13, printed.size() - at - 15);
    for (char& c : type) c = c == '\n' ? ' ' : c;
    const auto form = toCute(layoutOfText(text));
    REQUIRE(form);
    CHECK(layoutOfText(type) == *form);
  }
  // A swizzle of bytes is said of elements: the pointer's width is no part of the type.
  CHECK(code("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", Language::Cutlass).find("cute::Swizzle<3, 3, 3>") !=
        std::string::npos);
}

TEST_CASE("what has no text is refused with the reason") {
  const auto refused = indexCode(layoutOfText("bf16[9,100]{1,0:T(8,128)(2,1)}"), Language::Cutlass);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("a tile of 8 does not divide the 9") != std::string::npos);
  CHECK_FALSE(indexCode(layoutOfText("(4,8):(8,1)"), Language::C, "not a name"));
  CHECK_FALSE(indexCode(layoutOfText("(4,8):(8,1)"), Language::Cutlass, "while"));
  CHECK_FALSE(indexCode(layoutOfText("(?,8):(8,1)"), Language::C));
  CHECK_FALSE(indexCode(layoutOfText("(?,8):(8,1)"), Language::Cutlass));
  CHECK_FALSE(languageOf("fortran"));
  CHECK(languageOf("fortran").error().expected == "cuda, c, python or cutlass");
  CHECK(*languageOf("CUDA") == Language::Cuda);
  CHECK(*languageOf("py") == Language::Python);
}

TEST_CASE("names are identifiers of C and Python") {
  CHECK(identifierLike("lane", {}) == "lane");
  CHECK(identifierLike("lane", {"lane", "lane_2"}) == "lane_3");
  CHECK(identifierLike("register", {}) == "reg");
  CHECK(identifierLike("lambda", {}) == "lambda_");
  CHECK(identifierLike("", {}) == "x");
  CHECK(identifierLike("2d", {}) == "x2d");
  CHECK(identifierLike("a-b\xc3\xa9", {}) == "a_b__");
  CHECK(isIdentifier("offset_2"));
  for (const char* none : {"", "2x", "a b", "int", "None", "a-b"}) CHECK_FALSE(isIdentifier(none));
}

TEST_CASE("nothing that a text contains leaves its comment") {
  CHECK(commentLine("a\nb") == "a b");
  CHECK(commentLine("ends in a backslash\\") == "ends in a backslash");
  CHECK(commentLine(std::string(500, 'x')).size() < 210);
  const Arrow arrow = *layoutOfText("(4,8):(8,1)").arrow();
  const auto python = indexCode(arrow, Language::Python, "f", "quotes \"\"\" and \\");
  REQUIRE(python);
  CHECK(python->find("quotes ''' and") != std::string::npos);
}

TEST_CASE("code(X, language, name) in a worksheet") {
  CHECK(print(valueOf("code((4,8):(8,1), cutlass, T)")).find("using T = cute::Layout<") != std::string::npos);
  CHECK(print(valueOf("code((4,8):(8,1), \"python\")")).find("def offset(i, j):") != std::string::npos);
  CHECK(print(valueOf("code((4,8), c)")).find("return i + j * 4;") == std::string::npos);  // the largest stride first
  CHECK(print(valueOf("code((4,8), c)")).find("return j * 4 + i;") != std::string::npos);
}
