// Every kind of error: its message, and the bytes that it underlines.
#include <catch2/catch.hpp>

#include "worksheet/run.h"

using namespace tessera;

namespace {

struct Row {
  const char* text;
  const char* message;  // "" where the notation's own parser speaks (its tests hold the words)
  const char* piece;
};

}  // namespace

TEST_CASE("each mistake has one message, with its place") {
  const Row rows[] = {
      // names
      {"size(Q)", "'Q' is not defined", "Q"},
      {"compositon(8:1, 4:1)", "there is no function 'compositon'", "compositon"},
      {"size", "'size' is a function; it needs its arguments", "size"},
      {"o = 3", "'o' is a word of the language and cannot be a name", "o"},
      // calls
      {"size()", "size takes 1 to 8 arguments, not 0", "size()"},
      {"crd2idx(1)", "crd2idx takes 2 to 3 arguments, not 1", "crd2idx(1)"},
      {"size(Sw<3,4,3>)", "argument 1 of size is a swizzle", "Sw<3,4,3>"},
      {"size(8:1) + 8:1", "arithmetic needs integers; this is a layout", "8:1"},
      {"injective(8:1) and true", "injective is a claim: write it as a separate statement, or after prove or assert",
       "injective"},
      // unfinished text
      {"A =", "the expression after 'A =' is missing", "="},
      {"size((4,8)", "this '(' is never closed", "("},
      {"1 +", "the text ends too early", "+"},
      {"(4,8):", "the stride is missing after ':'", ":"},
      {":(8,1)", "the shape is missing before ':'", ":"},
      {"\"abc", "this text is never closed", "\""},
      {"<3:4, 8:2", "this '<' is never closed", "<"},
      {"show", "show what?", "show"},
      {"show 8:1 as", "the view is missing after 'as'", "as"},
      {"prove", "prove what?", "prove"},
      {"prove size(8:1)", "this is not a claim", "size(8:1)"},
      {"prove injective(8:1) by magic", "there is no method 'magic'", "magic"},
      {"assert 8:1", "assert needs a condition; this is a layout", "8:1"},
      // structure
      {"(4,,8)", "", ","},
      {"(size(8:1),,8)", "unexpected ','", ","},
      {"(4 8):(8 1)", "unexpected '8'", "8"},
      {"(4,8):(8,1):(1,1)", "unexpected ':'", ":"},
      {"8:1)", "')' closes nothing", ")"},
      {"12abc", "'12abc' is neither a number nor a name", "12abc"},
      {"4, 8", "unexpected ','", ","},
      {"1 = 2", "unexpected '='", "="},
      // later versions say so
      {"find swizzle for A", "the layout or the accesses are missing", "find swizzle"},
      {"hlo m { }", "there is no computation here", "hlo m {"},
      // the notations' own messages, in their places
      {"size((4,8):(8,1,2))", "", "(8,1,2)"},
      {"size((0,8):(8,1))", "", "0"},
      {"1 + size((-4,8):(8,1))", "", "-4"},
      {"N = 0\nsize((N,8):(8,1))", "", "(N,8)"},
      {"size((4,8):8)", "", "8"},
      {"Sw<3,4>", "", "Sw<3,4>"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    const Complaint c = complaint(row.text);
    CHECK_FALSE(c.diag.message.empty());
    if (row.message[0] != '\0') CHECK(c.diag.message == row.message);
    CHECK(c.piece == row.piece);
  }
}

TEST_CASE("a name that is nearly one gets a hint") {
  CHECK(complaint("compositon(8:1, 4:1)").diag.hint == "did you mean composition?");
  CHECK(complaint("Tile = 8:1\nsize(Tiel)").diag.hint == "did you mean Tile?");
  CHECK(complaint("size((4,8)").diag.hint == "did you mean size((4,8))");
}

TEST_CASE("nesting has a limit that says so, in every bracket") {
  const auto deep = [](const std::string& open, const std::string& inner, const std::string& close) {
    std::string text;
    for (int k = 0; k < 10'000; ++k) text += open;
    text += inner;
    for (int k = 0; k < 10'000; ++k) text += close;
    return complaint(text).diag.message;
  };
  CHECK(deep("(", "A", ")") == "the expression nests more than 200 levels deep");
  CHECK(deep("size(", "8:1", ")") == "the expression nests more than 200 levels deep");
  CHECK(deep("[", "A", "]") == "the expression nests more than 200 levels deep");
  CHECK(deep("<", "A", ">") == "the expression nests more than 200 levels deep");
  CHECK(deep("not ", "true", "") == "the expression nests more than 200 levels deep");
  CHECK(deep("- ", "(A)", "") == "the expression nests more than 200 levels deep");
  CHECK(deep("A", "", "(1)").size() > 0);
  CHECK_FALSE(deep("(", "4", ")").empty());  // a literal: the notation's limit
  CHECK_FALSE(deep("(", "4", "):1").empty());
  CHECK_FALSE(deep("Sw<", "3", ">").empty());
  CHECK_FALSE(deep("((", "", "").empty());
}

TEST_CASE("long flat expressions are no deep ones") {
  std::string sum = "1";
  for (int k = 0; k < 100'000; ++k) sum += "+1";
  CHECK(last(sum) == "100001");
  std::string chain = "Sw<0,0,0>";
  for (int k = 0; k < 20'000; ++k) chain += " o Sw<0,0,0>";
  CHECK(last(chain) == "Sw<0,0,0>");
}

TEST_CASE("huge extents are answered or refused, never overflowed") {
  CHECK(last("size((1000000000000000000):(1))") == "1000000000000000000");
  CHECK(last("size((1000000000000000000,1000000000000000000):(1,1))").substr(0, 6) == "error:");
  CHECK(last("cosize(2:9223372036854775807)").substr(0, 6) == "error:");
  CHECK(last("zN<2>(9223372036854775807, 9223372036854775807)").substr(0, 6) == "error:");
  CHECK(last("print_layout((1000000,1000000):(1000000,1))").substr(0, 6) == "error:");
}
