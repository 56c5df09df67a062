// The cursor of all parsers: its steps on the smallest texts, its integers against a slow 128-bit reader, and its laws
// on random bytes in every dialect.
#include "core/base/cursor.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace tessera;

namespace {

__extension__ using Wide = __int128;

const Dialect kDialects[] = {
    {},
    {.nameAlso = "."},
    {.nameAlso = ".$", .lineComments = true, .plus = false},
    {.lineComments = true, .blockComments = true, .plus = false},
    {.scopes = true, .hex = true},
};

std::string piece(std::string_view text, Span span) {
  return std::string(text.substr(span.begin, span.end - span.begin));
}

}  // namespace

TEST_CASE("the example of the header") {
  const std::string text = "S[ 8:-4@lane ]";
  Cursor in(text, {.nameAlso = "."});
  CHECK(in.accept("S["));
  CHECK(*in.integer() == 8);
  CHECK(in.expect(":", "after the extent").ok());
  CHECK(*in.integer() == -4);
  CHECK(in.accept("@"));
  CHECK(*in.identifier("an axis name") == "lane");
  const auto missing = in.expect(")", "at the end");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error() == Diag{"`)` is missing at the end", "`)`", "", {13, 14}});
  CHECK(in.accept(']'));
  CHECK(in.atEnd());
}

TEST_CASE("nothing can be read from an empty text, and everything says so at its end") {
  for (const Dialect& dialect : kDialects) {
    Cursor in("  ", dialect);
    CHECK(in.peek() == '\0');
    CHECK_FALSE(in.accept("x"));
    CHECK_FALSE(in.accept('\0'));
    CHECK_FALSE(in.atInteger());
    CHECK(in.peekWord().empty());
    CHECK(in.integer("a size").error() == Diag{"a size is missing here", "an integer such as 8", "", {2, 2}});
    CHECK(in.identifier("a name").error() == Diag{"a name is missing here", "", "", {2, 2}});
    CHECK(in.found() == "the end of the text");
  }
}

TEST_CASE("a word is accepted whole, a token anywhere") {
  Cursor in("overlap over.it over");
  CHECK_FALSE(in.acceptWord("over"));
  CHECK(in.accept("over"));
  CHECK(in.acceptWord("lap"));
  CHECK(in.acceptWord("over"));  // `.` ends a name here
  CHECK(in.accept(".it"));
  CHECK(in.acceptWord("over"));
  Cursor dotted("over.it", {.nameAlso = "."});
  CHECK_FALSE(dotted.acceptWord("over"));
  CHECK(dotted.peekWord() == "over.it");
  CHECK(Cursor("cute::Layout<", {.scopes = true}).peekWord() == "cute::Layout");
  CHECK(Cursor("cute::Layout<").peekWord() == "cute");
  CHECK(Cursor("::x", {.scopes = true}).peekWord().empty());
  CHECK(Cursor("8x").peekWord().empty());
}

TEST_CASE("comments are blanks where the dialect has them, and a comment that is never closed is the error") {
  const std::string text = "1 // one\n /* two\n */ 2 // end";
  Cursor in(text, {.lineComments = true, .blockComments = true});
  CHECK(*in.integer() == 1);
  CHECK(*in.integer() == 2);
  CHECK(in.atEnd());
  Cursor plain(text);
  CHECK(*plain.integer() == 1);
  CHECK(plain.peek() == '/');
  Cursor open("1 /* two", {.blockComments = true});
  CHECK(*open.integer() == 1);
  CHECK_FALSE(open.atEnd());
  CHECK(open.integer().error() == Diag{"this comment is never closed", "*/", "", {2, 3}});
}

TEST_CASE("integers read as 128 bits say, or are refused whole, in decimal and in hexadecimal") {
  std::mt19937_64 random(7);
  const auto check = [](const std::string& text, Wide value, const Dialect& dialect) {
    CAPTURE(text);
    const std::string followed = text + " ,";
    Cursor in(followed, dialect);
    REQUIRE(in.atInteger());
    const auto read = in.integer();
    CHECK(read.ok() == (value >= INT64_MIN && value <= INT64_MAX));
    CHECK(in.position() == text.size());
    if (read) {
      CHECK(Wide{*read} == value);
    } else {
      CHECK(read.error() ==
            Diag{text.substr(0, 60) + " does not fit in 64 bits", "a number below 2^63", "", {0, text.size()}});
    }
  };
  for (const bool hex : {false, true})
    for (int round = 0; round < 2000; ++round) {
      Wide value = 0;
      std::string text = hex ? "0x" : "";
      const std::size_t digits = 1 + random() % (hex ? 18 : 22);
      for (std::size_t k = 0; k < digits; ++k) {
        const auto d = static_cast<int>(random() % (hex ? 16 : 10));
        value = value * (hex ? 16 : 10) + d;
        text += "0123456789aBcDeF"[d];
      }
      check(text, value, {.hex = hex});
      check("-" + text, -value, {.hex = hex});
      check("+" + text, value, {.hex = hex});
    }
  for (const char* edge :
       {"9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809"}) {
    Wide value = 0;
    for (const char c : std::string(edge))
      if (c != '-') value = value * 10 + (c - '0');
    check(edge, edge[0] == '-' ? -value : value, {});
  }
  check(std::string(100, '9'), Wide{INT64_MAX} + 1, {});  // the message shows 60 of them
}

TEST_CASE("what is no integer of the dialect") {
  CHECK_FALSE(Cursor("+8", {.plus = false}).atInteger());
  CHECK_FALSE(Cursor("- 8").atInteger());
  CHECK_FALSE(Cursor("--8").atInteger());
  CHECK_FALSE(Cursor("0x", {.hex = true}).atInteger());
  Cursor in("0x10");
  CHECK(*in.integer() == 0);  // without .hex the x is the next token
  CHECK(in.accept("x10"));
}

TEST_CASE("a failure marks the name or number under the cursor, a character, or what was read") {
  const std::string text = "  warp.id , \xC3\x97";
  Cursor in(text, {.nameAlso = "."});
  CHECK(piece(text, in.fail("wrong").span) == "warp.id");
  CHECK(piece(text, in.here()) == "w");
  CHECK(in.acceptWord("warp.id"));
  CHECK(piece(text, in.failFrom(2, "wrong", "right", "so").span) == "warp.id");
  CHECK(in.failFrom(2, "wrong", "right", "so") == Diag{"wrong", "right", "so", {2, 9}});
  CHECK(piece(text, in.failFrom(10, "wrong").span) == ",");  // nothing was read: the character there
  CHECK(piece(text, in.failFrom(12, "wrong").span) == "\xC3\x97");
  CHECK(in.failFrom(text.size(), "wrong").span.empty());
  CHECK(piece(text, in.fail("wrong").span) == ",");
  CHECK(in.found() == "`,`");
  CHECK(in.accept(','));
  CHECK(piece(text, in.fail("wrong").span) == "\xC3\x97");
  CHECK(in.found() == "byte 0xc3");
}

TEST_CASE("on random bytes: no step back, no step after a refusal but over blanks, spans inside and whole characters") {
  std::mt19937_64 random(11);
  const std::vector<std::string> pieces = {" ",
                                           "\n",
                                           "//",
                                           "/*",
                                           "*/",
                                           "8",
                                           "-",
                                           "+",
                                           "0x",
                                           "a",
                                           "_",
                                           ".",
                                           "$",
                                           "::",
                                           "(",
                                           "\xC3\x97",
                                           "\xE2\x88\x85",
                                           std::string(1, '\0')};
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (std::size_t k = random() % 12; k > 0; --k) text += pieces[random() % pieces.size()];
    Cursor in(text, kDialects[random() % std::size(kDialects)]);
    for (int step = 0; step < 12; ++step) {
      in.skipBlanks();
      const std::size_t before = in.position();
      bool read = false;
      std::optional<Diag> diag;
      switch (random() % 7) {
        case 0:
          read = in.accept(pieces[random() % pieces.size()]);
          break;
        case 1:
          read = in.acceptWord("a");
          break;
        case 2:
          if (auto r = in.integer(); !r) diag = r.error();
          read = in.position() > before;
          break;
        case 3:
          if (auto r = in.identifier("a name"); !r) diag = r.error();
          read = !diag;
          break;
        case 4:
          if (auto r = in.expect("(", "here"); !r) diag = r.error();
          read = !diag;
          break;
        case 5:
          (void)in.peekWord();
          break;
        default:
          diag = in.fail("x");
      }
      CAPTURE(text, before, in.position());
      CHECK(in.position() <= text.size());
      CHECK((read ? in.position() > before : in.position() == before));
      if (!diag) continue;
      CHECK(diag->span.begin <= diag->span.end);
      CHECK(diag->span.end <= text.size());
      const auto inside = [&](std::size_t at) {
        return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
      };
      CHECK_FALSE(inside(diag->span.begin));
      CHECK_FALSE(inside(diag->span.end));
    }
    if (in.atEnd()) CHECK(in.here().empty());
  }
}
