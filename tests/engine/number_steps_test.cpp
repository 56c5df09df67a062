#include "app/engine/help/number_steps.h"

#include <catch2/catch.hpp>
#include <string>

using namespace tessera;

TEST_CASE("the sizes are the powers of two and three times these") {
  std::string sizes;
  for (i64 n = 0; n <= 256; n = nextSize(n, 1)) sizes += std::to_string(n) + " ";
  CHECK(sizes == "0 1 2 3 4 6 8 12 16 24 32 48 64 96 128 192 256 ");
}

TEST_CASE("steps are strictly monotone, and undo each other on sizes") {
  for (i64 n = 0; nextSize(n, 1) != n; n = nextSize(n, 1)) {
    REQUIRE(nextSize(n, 1) > n);
    REQUIRE(nextSize(n, 1) <= kLargestSize);
    REQUIRE(nextSize(nextSize(n, 1), -1) == n);
  }
  for (i64 n = 1; n < 1000; ++n) {
    REQUIRE(nextSize(n, -1) < n);
    REQUIRE(nextSize(n, 1) > n);
  }
  CHECK(nextSize(0, -1) == 0);
  CHECK(nextSize(kLargestSize, 1) == kLargestSize);
  CHECK(nextSize(-5, 1) == 0);
}

TEST_CASE("an integer is found at each of its digits and beside it") {
  const std::string text = "A = (8,64):(_64,1) over fp16 + 1.5 + 0x20 + N2";
  for (std::size_t at = 7; at <= 9; ++at) CHECK(integerAt(text, at) == NumberPlace{{7, 9}, 64});
  CHECK(integerAt(text, 13)->span.begin == 13);
  CHECK(integerAt(text, 13)->value == 64);
  for (const char* other : {"fp16", "1.5", "0x20", "N2", "= ("})
    for (std::size_t at = 0; at < 2; ++at) CHECK_FALSE(integerAt(text, text.find(other) + 1 + at));
  CHECK_FALSE(integerAt("", 0));
  CHECK_FALSE(integerAt("8", 2));
  CHECK_FALSE(integerAt("99999999999999999999", 3));
}

TEST_CASE("only a constant that its comment calls assumed has a control") {
  CHECK(assumedConstant("kHeadDim = 64   // assumed: edit") == NumberPlace{{11, 13}, 64});
  CHECK(assumedConstant("N=8 //assumed") == NumberPlace{{2, 3}, 8});
  for (const char* line : {"kHeadDim = 64", "kHeadDim = 64 // measured", "kHeadDim = 2 * 32 // assumed: edit",
                           "// kHeadDim = 64 // assumed", "A = (8,8):(8,1)   // assumed: edit", "", "= 64 // assumed",
                           "a b = 3 // assumed", "N =   // assumed"})
    CHECK_FALSE(assumedConstant(line));
}
