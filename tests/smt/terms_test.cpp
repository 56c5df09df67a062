// Terms, their text and their translation: Z3 reads the text back, and a second opinion evaluates them in plain C++.
#include <z3++.h>

#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>

#include "solver/prove/smt/text.h"
#include "solver/prove/z3/z3_translate.h"
#include "tests/support/volume.h"

using namespace tessera;
using namespace tessera::prover;
using smt::Sort;
using smt::Term;
using smt::TermKind;
using smt::Terms;

namespace {

i128 modulo(i128 value, int width) {
  const i128 modulus = i128{1} << width;
  return (value % modulus + modulus) % modulus;
}

// As two's complement.
i128 signedValue(i128 value, int width) { return value >> (width - 1) != 0 ? value - (i128{1} << width) : value; }

// Each term's value for values of the variables, from the definitions of SMT-LIB's theories.
class Values {
 public:
  Values(const Terms& terms, std::mt19937& random) : terms_(terms) {
    for (int k = 0; k < terms.size(); ++k) all_.push_back(valueOf({k}, random));
  }
  [[nodiscard]] i128 of(Term t) const { return all_[static_cast<std::size_t>(t.index)]; }

 private:
  i128 valueOf(Term t, std::mt19937& random) const {
    const auto operands = terms_.operands(t);
    const int width = terms_.sort(t).width();
    const auto at = [&](std::size_t k) { return of(operands[k]); };
    const auto wrapped = [&](i128 v) { return width > 0 ? modulo(v, width) : v; };
    // As the comparison reads it.
    const auto ordered = [&](std::size_t k) {
      const int its = terms_.sort(operands[k]).width();
      return its > 0 ? signedValue(at(k), its) : at(k);
    };
    i128 total = 0;
    switch (terms_.kind(t)) {
      case TermKind::Variable:
        if (terms_.sort(t).isTruth()) return random() % 2;
        return wrapped(static_cast<i128>(random() % 41) - 20);
      case TermKind::Number:
      case TermKind::Truth:
        return terms_.value(t);
      case TermKind::Sum:
        for (const Term of : operands) total += this->of(of);
        return wrapped(total);
      case TermKind::Product:
        return wrapped(at(0) * at(1));
      case TermKind::Negated:
        return wrapped(-at(0));
      case TermKind::Xor:
        return at(0) ^ at(1);
      case TermKind::ShiftRight:
        return wrapped(ordered(0) >> std::min<i128>(at(1), width));
      case TermKind::Divided:
        return at(1) == 0 ? modulo(-1, width) : at(0) / at(1);
      case TermKind::Widened:
        return at(0);
      case TermKind::AtMost:
        return ordered(0) <= ordered(1);
      case TermKind::Below:
        return ordered(0) < ordered(1);
      case TermKind::UnsignedAtMost:
        return at(0) <= at(1);
      case TermKind::Equal:
        return at(0) == at(1);
      case TermKind::Differ:
        return at(0) != at(1);
      case TermKind::Choice:
        return at(0) != 0 ? at(1) : at(2);
      case TermKind::All:
        return std::all_of(operands.begin(), operands.end(), [&](Term of) { return this->of(of) != 0; });
      case TermKind::Any:
        return std::any_of(operands.begin(), operands.end(), [&](Term of) { return this->of(of) != 0; });
      case TermKind::Not:
        return at(0) == 0;
    }
    return 0;
  }

  const Terms& terms_;
  std::vector<i128> all_;
};

// A graph of terms with every operation, some used many times. Integers stay small enough for i128.
struct Graph {
  Terms terms = {};
  std::vector<Term> variables = {}, integers = {}, narrow = {}, wide = {}, truths = {};

  explicit Graph(std::mt19937& random, int width) {
    const Sort small = Sort::bits(width), large = Sort::bits(width + 3);
    const auto variable = [&](const std::string& name, Sort sort, std::vector<Term>& to) {
      to.push_back(terms.variable(name, sort));
      variables.push_back(to.back());
    };
    for (int k = 0; k < 2; ++k) {
      variable("d" + std::to_string(k) + "_1", Sort::integer(), integers);
      variable("n" + std::to_string(k) + "_x", small, narrow);
      variable("w" + std::to_string(k), large, wide);
      variable("b" + std::to_string(k), Sort::truth(), truths);
    }
    for (int k = 0; k < 24; ++k) grow(random, width);
  }

  void grow(std::mt19937& random, int width) {
    const auto any = [&](const std::vector<Term>& of) { return of[random() % of.size()]; };
    const i128 number = static_cast<i128>(random() % 33) - 16;
    switch (random() % 21) {
      case 0:
        return integers.push_back(terms.number(number, Sort::integer()));
      case 1:
        return integers.push_back(terms.sum({any(integers), any(integers)}));
      case 2: {
        std::vector<Term> many;
        for (int k = 0; k < 20; ++k) many.push_back(any(integers));
        return integers.push_back(terms.sum(many));
      }
      case 3:  // one factor is a leaf, so that values stay below 2^100
        return integers.push_back(terms.product(terms.number(number, Sort::integer()), any(integers)));
      case 4:
        return integers.push_back(terms.negated(any(integers)));
      case 5:
        return integers.push_back(terms.choice(any(truths), any(integers), any(integers)));
      case 6:
        return wide.push_back(terms.number(number, Sort::bits(width + 3)));
      case 7:
        return wide.push_back(terms.widened(any(narrow), width + 3));
      case 8:
        return wide.push_back(terms.sum({any(wide), any(wide)}));
      case 9:
        return wide.push_back(terms.product(any(wide), any(wide)));
      case 10:
        return narrow.push_back(terms.exclusiveOr(any(narrow), any(narrow)));
      case 11:
        return narrow.push_back(terms.shiftedRight(any(narrow), any(narrow)));
      case 12:
        return narrow.push_back(terms.divided(any(narrow), any(narrow)));
      case 13:
        return narrow.push_back(terms.negated(any(narrow)));
      case 14:
        return truths.push_back(terms.atMost(any(integers), any(integers)));
      case 15:
        return truths.push_back(terms.below(any(wide), any(wide)));
      case 16:
        return truths.push_back(terms.atMost(any(narrow), any(narrow)));
      case 17:
        return truths.push_back(terms.unsignedAtMost(any(narrow), any(narrow)));
      case 18:
        return truths.push_back(random() % 2 == 0 ? terms.equal(any(wide), any(wide))
                                                  : terms.differ(any(integers), any(integers)));
      case 19:
        return truths.push_back(random() % 2 == 0 ? terms.all({any(truths), any(truths), any(truths)})
                                                  : terms.any({any(truths), terms.truth(random() % 2 == 0)}));
      default:
        return truths.push_back(terms.opposite(any(truths)));
    }
  }
};

z3::check_result answerTo(const std::string& text) {
  z3::context context;
  z3::solver solver(context);
  solver.from_string(text.c_str());
  return solver.check();
}

}  // namespace

TEST_CASE("Z3 reads the text of a term as the term that it is given") {
  std::mt19937 random(1);
  for (int round = 0; round < test::volume(60, 3000); ++round) {
    Graph g(random, 1 + static_cast<int>(random() % 12));
    // Every term that is no variable, at once: a fresh variable equals it.
    smt::Question question{"ALL"};
    const int all = g.terms.size();
    for (int k = 0; k < all; ++k)
      if (g.terms.kind({k}) != TermKind::Variable)
        question.conditions.push_back(g.terms.equal(g.terms.variable("v" + std::to_string(k), g.terms.sort({k})), {k}));
    z3::context context;
    const std::string text = smt::smtText(g.terms, question);
    INFO(text);
    REQUIRE(smt::isWritten(text));
    const z3::expr_vector read = context.parse_string(text.c_str());
    REQUIRE(read.size() == question.conditions.size());
    Z3Translation translation(context, g.terms);
    for (unsigned k = 0; k < read.size(); ++k) {
      const z3::expr given = translation.of(question.conditions[k]);
      INFO("read " << read[static_cast<int>(k)] << "\ngiven " << given);
      if (z3::eq(read[static_cast<int>(k)].simplify(), given.simplify())) continue;
      z3::solver solver(context);
      solver.add(read[static_cast<int>(k)] != given);
      CHECK(solver.check() == z3::unsat);
    }
  }
}

TEST_CASE("the text of a term means what the definitions say") {
  std::mt19937 random(2);
  for (int round = 0; round < test::volume(60, 2000); ++round) {
    Graph g(random, 1 + static_cast<int>(random() % 12));
    const Values values(g.terms, random);
    const auto truthOf = [&](Term t, i128 value) {
      return g.terms.sort(t).isTruth() ? g.terms.equal(t, g.terms.truth(value != 0))
                                       : g.terms.equal(t, g.terms.number(value, t));
    };
    smt::Question question{"ALL"};
    const int all = g.terms.size();
    for (const Term v : g.variables) question.conditions.push_back(truthOf(v, values.of(v)));
    std::vector<Term> asComputed;
    for (int k = 0; k < all; ++k) asComputed.push_back(truthOf({k}, values.of({k})));
    question.conditions.push_back(g.terms.opposite(g.terms.all(asComputed)));
    const std::string text = smt::smtText(g.terms, question);
    INFO(text);
    CHECK(answerTo(text) == z3::unsat);
    // The values of the variables alone are possible, so the question above is no contradiction in itself.
    question.conditions.pop_back();
    CHECK(answerTo(smt::smtText(g.terms, question)) == z3::sat);
  }
}

TEST_CASE("numbers are written as SMT-LIB has them") {
  Terms t;
  const Term x = t.variable("x0", Sort::integer()), b = t.variable("b0", Sort::bits(4));
  const auto text = [&](Term condition) { return smt::smtText(t, {"ALL", {condition}}); };
  CHECK_THAT(text(t.equal(x, t.number(-3, x))), Catch::Contains("(assert (= x0 (- 3)))"));
  CHECK_THAT(text(t.equal(x, t.number(INT64_MIN, x))), Catch::Contains("(- 9223372036854775808)"));
  CHECK_THAT(text(t.equal(b, t.number(-3, b))), Catch::Contains("(assert (= b0 (_ bv13 4)))"));
  CHECK_THAT(text(t.equal(b, t.number(16, b))), Catch::Contains("(_ bv0 4)"));
  const Term w = t.variable("w0", Sort::bits(118));
  CHECK_THAT(text(t.equal(w, t.number(-1, w))), Catch::Contains("(_ bv332306998946228968225951765070086143 118)"));
  CHECK(smt::smtText(t, {"QF_LIA", {t.all({})}, smt::Status::Sat, "yes", "no"}) ==
        "; sat: yes\n; unsat: no\n(set-info :smt-lib-version 2.6)\n(set-logic QF_LIA)\n(set-info :status sat)\n"
        "(assert true)\n(check-sat)\n");
}

TEST_CASE("the text of shared terms grows with their number, and that of nested ones needs no deep recursion") {
  Terms t;
  Term doubled = t.variable("x0", Sort::integer());
  for (int k = 0; k < 200; ++k) doubled = t.sum({doubled, doubled});
  const std::string text = smt::smtText(t, {"QF_LIA", {t.equal(doubled, t.number(1, doubled))}});
  CHECK(text.size() < 200 * 60);
  CHECK(answerTo(text) == z3::unsat);  // 2^200 * x = 1

  Terms deep;
  Term nested = deep.variable("x0", Sort::bits(8));
  for (int k = 1; k < 300'000; ++k)
    nested = deep.exclusiveOr(nested, deep.variable("x" + std::to_string(k), Sort::bits(8)));
  const smt::Question question{"QF_BV", {deep.equal(nested, deep.number(0, nested))}};
  CHECK(smt::isWritten(smt::smtText(deep, question, std::size_t{1} << 26)));
  // By default that is too long, and the text says so.
  const std::string refused = smt::smtText(deep, question);
  CHECK_FALSE(smt::isWritten(refused));
  CHECK(refused == smt::notWritten(smt::kMostText));
}

TEST_CASE("a term that is not used is not written, and forgotten terms can be made again") {
  Terms t;
  const Term x = t.variable("x0", Sort::integer());
  const int size = t.size();
  (void)t.equal(t.variable("y0", Sort::integer()), x);
  const Term condition = t.below(x, t.number(1, x));
  CHECK(smt::smtText(t, {"QF_LIA", {condition}}).find("y0") == std::string::npos);
  t.rewind(size);
  CHECK(t.size() == size);
  const Term y = t.variable("z0", Sort::integer());
  CHECK(t.name(y) == "z0");
  CHECK(t.name(x) == "x0");
}

TEST_CASE("a comment is one line of printable characters") {
  CHECK(smt::comment("") == "");
  CHECK(smt::comment("injective(A)") == "; injective(A)\n");
  CHECK(smt::comment("a\nb;|\"\t\x01é") == "; a?b;|\"????\n");
  CHECK(smt::comment(std::string(1000, 'x')).size() < 220);
}
