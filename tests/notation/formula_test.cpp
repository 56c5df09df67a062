// Index formulas against C: a parser of the same text that computes with the machine's own operators.
#include <catch2/catch.hpp>
#include <random>

#include "core/notation/indexing/map.h"

using namespace tessera;

namespace {

// What C says of the text at (a, b): precedence climbing over the grammar of C's integer operators.
class Machine {
 public:
  Machine(const std::string& text, i64 a, i64 b) : text_(text), a_(a), b_(b) {}
  i64 run() { return binary(0); }

 private:
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::string op() {
    const char c = peek();
    if (c == '<' || c == '>') return text_.substr(at_, 2);
    return std::string("|^&+-*/%").find(c) == std::string::npos || c == '\0' ? "" : std::string(1, c);
  }
  static int level(const std::string& op) {
    if (op == "|") return 1;
    if (op == "^") return 2;
    if (op == "&") return 3;
    if (op == "<<" || op == ">>") return 4;
    return op == "+" || op == "-" ? 5 : op.empty() ? 0 : 6;
  }
  static i64 apply(const std::string& op, i64 x, i64 y) {
    if (op == "|") return x | y;
    if (op == "^") return x ^ y;
    if (op == "&") return x & y;
    if (op == "<<") return x << y;
    if (op == ">>") return x >> y;
    if (op == "+") return x + y;
    if (op == "-") return x - y;
    if (op == "*") return x * y;
    return op == "/" ? x / y : x % y;
  }
  i64 binary(int above) {
    i64 left = unary();
    for (std::string o = op(); level(o) > above; o = op()) {
      at_ += o.size();
      left = apply(o, left, binary(level(o)));
    }
    return left;
  }
  i64 unary() {
    const char c = peek();
    if (c == '-' || c == '~') {
      ++at_;
      const i64 v = unary();
      return c == '-' ? -v : ~v;
    }
    if (c == '(') {
      ++at_;
      const i64 v = binary(0);
      peek();
      ++at_;
      return v;
    }
    if (c == 'a' || c == 'b') {
      ++at_;
      return c == 'a' ? a_ : b_;
    }
    std::size_t used = 0;
    const i64 v = std::stoll(text_.substr(at_), &used, 0);
    at_ += used;
    return v;
  }
  std::string text_;
  i64 a_, b_;
  std::size_t at_ = 0;
};

std::string randomText(std::mt19937& rng, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  if (depth == 0 || pick(6) == 0) return pick(3) == 0 ? std::to_string(pick(70)) : pick(2) == 0 ? "a" : "b";
  const auto part = [&] {
    const std::string text = randomText(rng, depth - 1);
    return pick(2) == 0 ? "(" + text + ")" : text;
  };
  switch (pick(12)) {
    case 0:
      return part() + " << " + std::to_string(pick(5));
    case 1:
      return part() + " >> " + std::to_string(pick(5));
    case 2:
      return "(" + part() + ") / " + std::to_string(pick(9) + 1);
    case 3:
      return "(" + part() + ") % " + std::to_string(pick(9) + 1);
    case 4:
      return "(" + part() + ") / (b + 1)";
    case 5:
      return "(" + part() + ") % -" + std::to_string(pick(9) + 1);
    case 6:
      return "-" + std::string("(") + part() + ")";
    case 7:
      return "~(" + part() + ")";
    default: {
      static const std::vector<std::string> kOps = {" + ", " - ", " & ", " | ", " ^ ", " * "};
      return part() + kOps[static_cast<std::size_t>(pick(6))] + part();
    }
  }
}

Map formula(const std::string& text) {
  const auto read = indexing::parseFormula(text);
  INFO(text);
  if (!read) FAIL(read.error().message);
  return read->map.map;
}

}  // namespace

TEST_CASE("a formula has the value that C computes, at every coordinate") {
  std::mt19937 rng(3);
  int negative = 0, formulas = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::string body = randomText(rng, 4);
    INFO("round " << round << ": " << body);
    const auto read = indexing::parseFormula("S(a, b) = " + body + " over (7, 5)");
    if (!read && read.error().message.find("shift") != std::string::npos) continue;  // a << 3 * b
    REQUIRE(read.ok());
    const Map map = read->map.map;
    ++formulas;
    const indexing::IndexingMap printed{map};
    const auto again = indexing::parse(print(printed));
    REQUIRE(again.ok());
    REQUIRE(print(*again) == print(printed));
    for (i64 a = 0; a < 7; ++a) {
      for (i64 b = 0; b < 5; ++b) {
        const i64 want = Machine(body, a, b).run();
        const i64 point[] = {a, b};
        REQUIRE(map.at(point)[0] == want);
        REQUIRE(again->map.at(point)[0] == want);
        negative += want < 0 ? 1 : 0;
      }
    }
  }
  CHECK(formulas > 1500);
  CHECK(negative > 1000);
}

TEST_CASE("masks of every shape, for values of either sign") {
  for (const i64 mask : {0, 1, 6, 7, 0x55, 56, 0x3f, -1, -2, -8, -0x38, 0x7fffffff}) {
    const Map both = formula("S(a) = (a - 40) & " + std::to_string(mask) + " over (80)");
    const Map either = formula("S(a) = (a - 40) | " + std::to_string(mask) + " over 80");
    for (i64 a = 0; a < 80; ++a) {
      const i64 point[] = {a};
      CHECK(both.at(point)[0] == ((a - 40) & mask));
      CHECK(either.at(point)[0] == ((a - 40) | mask));
    }
  }
}

TEST_CASE("the formula of a swizzle, one parameter, three, unused ones") {
  const Map swizzled = formula("S(row, col) = row * 64 + (col ^ ((row & 7) << 3)) over (64,64)");
  CHECK(print(swizzled) ==
        "(row, col) -> (offset: row * 64 + (col xor (row mod 8 * 8))), domain: row in [0, 63], col in [0, 63]");
  for (i64 row = 0; row < 64; ++row) {
    for (i64 col = 0; col < 64; ++col) {
      const i64 point[] = {row, col};
      REQUIRE(swizzled.at(point)[0] == row * 64 + (col ^ ((row & 7) << 3)));
    }
  }
  CHECK(print(formula("S(i) = 0x10 * i over 8")) == "(i) -> (offset: i * 16), domain: i in [0, 7]");
  CHECK(print(formula("T(i,j,k) = min(i, max(j, k), 3) over (2,3,4)")) ==
        "(i, j, k) -> (offset: min(min(i, max(j, k)), 3)), domain: i in [0, 1], j in [0, 2], k in [0, 3]");
  CHECK(print(formula("U(i, j) = i over (4, 5)")) == "(i, j) -> (offset: i), domain: i in [0, 3], j in [0, 4]");
}

TEST_CASE("division is the plain one where the dividend cannot be negative") {
  CHECK(print(formula("S(i) = i / 4 + i % 4 over 16")).substr(0, 37) == "(i) -> (offset: i floordiv 4 + i mod ");
  const Map truncating = formula("S(i) = (i - 8) / 4 * 10 + (i - 8) % 4 over 16");
  for (i64 i = 0; i < 16; ++i) {
    const i64 point[] = {i};
    CHECK(truncating.at(point)[0] == (i - 8) / 4 * 10 + (i - 8) % 4);
  }
}

TEST_CASE("what is no formula is refused with its place and what would be right") {
  struct Row {
    const char* text;
    const char* message;
    const char* piece;
  };
  for (const Row& row : {
           Row{"S(i, j) = i + j", "the extents of i, j are missing", "S(i, j) ="},
           Row{"S(i) = i", "the extents of i are missing", "S(i) ="},
           Row{"S(i, j) = i over (4)", "2 parameters (i, j), but 1 extents", "over (4)"},
           Row{"S(i) = i over (4, 4)", "1 parameters (i), but 2 extents", "over (4, 4)"},
           Row{"S(i) = i over (0)", "the extent 0 is not positive", "0"},
           Row{"S(i) = i * n over (4)", "there is no variable n", "n"},
           Row{"S(i) = f(i) over (4)", "there is no function f in an index", "f"},
           Row{"S() = 3 over (4)", "the formula has no parameters", "S()"},
           Row{"S(i, i) = i over (4, 4)", "the parameter i appears twice", "i"},
           Row{"S(min) = min over 4", "min cannot be a parameter: it is a reserved word of formulas", "min"},
           Row{"S(i) = i << i over 4", "the shift count is not a number", "i"},
           Row{"S(i) = 4 / i over 4", "this divisor is in [0, 3], so it can be 0", "/ i"},
           Row{"S(i) = i % 0 over 4", "a division by 0", "% 0"},
           Row{"S(i) = i && 1 over 4", "&& is a logical operator, and an index has no conditions", "&&"},
           Row{"S(i) = (i over 4", "the extents of i are missing", "S(i) ="},
           Row{"S(i) = i i over 4", "the formula should end here", "i"},
           Row{"S(i) = i * 0x7fffffffffffffff over 4",
               "axis offset may exceed the 64-bit range (or divide by zero) on this domain", "i * 0x7fffffffffffffff"},
       }) {
    INFO(row.text);
    const auto read = indexing::parseFormula(row.text);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().message == row.message);
    const Span span = read.error().span;
    CHECK_THAT(std::string(row.text).substr(span.begin, span.end - span.begin), Catch::StartsWith(row.piece));
  }
}

TEST_CASE("what opens a formula, and what does not") {
  for (const char* text : {"S(i) = 3", "S ( i , j )= i", "S(i)=i", "S() = 1", "S(a,\n b) = a"})
    CHECK(indexing::opensFormula(text));
  for (const char* text : {"A(1,2) == 5", "A(i) == 5", "A = 3", "A(i)", "A(i) + 1", "(i) = 3", "A(f(i)) = 3",
                           "A(2) = 3", "", "A(", "A(i", "A(i) <= 3"}) {
    INFO(text);
    CHECK_FALSE(indexing::opensFormula(text));
  }
}
