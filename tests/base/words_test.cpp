#include "core/base/words.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

using namespace tessera;

TEST_CASE("the names of a text are its longest runs of letters, digits and _, in order") {
  CHECK(namePartsIn("r*64 + (c ^ r)") == std::vector<std::string_view>{"r", "64", "c", "r"});
  CHECK(namePartsIn("").empty());
  CHECK(namePartsIn("+-").empty());
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int k = 0; k < 12; ++k) text += "ab_1+ ("[random() % 7];
    std::vector<std::string> expected{""};
    for (const char c : text) {
      if (c == '+' || c == ' ' || c == '(')
        expected.emplace_back();
      else
        expected.back() += c;
    }
    std::erase(expected, "");
    const std::vector<std::string_view> found = namePartsIn(text);
    REQUIRE(std::vector<std::string>(found.begin(), found.end()) == expected);
  }
}
