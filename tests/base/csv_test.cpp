// Cells of CSV: numbers stay numbers, formulas become text, and every text comes back.
#include "core/base/csv.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tessera;

namespace {

// What a reader of CSV gives back for one field: RFC 4180, slowly.
std::string unquoted(const std::string& field) {
  if (!field.starts_with('"')) return field;
  std::string out;
  for (std::size_t k = 1; k + 1 < field.size(); ++k) {
    out += field[k];
    if (field[k] == '"') ++k;
  }
  return out;
}

}  // namespace

TEST_CASE("cells of CSV that a spreadsheet would run are defused") {
  for (const std::string number : {"-3", "+2.5", "-1e-9", "1e5", "-.5", "0"}) CHECK(csvField(number) == number);
  CHECK(csvField("=1+1") == "'=1+1");
  CHECK(csvField("-3 (5)") == "'-3 (5)");
  CHECK(csvField("@x") == "'@x");
  CHECK(csvField("+") == "'+");
  CHECK(csvField("-1e") == "'-1e");
  CHECK(csvField("=A,B") == "\"'=A,B\"");
  CHECK(csvField("8:1") == "8:1");
  CHECK(csvField("") == "");
}

TEST_CASE("every text comes back from its cell, and none but a number begins as a formula") {
  std::mt19937 random(25);
  for (int n = 0; n < 20'000; ++n) {
    std::string text;
    for (std::size_t k = random() % 6; k > 0; --k) text += "=+-@'\t\r\n\",.a1e"[random() % 14];
    const std::string cell = unquoted(csvField(text));
    CAPTURE(text, cell);
    REQUIRE(plainText(cell) == text);
    const bool formula = !cell.empty() && std::string("=+-@\t\r").find(cell[0]) != std::string::npos;
    REQUIRE((!formula || text.find_first_not_of("+-.1e") == std::string::npos));
  }
}
