// CarriedSums (solver/graphene/sizes/carried_sums.h) on loops that carry a maximum, a sum and a weighted sum, against
// numbers at many lengths.
#include "solver/graphene/sizes/carried_sums.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "solver/emulate/equality/same_value.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

using Term = Terms::Value;

// One step of the loop, as choices from lists of formulas.
struct Rule {
  int most = 0, scale = 0, weight = 0, result = 0;
  bool first = false;      // what a step adds to the weighted sum uses the first input, too
  bool secondSum = false;  // the sum of the weights is carried in two halves, of even and odd steps
};
constexpr int kMost = 5, kScale = 6, kWeight = 5, kResult = 4;

struct Carried {
  Term most, even, odd, weighted;
};

class Run {
 public:
  explicit Run(const Rule& rule) : rule_(rule) {}

  Terms terms;

  Term op(const char* name, Term a, Term b) { return terms.binary(terms.operation(name), a, b); }
  Term exp(Term a) { return terms.unary(terms.operation("exp"), a); }
  Term x(int k) { return terms.input(0, 0, k); }
  Term v(int k) { return terms.input(1, 0, k); }

  Carried start() {
    const Term zero = terms.constant(0);
    return {terms.constant(-INFINITY), zero, zero, zero};
  }
  Carried step(const Carried& s, int k) {
    Carried out = s;
    const Term sum = op("+", x(k), v(k));
    const Term most[] = {op("max", s.most, x(k)), op("max", x(k), s.most), x(k), op("max", s.most, sum),
                         op("max", s.most, op("max", x(k), v(k)))};
    out.most = most[rule_.most];
    const Term half = terms.constant(0.5), fall = op("-", s.most, out.most), above = op("-", x(k), out.most);
    const Term scale[] = {exp(fall),
                          terms.constant(1),
                          exp(op("*", fall, half)),
                          exp(op("-", terms.constant(0), fall)),
                          op("*", exp(fall), terms.constant(2)),
                          exp(op("-", s.most, x(k)))};
    const Term weight[] = {exp(above), exp(op("-", x(k), s.most)), exp(op("*", above, half)), exp(x(k)),
                           op("*", exp(above), x(k))};
    const Term r = scale[rule_.scale], w = weight[rule_.weight];
    out.even = op("*", s.even, r);
    out.odd = op("*", s.odd, r);
    Term& to = rule_.secondSum && k % 2 == 1 ? out.odd : out.even;
    to = op("+", to, w);
    const Term added = op("*", w, v(k));
    out.weighted = op("+", op("*", s.weighted, r), rule_.first ? op("*", added, v(0)) : added);
    return out;
  }
  Term end(const Carried& s) {
    const Term sum = op("+", s.even, s.odd);
    const Term out[] = {op("/", s.weighted, sum), op("*", s.weighted, terms.unary(terms.operation("rcp"), sum)),
                        op("/", s.weighted, op("*", sum, sum)), op("-", s.weighted, sum)};
    return out[rule_.result];
  }
  Term expected(int n) {
    Term most = x(0);
    for (int k = 1; k < n; ++k) most = op("max", most, x(k));
    Term sum = terms.constant(0);
    std::vector<Terms::Product> products;
    for (int k = 0; k < n; ++k) {
      const Term e = exp(op("-", x(k), most));
      sum = op("+", sum, e);
      products.emplace_back(std::min(e, v(k)), std::max(e, v(k)));
    }
    return op("/", terms.add(terms.constant(0), products), sum);
  }

  // Of the run of n steps: the law's answer, with cuts before the steps `cut` and cut + by.
  std::string law(int n, int cut, int by) {
    Carried s = start(), at[2];
    for (int k = 0; k < n; ++k) {
      if (k == cut) at[0] = s;
      if (k == cut + by) at[1] = s;
      s = step(s, k);
    }
    if (n == cut + by) at[1] = s;
    std::unordered_map<Term, Term> next;
    Opaque opaque;
    const auto carry = [&](Term a, Term b) {
      if (a == b && terms.node(a).kind == Terms::Kind::Constant) return;
      next[a] = b;
      opaque.insert(terms, a);
    };
    carry(at[0].most, at[1].most);
    carry(at[0].even, at[1].even);
    carry(at[0].odd, at[1].odd);
    carry(at[0].weighted, at[1].weighted);
    const auto age = [&](int c) {
      return [=](const Terms::Node& input) { return input.element < cut + c * by ? Age::Early : Age::Late; };
    };
    const Term actual = end(s), wanted = expected(n);
    if (Ages(terms, age(0), opaque).of(actual) == Age::Early || Ages(terms, age(0), opaque).of(actual) == Age::Mixed)
      return "an early input is used later";
    return CarriedSums(terms, next, opaque, {age(0), age(1)}).ended(wanted, actual);
  }

 private:
  Rule rule_;
};

bool holdsAt(const Rule& rule, int n) {
  Run run(rule);
  Carried s = run.start();
  for (int k = 0; k < n; ++k) s = run.step(s, k);
  const Term actual = run.end(s), wanted = run.expected(n);
  for (const u64 seed : {1, 2, 3}) {
    TermNumbers numbers({.seed = seed});
    const double a = numbers.of(run.terms, wanted), b = numbers.of(run.terms, actual);
    if (!(std::fabs(a - b) <= 1e-9 * (1 + std::fabs(a)))) return false;
  }
  return true;
}

bool holds(const Rule& rule) {
  for (int n = 1; n <= 9; ++n)
    if (!holdsAt(rule, n)) return false;
  return true;
}

}  // namespace

TEST_CASE("a loop that carries sums scaled by a maximum is proved, and only if it is right at every length") {
  int proved = 0, right = 0;
  for (int most = 0; most < kMost; ++most)
    for (int scale = 0; scale < kScale; ++scale)
      for (int weight = 0; weight < kWeight; ++weight)
        for (int result = 0; result < kResult; ++result)
          for (const bool first : {false, true}) {
            const Rule rule{most, scale, weight, result, first, false};
            const std::string why = Run(rule).law(5, 2, 1);
            const bool correct = holds(rule);
            INFO(most << scale << weight << result << first << " " << why);
            CHECK((!why.empty() || correct));
            if (most == 2) continue;  // an input in the place of the maximum may be right, but is no maximum
            proved += why.empty() ? 1 : 0;
            right += correct ? 1 : 0;
          }
  CHECK(proved >= 12);
  CHECK(right == proved);
}

TEST_CASE("sums carried in parts are proved") {
  const Rule rule{.secondSum = true};
  CHECK(Run(rule).law(7, 2, 2).empty());
  CHECK(Run(rule).law(8, 3, 2).empty());
  CHECK(Run(rule).law(6, 4, 2).empty());  // to the end
}

// Values that are right at five steps, but remember only the last ones.
TEST_CASE("a sum over the last inputs only is not proved") {
  Run run(Rule{});
  Terms& t = run.terms;
  const int n = 5, cut = 2;
  std::vector<Term> last(n, t.constant(0)), at[2];
  for (int k = 0; k < n; ++k) {
    if (k == cut || k == cut + 1) at[k - cut] = last;
    std::rotate(last.begin(), last.end() - 1, last.end());
    last[0] = run.exp(run.x(k));
  }
  Term sum = t.constant(0), weighted = t.constant(0);
  for (int k = 0; k < n; ++k) {
    sum = run.op("+", sum, last[k]);
    weighted = run.op("+", weighted, run.op("*", last[k], run.v(n - 1 - k)));
  }
  const Term actual = run.op("/", weighted, sum), wanted = run.expected(n);
  REQUIRE(SameValue(t).equal(wanted, actual));
  std::unordered_map<Term, Term> next;
  Opaque opaque;
  for (int k = 0; k < n; ++k)
    if (t.node(at[0][k]).kind != Terms::Kind::Constant) next[at[0][k]] = at[1][k], opaque.insert(t, at[0][k]);
  const auto age = [&](int c) {
    return [=](const Terms::Node& input) {
      return input.operation == 0 && input.element < cut + c ? Age::Early : Age::Late;
    };
  };
  CHECK_FALSE(CarriedSums(t, next, opaque, {age(0), age(1)}).ended(wanted, actual).empty());
}
