// Index formulas as statements, and maps of every notation printed and parsed again.
#include <catch2/catch.hpp>

#include "tests/worksheet/run.h"

using namespace tessera;

TEST_CASE("a formula is a statement that binds its name") {
  const std::string s = "S(row, col) = row * 64 + (col ^ ((row & 7) << 3)) over (64,64)\n";
  const std::string map =
      "(row, col) -> (offset: row * 64 + (col xor (row mod 8 * 8))), domain: row in [0, 63], col in [0, 63]";
  CHECK(last(s) == map);
  CHECK(last(s + "S") == map);
  CHECK(last(s + "S(3, 5)") == "221");
  CHECK(last(s + "S(3, 5) == 221") == "true");
  CHECK(last(s + "S(3,5) == 5") == "false");
  CHECK(last(s + "to_map(S)") == map);
  CHECK(last(s + "(S o (8,8):(1,64))(3, 5)") == "221");  // the linear index 323 is (3, 5)
  CHECK(last(s + "prove bijective(S)") == "claim bijective");
  CHECK(last("T(\n  i,\n  j) = (i *\n 8) + j over (4, 8)\nT(1, 2)") == "10");
  const std::vector<Statement> statements =
      splitStatements(s + "A = (4,8):(8,1); A(1,2) == 10; A(1,2)\nF (x) = x over 4");
  REQUIRE(statements.size() == 5);
  CHECK(statements[0].kind == StatementKind::Bind);
  CHECK(statements[0].name == "S");
  CHECK(statements[1].kind == StatementKind::Bind);
  CHECK(statements[2].kind == StatementKind::Expression);
  CHECK(statements[3].kind == StatementKind::Expression);
  CHECK(statements[4].kind == StatementKind::Bind);
  CHECK(statements[4].name == "F");
}

TEST_CASE("a formula that cannot be read says so at its place") {
  const Complaint open = complaint("S(row, col) = row * 64 + col");
  CHECK(open.diag.message == "the extents of row, col are missing");
  CHECK(open.diag.hint == "S(row, col) = ... over (64, 64)");
  CHECK(complaint("x = 1\nS(i) = i * width over (8)").piece == "width");
  CHECK(complaint("o(i) = i over 4").diag.message == "'o' is a word of the language and cannot be a name");
  CHECK(last("size(i) = i over 4\nsize(3)") == "3");  // it hides the function, and a note says so
}

TEST_CASE("a call behind a map is the next argument") {
  const std::string m = "(d0) -> (d0 * 2), domain: d0 in [0, 3]";
  const std::string e = "(d0) -> (d0), domain: d0 in [0, 2], d0 + d0 in [2, 4]";
  for (const std::string& map : {m, e}) {
    CHECK(last("equal(" + map + ", to_map(" + map + "))") == "claim equal");
    CHECK(last("equal(" + map + ", simplify(" + map + "))") == "claim equal");
    CHECK(last("equal(simplify(" + map + "), " + map + ")") == "claim equal");
    CHECK(last("equal(" + map + ", " + map + ")") == "claim equal");
  }
  CHECK(last("compose(" + m + ", to_map((d0) -> (d0 + 1), domain: d0 in [0, 4]))") ==
        "(d0) -> (d0 * 2 + 1), domain: d0 in [0, 2]");
}

TEST_CASE("one reading of coordinates: apply, simplify, compose") {
  const std::string m = "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [3, 9], d1 in [-2, 4]";
  CHECK(last("M = " + m + "\nM(3, -2)") == "22");
  CHECK(last("M = " + m + "\nM(2, 0)") == "error: 2 is outside [3, 9], the range of d0");
  CHECK(last("to_map(" + m + ")") == m);
  CHECK(last("simplify(" + m + ", d0 in [0, 5], d1 * 2 in [1, 5])") ==
        "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [3, 5], d1 in [1, 2]");
  CHECK(last("simplify(to_map((d0) -> (d0 mod 2), domain: d0 in [4, 9], d0 mod 2 in [2, 3]))") == "KNOWN EMPTY");
  CHECK(last("compose((d0) -> (d0), domain: d0 in [0, 9], " +
             std::string("(d0) -> (12 floordiv d0), domain: d0 in [1, 4])")) ==
        "(d0) -> (12 floordiv d0), domain: d0 in [1, 4]");
}

TEST_CASE("every map that prints is read again as itself") {
  for (const char* value : {
           "(4,8):(8,1)",
           "((2,2),(2,4)):((1,4),(2,8))",
           "Sw<3,3,3> o (64,64):(64,1)",
           "Sw<2,4,-3> o (16,128):(128,1)",
           "Sw<1,0,3> o 5 o (4,8):(8,1)",
           "(4,4):(1@0,1@1)",
           "(4,3):(-8,2)",
           "zN<2>(32,48)",
           "S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp",
           "Swizzle(3, 3, 3) o S[(8,64):(64,1)]",
           "mesh (2,2):(1,2)",
           "register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] -> dim0 16, dim1 8",
           "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}> over (64,64)",
           "bf16[100,300]{1,0:T(8,128)(2,1)}",
           "f32[3,5]{1,0:T(2,2)}",
           "S[(n,8):(8@m,1@m)] for n in [1, 64]",
       }) {
    INFO(value);
    const std::string text = last(std::string("to_map(") + value + ")");
    INFO(text);
    REQUIRE(text.find("->") != std::string::npos);
    CHECK(last(text) == text);
    CHECK(last("to_map(" + text + ")") == text);
    const std::string indexing = last(std::string("to_indexing_map(") + value + ")");
    CHECK(last(indexing) == indexing);
    const std::string simple = last(std::string("simplify(to_map(") + value + "))");
    CHECK(last(simple) == simple);
  }
}
