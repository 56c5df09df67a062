// What surrounds a text on the clipboard: fences, marks of a diff or a reply, line numbers.
#include "core/paste/framing.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/paste/paste.h"

using namespace tessera;

namespace {

std::string plain(const std::string& text) {
  std::vector<std::string> notes;
  return paste::withoutFraming(text, notes);
}

// The value of the text, as statements of the worksheet.
std::string read(const std::string& text) {
  const Result<paste::Reading> reading = paste::read(text, {.over = {{"row", 8}, {"col", 8}}});
  if (!reading) return "refused " + reading.error().message;
  std::string out;
  for (const paste::Statement& s : reading->statements)
    if (!s.text.starts_with("cuda") && !s.text.starts_with("python")) out += s.text + ";";
  return out;
}

}  // namespace

TEST_CASE("each kind of framing becomes blanks of the same length") {
  CHECK(plain("```cpp\nint a;\n```\n") == "      \nint a;\n   \n");
  CHECK(plain("> int a;\n> int b;\n") == "  int a;\n  int b;\n");
  CHECK(plain("-int a;\n+int b;\n int c;") == "       \n int b;\n int c;");
  CHECK(plain("@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n").substr(23) == " a = 2\n");
  CHECK(plain(" 9  int a;\n10  int b;") == "    int a;\n    int b;");
  CHECK(plain("1| int a;\r\n2| }\r\n") == "   int a;\r\n   }\r\n");
  CHECK(plain("a\xC2\xA0= 1") == "a  = 1");
}

TEST_CASE("the text between fences is read, and the rest is a note") {
  std::vector<std::string> notes;
  CHECK(paste::withoutFraming("See:\n```\na = 1\n```\nabove", notes) == "    \n   \na = 1\n   \n     ");
  CHECK(notes.size() == 1);
  notes.clear();
  CHECK(paste::withoutFraming("a = 1\n```\n", notes) == "a = 1\n   \n");
  CHECK(notes.empty());
}

TEST_CASE("texts without framing are unchanged") {
  for (const std::string text :
       {"- register=1 -> (0, 1)\n- lane is a size 1 dimension\n", "0 8 16\n1 9 17\n",
        " 0  |  0 |  4 |\n 1  |  1 |  5 |\n", ">>> a.shape\n(2, 3)\n", ">?? Result: (2,3):(3,1)", "row * 64\n+ col",
        "-1 * row", "(4,8):(8,1)", "", "  1. Size: 32.00G\n     Shape: f32[8]\n", "  = a\n", "5 a\n7 b"})
    CHECK(plain(text) == text);
}

TEST_CASE("a framed text has the meaning of the text") {
  const std::string bare = read("int s = row * 8 + (col ^ row);");
  for (const std::string text : {"```c++\nint s = row * 8 + (col ^ row);\n```", "+  int s = row * 8 + (col ^ row);",
                                 "-  int s = row * 8;\n+  int s = row * 8 + (col ^ row);",
                                 "> int s = row * 8 + (col ^ row);", "7   int s = row * 8 +\n8       (col ^ row);"})
    CHECK(read(text) == bare);
}

TEST_CASE("the length and the line ends stay for any text") {
  std::mt19937_64 random(7);
  const std::string letters = "`~+->@ 012|:\n\r\tab;(\xC2\xA0";
  for (int k = 0; k < 5000; ++k) {
    std::string text;
    for (std::uint64_t n = random() % 40; n > 0; --n) text += letters[random() % letters.size()];
    const std::string out = plain(text);
    REQUIRE(out.size() == text.size());
    for (std::size_t i = 0; i < text.size(); ++i)
      REQUIRE((out[i] == text[i] || (out[i] == ' ' && text[i] != '\n' && text[i] != '\r')));
    REQUIRE(plain(out).size() == out.size());
  }
}
