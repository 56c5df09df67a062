// Expressions: interning, printing with the fewest parentheses, folding, depth, threads.
#include "core/expr/expr.h"

#include <catch2/catch.hpp>
#include <random>
#include <thread>

#include "core/expr/facts.h"
#include "core/expr/simplify.h"

using namespace tessera;

namespace {

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1), d2 = Expr::digit(2);

// A reader of print's output: precedence xor < + - < * floordiv mod, all left associative.
class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)) {}
  Expr read() {
    const Expr e = xors();
    REQUIRE(peek().empty());
    return e;
  }

 private:
  std::string peek() {
    std::size_t p = at_;
    while (p < text_.size() && text_[p] == ' ') ++p;
    std::size_t q = p;
    if (q < text_.size() && (text_[q] == '(' || text_[q] == ')')) return text_.substr(q, 1);
    while (q < text_.size() && text_[q] != ' ' && text_[q] != '(' && text_[q] != ')') ++q;
    return text_.substr(p, q - p);
  }
  std::string take() {
    const std::string word = peek();
    at_ = text_.find(word, at_) + word.size();
    return word;
  }
  Expr xors() {
    Expr e = sums();
    while (peek() == "xor") {
      take();
      e = e ^ sums();
    }
    return e;
  }
  Expr sums() {
    Expr e = products();
    while (peek() == "+" || peek() == "-") e = take() == "+" ? e + products() : e - products();
    return e;
  }
  Expr products() {
    Expr e = atom();
    for (;;) {
      const std::string op = peek();
      if (op != "*" && op != "floordiv" && op != "mod") return e;
      take();
      const Expr r = atom();
      e = op == "*" ? e * r : op == "mod" ? mod(e, r) : floorDiv(e, r);
    }
  }
  Expr atom() {
    const std::string word = take();
    if (word == "(") {
      const Expr e = xors();
      REQUIRE(take() == ")");
      return e;
    }
    if (word[0] == 'd') return Expr::digit(std::stoi(word.substr(1)));
    return Expr::constant(std::stoll(word));
  }
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

TEST_CASE("structurally equal expressions are one node") {
  CHECK((d0 * 8 + d1) == (d0 * 8 + d1));
  CHECK((d0 * 8 + d1).id() == (d0 * 8 + d1).id());
  CHECK_FALSE(d0 + d1 == d1 + d0);
  CHECK(Expr::constant(3) * 4 + 2 == Expr::constant(14));
  CHECK(d0 * 1 + 0 == d0);
  CHECK(Expr::constant(5) + d0 == d0 + 5);
  CHECK(nodeCount((d0 + d1) * (d0 + d1)) == 4);
}

TEST_CASE("print uses the fewest parentheses and a - b") {
  CHECK(print(d0 * 8 + d1) == "d0 * 8 + d1");
  CHECK(print((d0 + d1) * 8) == "(d0 + d1) * 8");
  CHECK(print(d0 - d1) == "d0 - d1");
  CHECK(print(d0 - (d1 + d2) * 3) == "d0 - (d1 + d2) * 3");
  CHECK(print(d0 - 5) == "d0 - 5");
  CHECK(print(mod(floorDiv(d0, 8), 4)) == "d0 floordiv 8 mod 4");
  CHECK(print(floorDiv(d0, mod(d1, 8) + 1)) == "d0 floordiv (d1 mod 8 + 1)");
  CHECK(print(mod(d0 + d1, 8)) == "(d0 + d1) mod 8");
  CHECK(print((d0 ^ d1) + d2) == "(d0 xor d1) + d2");
  CHECK(print(d0 ^ (d1 * 8)) == "d0 xor (d1 * 8)");
  CHECK(print(d0 * -4) == "d0 * (-4)");
}

TEST_CASE("what print writes reads back to the same value") {
  std::mt19937_64 rng(6);
  static constexpr i64 kConstants[] = {1, 2, 3, 7, 16, -1, -5};
  for (int round = 0; round < 2000; ++round) {
    std::vector<Expr> pool = {d0, d1, d2, Expr::constant(4), Expr::constant(-3)};
    for (int k = 0; k < 6; ++k) {
      const Expr a = pool[rng() % pool.size()], b = pool[rng() % pool.size()];
      const i64 c = kConstants[rng() % 7];
      const u64 kind = rng() % 7;
      pool.push_back(kind == 0   ? a + b
                     : kind == 1 ? a - b
                     : kind == 2 ? a * c
                     : kind == 3 ? floorDiv(a, c)
                     : kind == 4 ? mod(a, c)
                     : kind == 5 ? (a ^ b)
                                 : a * b);
    }
    const Expr e = pool.back(), back = Reader(print(e)).read();
    INFO(print(e) << "   read as   " << print(back));
    for (const auto& p : {std::vector<i64>{0, 1, 2}, std::vector<i64>{5, 0, 9}, std::vector<i64>{3, 3, 1}})
      REQUIRE(evaluate(e, p) == evaluate(back, p));
  }
}

TEST_CASE("10,000 deep: built, counted, printed, substituted, compared, simplified and destroyed") {
  Expr e = d0;
  for (int k = 0; k < 10000; ++k) e = floorDiv(e * 3 + d1, 2) ^ d2;
  const Environment box{{{0, 1}, {0, 1}, {0, 1}}, {}};
  CHECK(nodeCount(e) > 30000);
  CHECK_FALSE(print(e).empty());
  const std::vector<Expr> to = {Expr::constant(0), Expr::constant(0), Expr::constant(0)};
  CHECK(substitute(e, to) == Expr::constant(0));
  CHECK(compareStructure(e, e + 1) != 0);
  Expr chain = d0;
  for (int k = 0; k < 10000; ++k) chain = mod(chain + d1, 97);
  const Expr s = simplified(chain, box);
  const std::vector<i64> p{1, 1};
  CHECK(evaluate(s, p) == 10001 % 97);
}

TEST_CASE("threads that build the same expressions get the same nodes") {
  std::vector<std::vector<Expr>> built(4);
  std::vector<std::thread> threads;
  for (auto& mine : built)
    threads.emplace_back([&mine] {
      for (i64 k = 0; k < 3000; ++k) mine.push_back(mod(d0 * k + d1, k + 2) ^ Expr::constant(k));
    });
  for (std::thread& t : threads) t.join();
  for (const auto& mine : built) CHECK(mine == built[0]);
}

TEST_CASE("facts find what the parts know together") {
  const Environment box{{{0, 3}, {0, 7}}, {}};
  const Facts f = factsOf(d0 * 8 + d1, box);
  CHECK(f.interval == Range{0, 31});
  CHECK(f.zeros == ~u64{31});
  CHECK(factsOf(d0 * 8, box).divisibleBy(8));
  CHECK_FALSE(factsOf(d0 * 8 + 1, box).divisibleBy(8));
  // An interval shrinks to its congruence class: 6*d0 + 1 with a mask above.
  CHECK(factsOf(mod(d0 * 6 + 1, 16), Environment{{{0, 100}}, {}}).interval == Range{1, 15});
  CHECK(factsOf(mod(d0 * 6 + 2, 16), Environment{{{0, 100}}, {}}).interval == Range{0, 14});
  CHECK(factsOf(d0 * d0, Environment{{{0, i64{1} << 32}}, {}}).fits == false);
}
