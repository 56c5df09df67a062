// find layout|swizzle|permutation where equal(...), and claims about accesses of code: what is read, and what is
// refused.
#include <catch2/catch.hpp>
#include <random>

#include "worksheet/run.h"

using namespace tessera;

TEST_CASE("inverse questions take tables, layouts and formulas") {
  CHECK(last("find layout where equal([0, 8, 1, 9])") == "(2,2):(8,1)");
  CHECK(last("find layout where equal([[0, 1, 2], [8, 9, 10]])") == "(2,3):(8,1)");
  CHECK(last("find layout where equal([0 1 2; 8 9 10])") == "(2,3):(8,1)");
  CHECK(last("find layout where equal([[[0, 1], [2, 3]], [[4, 5], [6, 7]]])") == "(2,2,2):(4,2,1)");
  CHECK(last("find layout where equal([0x10])") == "Sw<0,0,0> o 16 o 1:0");
  CHECK(last("find layout where equal([-2, 0, 2])") == "Sw<0,0,0> o -2 o 3:2");
  CHECK(last("find layout where equal((4,8):(8,1))") == "(4,8):(8,1)");
  CHECK(last("find layout where equal(r*8 + c over (4,8))") == "(4,8):(8,1)");
  CHECK(last("S(r, c) = r*64 + (c ^ ((r & 7) << 3)) over (8,64)\nfind swizzle where equal(S)") ==
        "Sw<3,3,3> o 0 o (8,64):(64,1)");
  CHECK(last("S(r, c) = r*64 + (c ^ ((r & 7) << 3)) over (8,64)\nfind swizzle for (8,64):(64,1) where equal(S)") ==
        "Sw<3,3,3> o 0 o (8,64):(64,1)");
  CHECK(last("find permutation for (4,8):(8,1) where equal((4,8):(1,4))") == "(4,(2,4)):(4,(16,1))");
  CHECK(last("find permutation where equal([3, 1, 0, 2])") != "no value");
  CHECK(last("find layout where equal([0, 1, 2, 3, 9])").find("none: no Sw<B,M,S> o offset") == 0);
}

TEST_CASE("a layout nests inside a coordinate") {
  CHECK(last("S(i, j) = i % 3 * 7 + i / 3 * 100 + j over (12, 4)\nto_cute(S)") == "((3,4),4):((7,100),1)");
  CHECK(last("S(i) = i * 3 ^ (i * 3 >> 2 & 1) over (8)\nto_cute(S)") == "Sw<1,0,2> o 0 o 8:3");
  CHECK(last("S(i) = 5 + i * 2 over (8)\nto_axe(S)") == "S[8:2] + 5 over (8)");
  CHECK(last("S(i, j) = i * 8 + j * 7 % 7 + j over (2, 8)\nto_linear(S)") == last("to_linear((2,8):(8,1))"));
  CHECK(last("S(i, j) = i * 32 + j - i / 31 * (j / 31) over (32, 32)\nto_cute(S)")
            .find("(32,32):(32,1), differs at 1 of 1024 coordinates, first at (31,31): 1023 instead of 1022") !=
        std::string::npos);
  CHECK(last("S(i, j) = i * 32 + j - i / 31 * (j / 31) over (32, 32)\nto_linear(S)")
            .find("give 1023 at (31,31), but the value is 1022") != std::string::npos);
}

TEST_CASE("what is wrong in an inverse question is shown") {
  const auto piece = [](const std::string& text) { return complaint(text).piece; };
  CHECK(complaint("find layout where equal([[0, 1], [2]])").diag.message == "a row has 1 values, another one 2");
  CHECK(complaint("find layout where equal([])").diag.message == "a row of the table is empty");
  CHECK(complaint("find layout where equal([0, [1]])").diag.message.find("rows of the table have different depths") !=
        std::string::npos);
  CHECK(piece("find layout where equal(foo)") == "foo");
  CHECK(piece("find permutation for 4:1 where equal([0, 1])") == "4:1");
  CHECK(complaint("find layout where conflict_free(ldmatrix.x4, f16)").diag.message ==
        "a layout is found for one condition, equal(T)");
  CHECK(complaint("find layout").diag.message == "the condition is missing");
  CHECK(complaint("find tiling where equal(4:1)").diag.message == "'tiling' cannot be searched for");
  CHECK(complaint("find layout where equal((2048,2048):(2048,1))").diag.message.find("decided up to 1048576") !=
        std::string::npos);
}

TEST_CASE("claims about accesses of code are read") {
  const std::string s = "S(t, i) = t * 32 + i over (32, 4)\n";
  for (const char* claim : {"conflict_free(S, f32)", "conflict_free(S, float4)", "conflict_free(S, f32, 4)",
                            "coalesced(S, half)", "race_free(S, S)"})
    CHECK(last(s + "prove " + claim) == "claim threads");
  CHECK(last(s + "prove conflict_free(S, ld.shared.column, f32)") == "claim conflict_free");
  CHECK(last(s + "accesses(S, f32)")
            .find("32 threads in 1 warp, 4 instructions of 4 bytes a lane: 128 wavefronts where "
                  "4 would do, 32-way") == 0);
  CHECK(complaint(s + "prove conflict_free(S, f32, 3)").diag.message.find("12") != std::string::npos);
  CHECK(complaint(s + "prove conflict_free(S, f32, 0)").piece == "0");
  CHECK(complaint(s + "accesses(S)").diag.message.find("type of the elements") != std::string::npos);
}

TEST_CASE("damaged inverse questions and accesses end with a value or a message") {
  const std::vector<std::string> whole = {"find layout where equal([[0, 1, 2], [8, 9, 10]])",
                                          "find swizzle for (8,8):(8,1) where equal(r*8 + c over (8,8))",
                                          "find permutation where equal([0, 2, 1, 3])",
                                          "accesses((32,4):(4,1), f32, 4)"};
  std::mt19937_64 random(1);
  const std::string bytes = "[](),;:0918 -xr*^<>o\"";
  for (int round = 0; round < 600; ++round) {
    std::string text = whole[random() % whole.size()];
    for (std::size_t edits = random() % 3 + 1; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0)
        text.erase(at, 1);
      else
        text.insert(at, 1, bytes[random() % bytes.size()]);
    }
    CHECK_FALSE(last(text).empty());
  }
}
