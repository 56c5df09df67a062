// Every row of the rewrite table is proved by Z3: assume the conditions, assert from != to, expect unsat.
//
// Integers: a floordiv or mod becomes a named quotient and remainder, n == q*d + r with 0 <= r < |d| (for a negative d,
// floor needs d < r <= 0). Z3 never sees a div, and a number that is divided twice has one quotient. kSymbolic rows are
// proved for all constants at once (QF_NIA), some in steps (quotientsOf), and again for each constant of a grid, where
// they are linear. kBits rows are about single bits: bit-vectors of 64 bits for powers of two from 1 to 2^62, with
// floor division built from the signed one.
#include <z3++.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>

#include "core/expr/rules.h"
#include "tests/rules/instances.h"

using namespace tessera;

namespace {

enum class How { kSymbolic, kBits };

const std::map<std::string, How, std::less<>> kHow = {
    {"div-of-sum-with-div", How::kSymbolic},
    {"mod-one-period", How::kSymbolic},
    {"difference-of-digits", How::kSymbolic},
    {"div-in-range", How::kSymbolic},
    {"div-by-negative", How::kSymbolic},
    {"div-of-multiple", How::kSymbolic},
    {"div-of-div", How::kSymbolic},
    {"div-of-mod", How::kSymbolic},
    {"div-common-factor", How::kSymbolic},
    {"div-of-xor", How::kBits},
    {"mod-in-range", How::kSymbolic},
    {"mod-by-negative", How::kSymbolic},
    {"mod-of-multiple", How::kSymbolic},
    {"mod-of-mod", How::kSymbolic},
    {"mod-of-scaled-mod", How::kSymbolic},
    {"mod-coefficient", How::kSymbolic},
    {"mod-common-factor", How::kSymbolic},
    {"mod-of-xor", How::kBits},
    {"scale-of-xor", How::kBits},
    {"sum-of-digits", How::kSymbolic},
    {"sum-of-inner-digits", How::kSymbolic},
    {"sum-of-scaled-digits", How::kSymbolic},
    {"sum-of-scaled-inner-digits", How::kSymbolic},
    {"difference-of-scaled-digits", How::kSymbolic},
    {"sum-of-digits-by-term", How::kSymbolic},
    {"div-by-term", How::kSymbolic},
    {"mod-by-term", How::kSymbolic},
    {"div-below-term", How::kSymbolic},
    {"mod-below-term", How::kSymbolic},
    {"xor-self", How::kBits},
    {"xor-cancel", How::kBits},
    {"add-is-xor", How::kBits},
    {"min-is-first", How::kSymbolic},
    {"min-is-second", How::kSymbolic},
    {"max-is-first", How::kSymbolic},
    {"max-is-second", How::kSymbolic},
    {"min-of-min", How::kSymbolic},
    {"max-of-max", How::kSymbolic},
    {"min-repeated", How::kSymbolic},
    {"max-repeated", How::kSymbolic},
    {"min-of-max", How::kSymbolic},
    {"max-of-min", How::kSymbolic},
    {"min-common-term", How::kSymbolic},
    {"max-common-term", How::kSymbolic},
    {"min-common-constant", How::kSymbolic},
    {"max-common-constant", How::kSymbolic},
};

// "dividend floordiv divisor is quotient": a step of a row's proof. Z3 shows that the rest, dividend - quotient *
// divisor, is one; that there is only one such quotient is the lemma below, proved once for all.
struct Quotient {
  Expr dividend, divisor, quotient;
};

std::vector<Quotient> quotientsOf(std::string_view row) {
  using namespace pattern;
  const Quotient outer{x(), a() * b(), floorDiv(floorDiv(x(), a()), b())};
  if (row == "mod-by-term") return {{x() * z() + y(), z(), x() + floorDiv(y(), z())}};
  if (row == "mod-one-period") return {{x(), b(), floorDiv(a(), b()) * -1}};
  if (row == "mod-by-negative")  // one less where the floor by b leaves something below 0
    return {{x(), b() * -1, floorDiv(x(), b()) * -1 + greatest(x() - b() * floorDiv(x(), b()), Expr::constant(-1))}};
  if (row == "mod-of-multiple") return {{x() * a() + y(), b(), x() * floorDiv(a(), b()) + floorDiv(y(), b())}};
  if (row == "mod-of-mod") return {{x(), b(), floorDiv(x(), a()) * floorDiv(a(), b()) + floorDiv(mod(x(), a()), b())}};
  if (row == "mod-of-scaled-mod")
    return {{x() * c() + y(), b(),
             floorDiv(x(), a()) * floorDiv(a() * c(), b()) + floorDiv(mod(x(), a()) * c() + y(), b())}};
  if (row == "mod-coefficient")
    return {{x() * a() + y(), b(), x() * floorDiv(a(), b()) + floorDiv(x() * mod(a(), b()) + y(), b())}};
  if (row == "mod-common-factor") return {{x() * g() + y(), g() * b(), floorDiv(x(), b())}};
  if (row == "div-of-mod") return {outer, {mod(x(), a() * b()), a(), mod(floorDiv(x(), a()), b())}};
  if (row == "sum-of-inner-digits" || row == "sum-of-scaled-inner-digits") return {outer};
  return {};
}

// On the grid these wildcards are numbers as well: what multiplies or divides a wildcard.
const std::map<std::string, std::size_t, std::less<>> kFactor = {
    {"sum-of-scaled-digits", 1},
    {"sum-of-scaled-inner-digits", 1},
    {"difference-of-scaled-digits", 1},
    {"sum-of-digits-by-term", 2},
    {"div-by-term", 2},
    {"mod-by-term", 2},
};

using Constants = std::vector<std::optional<i64>>;  // values of a b c g k; absent: symbolic

// --- over the integers ----------------------------------------------------------------------------------------------

class Integers {
 public:
  Integers(const Constants& constants, const char* logic, unsigned timeoutMs)
      : constants_(constants), solver_(context_, logic) {
    z3::params p(context_);
    p.set("timeout", timeoutMs);
    solver_.set(p);
  }

  z3::check_result refute(const Rule& rule, const std::vector<Quotient>& steps = {}) {
    for (const Condition& c : rule.when) assume(c);
    const z3::expr from = term(rule.from), to = term(rule.to);
    for (const Quotient& step : steps)
      if (const z3::check_result shown = show(step); shown != z3::unsat) return shown;
    solver_.add(from != to);
    return solver_.check();
  }

  // q * d + r == p * d + s with two rests and q > p: (q - p) * d is between -|d| and |d|.
  z3::check_result refuteTwoQuotients() {
    const z3::expr q = fresh("q"), p = fresh("q"), r = fresh("r"), s = fresh("r"), d = fresh("d");
    solver_.add(d != number(0) && isRest(r, d) && isRest(s, d) && q * d + r == p * d + s && q > p);
    return solver_.check();
  }

 private:
  z3::expr number(i64 v) { return context_.int_val(static_cast<std::int64_t>(v)); }

  void assume(const Condition& c) {
    using Kind = Condition::Kind;
    const z3::expr lhs = term(c.lhs), zero = number(0);
    if (c.kind == Kind::Positive) solver_.add(lhs > zero);
    if (c.kind == Kind::Zero) solver_.add(lhs == zero);
    if (c.kind == Kind::Negative) solver_.add(lhs < zero);
    if (c.kind == Kind::NotZero) solver_.add(lhs != zero);
    if (c.kind == Kind::Outside) solver_.add(lhs < zero || lhs >= term(c.rhs));
    if (c.kind == Kind::AtMost) solver_.add(lhs <= term(c.rhs));
    if (c.kind == Kind::Between) {
      const z3::expr rhs = term(c.rhs);
      solver_.add((zero < lhs && lhs <= rhs) || (rhs <= lhs && lhs < zero));
    }
    if (c.kind == Kind::InRange) solver_.add(lhs >= zero && lhs < term(c.rhs));
    REQUIRE(c.kind != Kind::PowerOfTwo);
    REQUIRE(c.kind != Kind::Disjoint);
  }

  z3::expr term(const Expr& e) {
    if (e.isConstant()) return number(e.value());
    if (e.op() == Op::Digit) return context_.int_const(("x" + std::to_string(e.index())).c_str());
    if (e.op() == Op::Param) {
      const auto& v = constants_[static_cast<std::size_t>(e.index())];
      return v ? number(*v) : context_.int_const(("c" + std::to_string(e.index())).c_str());
    }
    if (const auto it = known_.find(e.id()); it != known_.end()) return it->second;
    const z3::expr l = term(e.lhs()), r = term(e.rhs());
    z3::expr out = e.op() == Op::Add ? l + r : l * r;
    if (e.op() == Op::Min) out = z3::ite(l <= r, l, r);
    if (e.op() == Op::Max) out = z3::ite(l >= r, l, r);
    if (e.op() == Op::FloorDiv) out = division(l, r, e).first;
    if (e.op() == Op::Mod) {  // in [0, |r|), also where the floor's rest is below 0
      const z3::expr rest = division(l, r, e).second;
      out = z3::ite(rest < 0, rest - r, rest);
    }
    known_.emplace(e.id(), out);
    return out;
  }
  // l == quotient * r + rest with the floor's quotient; one pair for e's floordiv and mod.
  std::pair<z3::expr, z3::expr> division(const z3::expr& l, const z3::expr& r, const Expr& e) {
    const auto key = std::make_pair(e.lhs().id(), e.rhs().id());
    if (const auto it = divisions_.find(key); it != divisions_.end()) return it->second;
    const z3::expr q = fresh("q"), rest = fresh("r");
    solver_.add(r != number(0) && l == q * r + rest && isRest(rest, r));
    return divisions_.emplace(key, std::make_pair(q, rest)).first->second;
  }
  // Shows that the quotient leaves a rest, and has it as the quotient from then on.
  z3::check_result show(const Quotient& step) {
    const z3::expr n = term(step.dividend), d = term(step.divisor), q = term(step.quotient);
    const z3::expr known = term(floorDiv(step.dividend, step.divisor));
    solver_.push();
    solver_.add(!isRest(n - q * d, d));
    const z3::check_result shown = solver_.check();
    solver_.pop();
    solver_.add(known == q);
    return shown;
  }
  // What a floor leaves: in [0, d), or (d, 0] below 0.
  z3::expr isRest(const z3::expr& rest, const z3::expr& d) {
    const z3::expr zero = number(0);
    return z3::ite(d > zero, zero <= rest && rest < d, d < rest && rest <= zero);
  }
  z3::expr fresh(const char* prefix) { return context_.int_const((prefix + std::to_string(next_++)).c_str()); }

  Constants constants_;
  z3::context context_;
  z3::solver solver_;
  std::map<const void*, z3::expr> known_;
  std::map<std::pair<const void*, const void*>, std::pair<z3::expr, z3::expr>> divisions_;
  int next_ = 0;
};

// --- over 64-bit words ----------------------------------------------------------------------------------------------

class Words {
 public:
  explicit Words(const Constants& constants) : constants_(constants), solver_(context_, "QF_BV") {
    z3::params p(context_);
    p.set("timeout", 60000u);
    solver_.set(p);
  }
  z3::check_result refute(const Rule& rule) {
    for (const Condition& c : rule.when) {
      if (c.kind == Condition::Kind::Disjoint) solver_.add((term(c.lhs) & term(c.rhs)) == number(0));
      REQUIRE((c.kind == Condition::Kind::Disjoint || c.kind == Condition::Kind::PowerOfTwo));  // by the grid
    }
    solver_.add(term(rule.from) != term(rule.to));
    return solver_.check();
  }

 private:
  z3::expr number(i64 v) { return context_.bv_val(static_cast<std::int64_t>(v), 64); }
  z3::expr term(const Expr& e) {
    if (e.isConstant()) return number(e.value());
    if (e.op() == Op::Digit) return context_.bv_const(("x" + std::to_string(e.index())).c_str(), 64);
    if (e.op() == Op::Param) return number(*constants_[static_cast<std::size_t>(e.index())]);
    const z3::expr l = term(e.lhs()), r = term(e.rhs());
    if (e.op() == Op::Add) return l + r;
    if (e.op() == Op::Mul) return l * r;
    if (e.op() == Op::Xor) return l ^ r;
    const z3::expr rest = z3::srem(l, r);  // truncating; r > 0
    if (e.op() == Op::Mod) return z3::ite(rest < 0, rest + r, rest);
    return z3::ite(rest < 0, l / r - number(1), l / r);
  }
  Constants constants_;
  z3::context context_;
  z3::solver solver_;
};

// --- rows -----------------------------------------------------------------------------------------------------------

void usedParams(const Expr& e, std::vector<bool>& used) {
  if (e.op() == Op::Param) used[static_cast<std::size_t>(e.index())] = true;
  if (e.op() == Op::Constant || e.op() == Op::Digit || e.op() == Op::Param) return;
  usedParams(e.lhs(), used);
  usedParams(e.rhs(), used);
}

// Calls visit with every choice of the row's constants from the grid.
template <typename Visit>
void overGrid(const Rule& rule, const std::vector<i64>& grid, Visit visit) {
  std::vector<bool> used(pattern::kConstants, false);
  usedParams(rule.from, used);
  usedParams(rule.to, used);
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < used.size(); ++k)
    if (used[k]) free.push_back(k);
  std::vector<std::size_t> at(free.size(), 0);
  for (;;) {
    Constants constants(pattern::kConstants);
    std::vector<i64> numbers(pattern::kConstants, 1);
    for (std::size_t k = 0; k < free.size(); ++k) constants[free[k]] = numbers[free[k]] = grid[at[k]];
    if (instances::constantsAllowed(rule, numbers)) visit(constants);
    std::size_t k = 0;
    for (; k < free.size() && ++at[k] == grid.size(); ++k) at[k] = 0;
    if (k == free.size()) return;
  }
}

std::vector<Rule> allRows() {
  std::vector<Rule> rows(rewriteRules().begin(), rewriteRules().end());
  rows.insert(rows.end(), recogniserRules().begin(), recogniserRules().end());
  return rows;
}

// The row with its factor (kFactor) at each number of the grid that its conditions allow; the row itself when it has
// none.
std::vector<Rule> withNumbers(const Rule& row, const std::vector<i64>& grid) {
  const auto factor = kFactor.find(std::string(row.name));
  if (factor == kFactor.end()) return {row};
  std::vector<Rule> out;
  for (const i64 v : grid) {
    std::vector<Expr> exprs = {pattern::x(), pattern::y(), pattern::z()};
    exprs[factor->second] = Expr::constant(v);
    Rule at = row;
    const auto fill = [&](const Expr& e) { return substitute(e, exprs); };
    at.from = fill(row.from);
    at.to = fill(row.to);
    bool allowed = true;
    for (Condition& c : at.when) {
      c = {c.kind, fill(c.lhs), fill(c.rhs)};
      allowed = allowed && !(c.kind == Condition::Kind::AtMost && c.rhs.isConstant() && c.rhs.value() < c.lhs.value());
    }
    if (allowed) out.push_back(std::move(at));
  }
  return out;
}

std::string text(const Rule& r) { return std::string(r.name) + ": " + print(r.from) + "  ->  " + print(r.to); }

}  // namespace

TEST_CASE("every row is named once, has a reason, and has a way of proof") {
  std::map<std::string, int, std::less<>> count;
  for (const Rule& r : allRows()) {
    INFO(r.name);
    CHECK(++count[std::string(r.name)] == 1);
    CHECK(kHow.count(r.name) == 1);
    CHECK_FALSE(r.why.empty());
  }
  CHECK(count.size() == kHow.size());
}

TEST_CASE("a number has one quotient by a divisor that is not 0") {
  CHECK(Integers(Constants(pattern::kConstants), "QF_NIA", 120000).refuteTwoQuotients() == z3::unsat);
}

TEST_CASE("rows over the integers hold for all constants at once") {
  for (const Rule& r : allRows()) {
    if (kHow.at(std::string(r.name)) != How::kSymbolic) continue;
    INFO(text(r));
    CHECK(Integers(Constants(pattern::kConstants), "QF_NIA", 120000).refute(r, quotientsOf(r.name)) == z3::unsat);
  }
}

TEST_CASE("rows over the integers hold for each constant of a grid") {
  for (const Rule& r : allRows()) {
    if (kHow.at(std::string(r.name)) == How::kBits) continue;
    const std::vector<i64> grid = {1, 2, 3, 12, -4};  // a second opinion, on another logic and without steps
    for (const Rule& row : withNumbers(r, grid))
      overGrid(row, grid, [&](const Constants& constants) {
        INFO(text(row));
        REQUIRE(Integers(constants, "QF_LIA", 60000).refute(row) == z3::unsat);
      });
  }
}

TEST_CASE("rows about bits hold for 64-bit words and powers of two from 1 to 2^62") {
  for (const Rule& r : allRows()) {
    if (kHow.at(std::string(r.name)) != How::kBits) continue;
    std::vector<i64> grid;
    for (const int k : {0, 1, 4, 13, 31, 47, 62}) grid.push_back(i64{1} << k);
    overGrid(r, grid, [&](const Constants& constants) {
      INFO(text(r));
      REQUIRE(Words(constants).refute(r) == z3::unsat);
    });
  }
}

TEST_CASE("the proof notices a wrong row") {
  using namespace pattern;
  const Condition positive{Condition::Kind::Positive, b(), {}};
  const Rule noCondition{"wrong",
                         floorDiv(x() * a() + y(), b()),
                         x() * floorDiv(a(), b()) + floorDiv(y(), b()),
                         {positive},
                         "a is no multiple of b"};
  CHECK(Integers(Constants(pattern::kConstants), "QF_NIA", 120000).refute(noCondition) == z3::sat);
  const Rule offByOne{"wrong", mod(x(), b()), x(), {positive, {Condition::Kind::InRange, x(), b() + 1}}, "x may be b"};
  CHECK(Integers(Constants(pattern::kConstants), "QF_NIA", 120000).refute(offByOne) == z3::sat);
  const Rule larger{"wrong", least(x(), y()), y(), {{Condition::Kind::AtMost, x(), y()}}, "the other one"};
  CHECK(Integers(Constants(pattern::kConstants), "QF_NIA", 120000).refute(larger) == z3::sat);
  const Rule anyModulus{"wrong", mod(x() * a() + y(), b()), mod(y(), b()), {positive}, "a is no multiple of b"};
  CHECK(Integers(Constants(pattern::kConstants), "QF_NIA", 120000).refute(anyModulus, quotientsOf("mod-of-multiple")) ==
        z3::sat);  // the step is wrong there
  const Rule carries{"wrong", x() + y(), x() ^ y(), {}, "carries"};
  CHECK(Words(Constants(pattern::kConstants)).refute(carries) == z3::sat);
}
