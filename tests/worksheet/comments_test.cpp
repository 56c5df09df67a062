// `//` as a comment and as floor division, and division by a negative number: issue 25, A9 and A10.
#include "core/worksheet/language/comments.h"

#include <catch2/catch.hpp>

#include "core/worksheet/value.h"
#include "core/worksheet/worksheet.h"

using namespace tessera;

namespace {

struct Said {
  std::string value, error, note, hint;
};
Said said(const std::vector<Statement>& statements) {
  Scope scope;
  Said out;
  for (const Statement& s : statements) {
    const Evaluated e = evaluate(s, scope);
    out = {e.value ? print(*e.value) : "", e.diag ? e.diag->message : "", "", ""};
    if (!e.notes.empty()) out.note = e.notes.front().message, out.hint = e.notes.front().hint;
  }
  return out;
}
std::string argument(std::string_view text) { return said(splitArgument(text)).value; }
Said sheet(std::string_view text) { return said(splitStatements(text)); }

}  // namespace

TEST_CASE("// is floor division in an argument of one line") {
  CHECK(argument("20 // 3") == "6");
  CHECK(argument("-20 // 3") == "-7");
  CHECK(argument("A = 20 // (1 + 2) // 2") == "3");
  CHECK(argument("(d0) -> (d0 // 2), domain: d0 in [0, 9]") == "(d0) -> (d0 floordiv 2), domain: d0 in [0, 9]");
  CHECK(splitArgument("// a comment").empty());
  CHECK(splitArgument("1 + 1; // a comment").size() == 1);
  CHECK(argument("A = 20\nA // 3") == "20");  // several lines are a worksheet
  CHECK(argument("20 // 3\n") == "6");
}

TEST_CASE("// is floor division in a formula up to its over") {
  CHECK(sheet("S(i) = i // 2 over (8) // half").value == "(i) -> (offset: i floordiv 2), domain: i in [0, 7]");
  CHECK(sheet("S(i) = (i - 4) // 2 over 8").value == "(i) -> (offset: (i - 4) floordiv 2), domain: i in [0, 7]");
  CHECK(sheet("S(i) = (i - 4) // 2 % 3 over 8").value ==
        "(i) -> (offset: (i - 4) floordiv 2 mod 3), domain: i in [0, 7]");
  CHECK(sheet("S(i) = i // 2 / 2 over 8").error.find("fraction") != std::string::npos);
  CHECK(sheet("S(i) = i * 2 over (8) // is over (8)").value == "(i) -> (offset: i * 2), domain: i in [0, 7]");
}

TEST_CASE("a comment that reads as a divisor is warned of") {
  for (const std::string_view text :
       {"20 // 3", "20 //(1 + 2)", "n = 4\n20 // (n)", "A = 20 // 3", "(20 // 3)", "20 // -3", "size((4,8)) // 2"}) {
    INFO(text);
    CHECK(sheet(text).note == "comment; write floordiv");
  }
  CHECK(sheet("20 // 3").value == "20");
  CHECK(sheet("20 // 3").hint == "20 floordiv 3");
  for (const std::string_view text : {"20 // three", "20 // (see above)", "20 // 3 rows", "(4,8):(8,1) // (4,8)",
                                      "20 // (n)", "// 3", "20 /* 3 */", "\"a\" // x"}) {
    INFO(text);
    CHECK(sheet(text).note.empty());
  }
}

TEST_CASE("the remainder of a negative divisor is not positive") {
  CHECK(argument("7 % -2") == "-1");
  CHECK(argument("-7 % -2") == "-1");
  CHECK(argument("8 mod -2") == "0");
  CHECK(argument("7 / -2 * -2 + 7 % -2") == "7");
  CHECK(argument("5 % (-9223372036854775807 - 1)") == "-9223372036854775803");
  CHECK(argument("(-9223372036854775807 - 1) % -1") == "0");
  CHECK(argument("(d0) -> (d0 mod -2), domain: d0 in [0, 9]") ==
        "(d0) -> (d0 * (-1) mod 2 * (-1)), domain: d0 in [0, 9]");
}
