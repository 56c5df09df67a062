// What names mean at comments of source files: one row per rule, with the expected text by hand. Random programs with
// scopes are in tests/cli/check_source.py.
#include "core/code/declarations.h"

#include <catch2/catch.hpp>
#include <string>

#include "core/base/chars.h"
#include "core/code/comments.h"

using namespace tessera;
using namespace tessera::code;

namespace {

// The slice of `name` at the comment that says HERE, or the message.
std::string sliceAt(const std::string& text, const std::string& name, Language language = Language::Cpp,
                    Declarations::Asked asked = {}) {
  const auto declarations = Declarations::of(text, language);
  REQUIRE(declarations.ok());
  for (const Comment& c : commentsIn(text, language)) {
    if (text.substr(c.inside.begin, c.inside.end - c.inside.begin).find("HERE") == std::string::npos) continue;
    Place place{c.span.begin, c.isAlone, {}};
    std::size_t next = c.span.end;
    while (next < text.size() && isBlank(text[next])) ++next;
    if (c.isAlone && next < text.size()) place.next = next;
    const auto slice = declarations->slice(name, place, asked);
    if (!slice) return slice.error().message;
    if (!*slice) return "none";
    std::string out = (*slice)->text;
    for (const auto& [doubted, why] : (*slice)->doubts) out += "doubt: " + why.message + "\n";
    return out;
  }
  FAIL("no comment says HERE");
  return "";
}

std::string pythonAt(const std::string& text, const std::string& name, const Declarations::Asked& asked = {}) {
  return sliceAt(text, name, Language::Python, asked);
}

}  // namespace

TEST_CASE("a name is that of the declaration with those that it uses") {
  CHECK(sliceAt("int a = 1, b = a;\nint c = b;  // HERE\n", "c") == "int a = 1;\nint b = a;\nint c = b;\n");
  CHECK(sliceAt("#define N 8\n#define M (N * 2)\n// HERE\n", "M") == "#define N 8\n#define M (N * 2)\n");
  CHECK(sliceAt("struct T { static constexpr int k = 3; using L = A<k>; /* HERE */ };\n", "L") ==
        "static constexpr int k = 3;\nusing L = A<k>;\n");
  CHECK(sliceAt("// HERE\n", "x") == "none");
  CHECK(pythonAt("a = 1\nb = a + 1\nb = b + 2  # HERE\n", "b") == "a = 1\nb = a + 1\nb = b + 2\n");
}

TEST_CASE("the declaration below a comment of its own line is meant, else the nearest before") {
  const std::string two = "const int a = 1;\n{\n  // HERE\n  const int a = 2;\n}\n";
  CHECK(sliceAt(two, "a") == "const int a = 2;\n");
  CHECK(sliceAt("const int a = 1;\nint f() {\n  int z = 0;  // HERE\n  const int a = 2;\n}\n", "a") ==
        "const int a = 1;\n");
  CHECK(sliceAt("void f() { const int a = 1; }\n// HERE\nint z;\n", "a") ==
        "a is declared in line 1, which this place does not see");
  CHECK(sliceAt("namespace n { const int a = 1; }\nnamespace n { /* HERE */ }\n", "a") == "const int a = 1;\n");
  CHECK(pythonAt("def f():\n    a = 1\n    # HERE\n", "a") == "a = 1\n");
  CHECK(pythonAt("def f():\n    a = 1\n# HERE\n", "a") == "a is declared in line 2, which this place does not see");
}

TEST_CASE("a name without one value is refused") {
  CHECK(sliceAt("int a = 1;\na += 2;\n// HERE\n", "a") == "a of line 1 is changed in line 2");
  CHECK(sliceAt("int a = 1;\n// HERE\nint z;\na = 2;\n", "a") == "int a = 1;\n");
  CHECK(sliceAt("int a = 1;\nfor (int k = 0; k < 4; ++k) {\n  // HERE\n  a++;\n}\n", "a") ==
        "a of line 1 is changed in the loop, in line 4");
  CHECK(sliceAt("int a = 1;\n{ int a = 2; a = 3; }\n// HERE\n", "a") == "int a = 1;\n");
  CHECK(sliceAt("int a = 1;\nasm volatile(\"mov %0, 3;\" : \"=r\"(a));\n// HERE\n", "a") ==
        "a of line 1 is changed in line 2");
  CHECK(sliceAt("void f(int a) { /* HERE */ }\n", "a") == "a is a parameter (line 1); the file gives it no value");
  CHECK(sliceAt("for (int k = 0; k < 4; ++k) { /* HERE */ }\n", "k") == "k is the variable of a loop (line 1)");
  CHECK(sliceAt("#if X\nconst int a = 1;\n#else\nconst int a = 2;\n#endif\n// HERE\n", "a") ==
        "a is declared in lines 2 and 4, in branches of #if");
  CHECK(sliceAt("#if X\nconst int a = 1;\n// HERE\n#else\nconst int a = 2;\n#endif\n", "a") == "const int a = 1;\n");
  CHECK(pythonAt("if x:\n    a = 1\n# HERE\n", "a") == "a is assigned under a condition or in a loop (line 2)");
  CHECK(pythonAt("a = 1\nfor i in x:\n    # HERE\n    a += 1\n", "a") ==
        "a of line 1 is changed in the loop, in line 4");
  CHECK(pythonAt("a = 1\na = 2\ndef f():\n    # HERE\n    pass\n", "a") == "a is assigned in lines 1 and 2");
  CHECK(pythonAt("a = 1\nfrom b import c, d as a\n# HERE\n", "a") ==
        "a comes from elsewhere (line 2); the file gives it no value");
  CHECK(sliceAt("const int a = 1;\n{ using T::a; /* HERE */ }\n", "a") ==
        "a comes from elsewhere (line 2); the file gives it no value");
  CHECK(pythonAt("with x:\n    a = 1\n# HERE\n", "a") == "a = 1\n");
  CHECK(pythonAt("for i in range(3):\n    # HERE\n    pass\n", "i") == "i is the variable of a loop (line 1)");
}

TEST_CASE("a doubt about a name that the declaration uses is kept") {
  CHECK(sliceAt("void f(int n) {\n  int a = n * 2;  // HERE\n}\n", "a") ==
        "int a = n * 2;\ndoubt: n is a parameter (line 1); the file gives it no value\n");
  Declarations::Asked given;
  given.isGiven = [](const std::string& name) { return name == "n"; };
  CHECK(sliceAt("void f(int n) {\n  int a = n * 2;  // HERE\n}\n", "a", Language::Cpp, given) == "int a = n * 2;\n");
}

TEST_CASE("an access is the nearest one; names of a domain stay free") {
  Declarations::Asked asked;
  asked.access = true;
  asked.cut = {"row"};
  const std::string text =
      "__shared__ half As[64][72];\nint row = threadIdx.x, c = 3;\nAs[row][c] = As2[0];  // HERE\n";
  CHECK(sliceAt(text, "As", Language::Cpp, asked) == "__shared__ half As[64][72];\nint c = 3;\nAs[row][c];\n");
  CHECK(sliceAt("A[row] = A[row + 1];  // HERE\n", "A", Language::Cpp, asked) == "line 1 accesses A at two indices");
  CHECK(sliceAt("int i = row * 8;  // HERE\nA[i] = 1;\n", "i", Language::Cpp, asked) == "int i = row * 8;\n");
}

TEST_CASE("comments are found outside of strings, raw strings and literals") {
  const auto insides = [](const std::string& text, Language language) {
    std::string out;
    for (const Comment& c : commentsIn(text, language))
      out += "[" + text.substr(c.inside.begin, c.inside.end - c.inside.begin) + (c.isAlone ? "]!" : "]");
    return out;
  };
  CHECK(insides("a // b\n  // c\r\n/* d\n */ e /**/", Language::Cpp) == "[ b][ c]![ d\n ]![]");
  CHECK(insides("\"// a\" 'x' '\"' // b", Language::Cpp) == "[ b]");
  CHECK(insides("R\"q(// )\" )q\" // b", Language::Cpp) == "[ b]");
  CHECK(insides("1'000'000 // b", Language::Cpp) == "[ b]");
  CHECK(insides("// a \\\n b\nc", Language::Cpp) == "[ a \\\n b]!");
  CHECK(insides("'''\n# a\n''' # b\nr'\\' # c'", Language::Python) == "[ b]");
  CHECK(insides("x // y # z", Language::Python) == "[ z]");
}
