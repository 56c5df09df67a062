// CSV cells: numbers stay numbers, formulas become text, and every text is read back unchanged.
#include "core/base/csv.h"

#include <catch2/catch.hpp>
#include <random>

#include "tests/support/csv_reader.h"

using namespace tessera;

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
    const std::string line = csvLine({text, "b"}), field = csvField(text);
    const std::string cell = field.starts_with('"') ? field.substr(1) : field;
    CAPTURE(text, cell);
    REQUIRE(readCsv(line) == std::vector<std::vector<std::string>>{{text, "b"}});
    const bool formula = !cell.empty() && std::string("=+-@\t\r").find(cell[0]) != std::string::npos;
    REQUIRE((!formula || text.find_first_not_of("+-.1e") == std::string::npos));
  }
}

TEST_CASE("lines of CSV come back field by field") {
  CHECK(csvLine({"a", "b,c", "say \"x\""}, "\r\n") == "a,\"b,c\",\"say \"\"x\"\"\"\r\n");
  CHECK(readCsv("a,\r\n\"x\ny\",b\n") == std::vector<std::vector<std::string>>{{"a", ""}, {"x\ny", "b"}});
}
