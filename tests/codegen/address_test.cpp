// Expressions and addresses: the printed text has the intended value.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "core/codegen/address/expression.h"
#include "core/codegen/operand/addresses.h"
#include "core/expr/simplify.h"
#include "core/graphene/atoms/atom.h"
#include "core/notation/graphene/operations.h"
#include "programs.h"

namespace tessera::codegen {
namespace {

// C's integer expressions, slowly: int until a value or a cast says long long or unsigned; leaving 32 bits as an int
// fails, and an unsigned number is taken modulo 2^32.
class C {
 public:
  C(std::string text, std::map<std::string, i64> names) : text_(std::move(text)), names_(std::move(names)) {}
  i64 run() {
    const i64 v = exclusive().value;
    CHECK(at_ == text_.size());
    return v;
  }
  bool overflowed = false;

 private:
  struct Value {
    i64 value = 0;
    bool wide = false, word = false;  // long long; unsigned
  };
  static i64 word(i64 value) { return static_cast<i64>(static_cast<u64>(value) & UINT32_MAX); }
  bool eat(const std::string& word) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }
  // The operands of / and % become unsigned if one of them is and none is long long.
  static void convert(Value& a, Value& b) {
    if (a.wide || b.wide || (!a.word && !b.word)) return;
    a = {word(a.value), false, true};
    b = {word(b.value), false, true};
  }
  Value made(Value a, Value b, i64 value) {
    const bool wide = a.wide || b.wide;
    if (!wide && (a.word || b.word)) return {word(value), false, true};
    if (!wide && (value < INT32_MIN || value > INT32_MAX)) overflowed = true;
    return {value, wide};
  }
  Value exclusive() {
    Value a = sum();
    while (eat("^")) {
      const Value b = sum();
      a = made(a, b, a.value ^ b.value);
    }
    return a;
  }
  Value sum() {
    Value a = product();
    for (;;) {
      if (eat("+")) {
        const Value b = product();
        a = made(a, b, a.value + b.value);
      } else if (eat("-")) {
        const Value b = product();
        a = made(a, b, a.value - b.value);
      } else {
        return a;
      }
    }
  }
  Value product() {
    Value a = unary();
    for (;;) {
      if (eat("*")) {
        const Value b = unary();
        a = made(a, b, a.value * b.value);
      } else if (eat("/")) {
        Value b = unary();
        convert(a, b);
        a = made(a, b, a.value / b.value);
      } else if (eat("%")) {
        Value b = unary();
        convert(a, b);
        a = made(a, b, a.value % b.value);
      } else {
        return a;
      }
    }
  }
  Value call(bool div) {
    const Value a = exclusive();
    CHECK(eat(","));
    const Value b = exclusive();
    CHECK(eat(")"));
    const i64 m = ((a.value % b.value) + b.value) % b.value;
    return made(a, b, div ? (a.value - m) / b.value : m);
  }
  Value unary() {
    if (eat("-")) {
      const Value a = unary();
      CHECK(!a.word);
      return {-a.value, a.wide};
    }
    if (eat("(unsigned)")) return {word(unary().value), false, true};
    if (eat("(int)")) {
      const i64 value = unary().value;
      if (value < INT32_MIN || value > INT32_MAX) overflowed = true;
      return {value};
    }
    if (eat("(long long)")) return {unary().value, true};
    if (eat("tessera::floor_div(")) return call(true);
    if (eat("tessera::floor_mod(")) return call(false);
    for (const bool least : {true, false}) {
      if (!eat(least ? "min(" : "max(")) continue;
      const Value a = exclusive();
      CHECK(eat(","));
      const Value b = exclusive();
      CHECK(eat(")"));
      CHECK((a.wide == b.wide && a.word == b.word));  // templates want one type
      return made(a, b, least ? std::min(a.value, b.value) : std::max(a.value, b.value));
    }
    if (eat("(")) {
      const Value a = exclusive();
      CHECK(eat(")"));
      return a;
    }
    (void)eat("");
    std::string word;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      word += text_[at_++];
    REQUIRE(!word.empty());
    if (std::isdigit(static_cast<unsigned char>(word[0])) == 0) return {names_.at(word), false};
    return {std::stoll(word), word.ends_with("LL")};
  }

  std::string text_;
  std::map<std::string, i64> names_;
  std::size_t at_ = 0;
};

Expr randomExpr(std::mt19937_64& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<u64>(n)); };
  if (depth == 0 || pick(4) == 0) return pick(3) == 0 ? Expr::constant(pick(40) - 8) : Expr::param(pick(3));
  const Expr a = randomExpr(random, depth - 1), b = randomExpr(random, depth - 1);
  switch (pick(8)) {
    case 0:
    case 1:
      return a + b;
    case 2:
      return a - b;
    case 3:
      return a * Expr::constant(pick(70000) - 3);
    case 4:
      return floorDiv(a, 1 + pick(9));
    case 5:
      return mod(a, 1 + pick(9));
    case 6:
      return a ^ b;
    default:
      return pick(2) == 0 ? least(a, b) : greatest(a, b);
  }
}

}  // namespace

TEST_CASE("an expression's text has its value in C, and leaves 32 bits nowhere as an int") {
  std::mt19937_64 random(7);
  const Environment box{{}, {{0, 40}, {-5, 9}, {1, INT32_MAX}}};
  for (int n = 0; n < 4000; ++n) {
    const Expr e = randomExpr(random, 4);
    FactBase facts(box);
    if (!facts.of(e).fits) continue;
    const auto name = [](int p) { return std::string(1, static_cast<char>('x' + p)); };
    const std::string text = spell({e}, facts, Dialect::Kernel, name).values[0].text;
    INFO(print(e) << "   " << text);
    for (int k = 0; k < 8; ++k) {
      const std::vector<i64> at{static_cast<i64>(random() % 41), static_cast<i64>(random() % 15) - 5,
                                k == 0 ? INT32_MAX : static_cast<i64>(random() % 100'000) + 1};
      C c(text, {{"x", at[0]}, {"y", at[1]}, {"z", at[2]}});
      REQUIRE(c.run() == evaluate(e, {}, at));
      REQUIRE(!c.overflowed);
    }
  }
}

TEST_CASE("a swizzle is taken inside a sum without changing an address") {
  std::mt19937_64 random(11);
  const Environment box{{}, {{0, 7}, {0, 31}, {0, 3}, {0, 63}}};
  for (int n = 0; n < 3000; ++n) {
    const auto swizzle = cute::Swizzle::make(1 + static_cast<i64>(random() % 3), static_cast<i64>(random() % 4),
                                             (random() % 4 == 0 ? -1 : 1) * (3 + static_cast<i64>(random() % 2)));
    REQUIRE(swizzle.ok());
    Expr x = Expr::constant(static_cast<i64>(random() % 3) * 8);
    for (int p = 0; p < 4; ++p) x = x + Expr::param(p) * (i64{1} << (random() % 9));
    if (random() % 3 == 0) x = x + mod(Expr::param(3), 5) * 12;
    FactBase facts(box);
    const Expr inside =
        addressExpr(x, *swizzle, facts, [](const Expr& e) { return print(e).find("p2") != std::string::npos; });
    INFO(print(x) << "   " << print(inside));
    for (int k = 0; k < 20; ++k) {
      std::vector<i64> at;
      for (const Range& r : box.params) at.push_back(static_cast<i64>(random() % static_cast<u64>(r.hi + 1)));
      REQUIRE(evaluate(inside, {}, at) == (*swizzle)(evaluate(x, {}, at)));
    }
  }
}

TEST_CASE("gemm_pipelined: a swizzle's exclusive or has no loop in it") {
  // Sw<2,3,3> of st * 4096 + i * 2048 + r * 32 + c * 8
  FactBase facts({{}, {{0, 2}, {0, 1}, {0, 63}, {0, 3}}});
  const Expr st = Expr::param(0), i = Expr::param(1), r = Expr::param(2), c = Expr::param(3);
  const Expr e = addressExpr(st * 4096 + i * 2048 + r * 32 + c * 8, *cute::Swizzle::make(2, 3, 3), facts,
                             [](const Expr& x) { return print(x).find("p0") != std::string::npos; });
  const Expr mended = simplified(c * 8, facts.box()) ^ simplified(mod(floorDiv(r, 2), 4) * 8, facts.box());
  REQUIRE(e.op() == Op::Add);
  CHECK(e.rhs() == mended);
}

}  // namespace tessera::codegen
