#include <catch2/catch.hpp>
#include <random>

#include "core/worksheet/language/comments.h"
#include "core/worksheet/language/syntax.h"
#include "core/worksheet/worksheet.h"

using namespace tessera;

namespace {

std::vector<std::string> texts(std::string_view document) {
  std::vector<std::string> out;
  for (const Statement& s : splitStatements(document)) out.push_back(s.text);
  return out;
}
using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("blank lines and comments vanish; a statement is a line") {
  CHECK(texts("").empty());
  CHECK(texts("\n  \t\n// only a comment\n\r\n").empty());
  CHECK(texts("A = 8:1 // eight\nsize(A)\r\n") == Texts{"A = 8:1", "size(A)"});
  CHECK(texts("a \"// no comment\" b") == Texts{"a \"// no comment\" b"});
}

TEST_CASE("a comment between /* and */ may run over lines, and stand anywhere") {
  CHECK(texts("/* a\n b */ A = 8:1\nA") == Texts{"A = 8:1", "A"});
  CHECK(splitStatements("/* a\n b */ A = 8:1").at(0).line == 2);
  CHECK(texts("size(/* (((; */ 8:1); B") == Texts{"size(/* (((; */ 8:1)", "B"});
  CHECK(texts("\"/*\" a\n*/ b") == Texts{"\"/*\" a", "*/ b"});
  CHECK(texts("a /* never closed\nb") == Texts{"a /* never closed", "b"});
  CHECK(withoutComments("f32/*c*/[2] // x") == "f32     [2]     ");
  CHECK(withoutComments("\"/*\" */") == "\"/*\" */");
}

TEST_CASE("spans are bytes of the document and text is the bytes of the span") {
  const std::string document = "// caf\xC3\xA9\n  A = 8:1  // x\nshow A as grid; size(A)\nB = (1,\n  2)\nB";
  const std::vector<Statement> statements = splitStatements(document);
  REQUIRE(statements.size() == 5);
  for (const Statement& s : statements) CHECK(document.substr(s.span.begin, s.span.end - s.span.begin) == s.text);
  CHECK(statements[0].line == 2);
  CHECK(statements[1].text == "show A as grid");
  CHECK(statements[2].text == "size(A)");
  CHECK(statements[2].line == 3);
  CHECK(statements[3].text == "B = (1,\n  2)");
  CHECK(statements[4].line == 6);
}

TEST_CASE("the kind of a statement is in its first word") {
  const auto kind = [](std::string_view text) { return splitStatements(text).at(0).kind; };
  CHECK(kind("A = 8:1") == StatementKind::Bind);
  CHECK(kind("A == 8:1") == StatementKind::Expression);
  CHECK(kind("show A") == StatementKind::Show);
  CHECK(kind("shows(A)") == StatementKind::Expression);
  CHECK(kind("show = 3") == StatementKind::Bind);
  CHECK(kind("prove injective(A)") == StatementKind::Prove);
  CHECK(kind("assert 1 == 1") == StatementKind::Assert);
  CHECK(kind("find swizzle for A") == StatementKind::Find);
  CHECK(kind("run x") == StatementKind::Run);
  CHECK(kind("hlo m { x }") == StatementKind::Block);
  CHECK(splitStatements("hlo softmax { x }").at(0).name == "softmax");
  CHECK(splitStatements("Tile_2=3").at(0).name == "Tile_2");
}

TEST_CASE("an open bracket runs on over lines, and its comments") {
  CHECK(texts("f(1, // one\n  2)\nsize(3)") == Texts{"f(1, // one\n  2)", "size(3)"});
  CHECK(texts("[a;\n_]") == Texts{"[a;\n_]"});
}

TEST_CASE("an instruction of a dump runs on over the lines that are further in") {
  const std::string add = "add.936 = bf16[8,16]{1,0:T(8,128)(2,1)}\n          add(a.1, b.2)";
  CHECK(texts(add) == Texts{add});
  CHECK(texts(add + "\nsize(8:1)") == Texts{add, "size(8:1)"});
  CHECK(texts("  %a = f32[2]\n    negate(x)\n  ROOT %b = f32[2]\n    negate(a)") ==
        Texts{"%a = f32[2]\n    negate(x)", "ROOT %b = f32[2]\n    negate(a)"});
  CHECK(texts("a.1 = f32[2] negate(x),\n  metadata={op_name=\"n\"}\n  show a") ==
        Texts{"a.1 = f32[2] negate(x),\n  metadata={op_name=\"n\"}", "show a"});
  CHECK(texts("a.1 = f32[2]\nnegate(x)") == Texts{"a.1 = f32[2]", "negate(x)"});
  CHECK(texts("a.1 = f32[2]\n\n  negate(x)") == Texts{"a.1 = f32[2]", "negate(x)"});
  CHECK(texts("a = 8:1\n  size(a)") == Texts{"a = 8:1", "size(a)"});
  CHECK(texts("a.1 == b\n  size(a)") == Texts{"a.1 == b", "size(a)"});
}

TEST_CASE("an unfinished bracket leaves every other line as it was") {
  CHECK(texts("A = (4,8\nB = 8:1\nsize(B)") == Texts{"A = (4,8", "B = 8:1", "size(B)"});
  CHECK(texts("size((4,8\n\nsize(8:1)\nsize(9:1)") == Texts{"size((4,8", "size(8:1)", "size(9:1)"});
  CHECK(texts("(((\n(1,\n2)\n(((") == Texts{"(((", "(1,\n2)", "((("});
  CHECK(texts(")\nsize(8:1)") == Texts{")", "size(8:1)"});
}

TEST_CASE("a block is raw text up to its brace") {
  const auto statements = splitStatements("hlo m {\n a = { b }\n \"}\" // }\n}}\nsize(8:1)");
  REQUIRE(statements.size() == 3);
  CHECK(statements[0].kind == StatementKind::Block);
  CHECK(statements[0].text == "hlo m {\n a = { b }\n \"}\" // }");
}

TEST_CASE("an unclosed block is one Invalid statement that names its head") {
  const auto statements = splitStatements("A = 8:1\nhlo m {\n x\n");
  REQUIRE(statements.size() == 2);
  CHECK(statements[1].kind == StatementKind::Invalid);
  CHECK(statements[1].diag->message == "this block is never closed");
}

TEST_CASE("NUL and invalid UTF-8 are Invalid statements that name the byte") {
  const std::string document = std::string("A = 8:1\nB = 8") + '\0' + ":1\nC = 8:\xC3(\nsize(A)";
  const auto statements = splitStatements(document);
  REQUIRE(statements.size() == 4);
  CHECK(statements[0].kind == StatementKind::Bind);
  CHECK(statements[1].kind == StatementKind::Invalid);
  CHECK(statements[1].diag->message == "a NUL byte (0x00) is not allowed in a worksheet");
  CHECK(document[statements[1].diag->span.begin] == '\0');
  CHECK(statements[2].kind == StatementKind::Invalid);
  CHECK(statements[2].diag->message == "byte 0xC3 is not UTF-8");
  CHECK(statements[3].kind == StatementKind::Expression);
}

TEST_CASE("too long a statement is refused with its numbers") {
  const auto statements = splitStatements("A = " + std::string(kMaxStatementBytes, '1') + "\nsize(8:1)");
  REQUIRE(statements.size() == 2);
  CHECK(statements[0].kind == StatementKind::Invalid);
  CHECK(statements[0].diag->message == "this statement has 1048580 bytes; the limit is 1048576");
  CHECK(statements[0].text.size() <= 1024);
}

// Each shape of text that could make the splitter quadratic: then one of them would be 10^12 steps, more than ctest
// waits.
TEST_CASE("splitting is linear in the length of the text") {
  for (const std::string piece : {"(\n", "(;", "((((((((\n", "hlo x {\n", "A=(\n", "\"", "/", "[(\n)\n", "x\n"}) {
    std::string large;
    while (large.size() < 1'600'000) large += piece;
    INFO(piece);
    CHECK(splitStatements(large).size() <= kMaxStatements);
  }
}

TEST_CASE("a document of too many statements ends in one that says so") {
  std::string document;
  for (std::size_t k = 0; k < kMaxStatements + 10; ++k) document += "1\n";
  const auto statements = splitStatements(document);
  REQUIRE(statements.size() == kMaxStatements);
  CHECK(statements.back().kind == StatementKind::Invalid);
  CHECK(statements.back().diag->message == "the document has more than 499999 statements");
}

// A slow second opinion: the lines that hold more than blanks and a comment, when no bracket, quote or `;` is about.
TEST_CASE("without brackets, statements are the lines that are not empty") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string document;
    for (int k = 0; k < 60; ++k) document += "ab =/\n\r\t 1"[random() % 10];
    Texts expected;
    std::size_t begin = 0;
    while (begin <= document.size()) {
      std::size_t end = document.find('\n', begin);
      if (end == std::string::npos) end = document.size();
      std::string line = document.substr(begin, end - begin);
      const std::size_t slashes = line.find("//");
      if (slashes != std::string::npos) {  // kept with what precedes it when it is a number
        const std::size_t from = line.find_first_not_of(" \t\r", slashes + 2);
        const std::size_t last = line.find_last_not_of(" \t\r");
        const bool number = from != std::string::npos && line.find_first_not_of('1', from) > last;
        const bool some = line.find_first_not_of(" \t\r") < slashes;
        line = line.substr(0, number && some ? last + 1 : slashes);
      }
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first != std::string::npos)
        expected.push_back(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
      begin = end + 1;
    }
    INFO(document);
    CHECK(texts(document) == expected);
  }
}
