#include "core/worksheet/language/place.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tessera;

TEST_CASE("lines and columns count from 1, columns in code points") {
  const std::string text = "ab\n\xC3\xA9x\n";
  CHECK(lineColumn(text, 0).line == 1);
  CHECK(lineColumn(text, 0).column == 1);
  CHECK(lineColumn(text, 3).line == 2);
  CHECK(lineColumn(text, 5).column == 2);  // the x after a two-byte letter
  CHECK(lineColumn(text, 999).line == 3);
}

TEST_CASE("the index agrees with counting") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (int k = 0; k < 40; ++k) text += "a\n\r\xC3\xA9\xFF "[random() % 7];
    const LineIndex index(text);
    for (std::size_t byte = 0; byte <= text.size() + 1; ++byte) {
      CHECK(index.at(byte).line == lineColumn(text, byte).line);
      CHECK(index.at(byte).column == lineColumn(text, byte).column);
    }
  }
}

TEST_CASE("the index agrees with counting on lines of thousands of bytes, whole letters or not") {
  std::mt19937 random(4);
  for (int round = 0; round < 4; ++round) {
    std::string text;
    for (int k = 0; k < 3000; ++k) text += round == 0 || random() % 500 != 0 ? "a;\t\xC3\xA9\xFF"[random() % 6] : '\n';
    const LineIndex index(text);
    for (std::size_t byte = 0; byte <= text.size() + 1; byte += 1 + random() % 3) {
      CHECK(index.at(byte).line == lineColumn(text, byte).line);
      CHECK(index.at(byte).column == lineColumn(text, byte).column);
    }
  }
}

TEST_CASE("a message underlines the offending piece") {
  const std::string document = "A = 8:1\n(8,4):(4,1,2)";
  const Diag diag{
      "strides have 3 modes, shape (8,4) has 2", "a stride for each mode", "did you mean (8,4):(4,1)?", {14, 21}};
  CHECK(printDiag(diag, document) ==
        "line 2, column 7: strides have 3 modes, shape (8,4) has 2\n"
        "  (8,4):(4,1,2)\n"
        "        ^^^^^^^\n"
        "  expected: a stride for each mode\n"
        "  hint: did you mean (8,4):(4,1)?");
}

TEST_CASE("a message stays readable in long lines, at the end, over lines and with bytes that are not UTF-8") {
  const std::string wide(5000, 'x');
  CHECK(printDiag({"m", "", "", {4000, 4003}}, wide).size() < 400);
  CHECK(printDiag({"m", "", "", {3, 3}}, "abc") == "line 1, column 4: m\n  abc\n     ^");
  CHECK(printDiag({"m", "", "", {1, 6}}, "abc\ndef") == "line 1, column 2: m\n  abc\n   ^^");
  CHECK(printDiag({"m", "", "", {1, 2}},
                  "a\xFF"
                  "b") ==
        "line 1, column 2: m\n  a\xEF\xBF\xBD"
        "b\n   ^");
  CHECK(printDiag({"no place", "", "", {}}, "abc") == "no place");
}

TEST_CASE("UTF-8 is checked as the standard has it") {
  CHECK_FALSE(firstBadByte("plain \xC3\xA9 \xE2\x88\x98 \xF0\x9F\x98\x80"));
  for (const std::string bad : {"\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x88", "\x80", "\xC3("}) {
    CHECK(firstBadByte("ab" + bad) == std::optional<std::size_t>(2));
    CHECK_FALSE(firstBadByte(cleaned("ab" + bad)));
  }
}

TEST_CASE("cleaned text holds no order to a terminal, and everything else as it was") {
  const std::string replaced = "\xEF\xBF\xBD";
  for (unsigned c = 0; c < 0x100; ++c) {  // U+0000 to U+00FF
    const std::string one =
        c < 0x80 ? std::string(1, static_cast<char>(c))
                 : std::string{static_cast<char>(0xC0U | c >> 6), static_cast<char>(0x80U | (c & 0x3FU))};
    const bool order = c < 0x20 ? c != '\t' && c != '\n' : c >= 0x7F && c < 0xA0;
    INFO("U+00" << std::hex << c);
    CHECK(cleaned("a" + one + "b") == "a" + (order ? replaced : one) + "b");
    CHECK(codePointCount(cleaned(one)) == 1);
  }
  CHECK(cleaned("a\r\nb\n") == "a\nb\n");
  CHECK(cleaned("\xC2") == replaced);
}
