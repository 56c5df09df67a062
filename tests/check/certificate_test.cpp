// The parts of a certificate: forms have the values of their expressions, and a refutation exists exactly if a small
// system has no integer solution. tests/check/certificate_test.py checks whole certificates.
#include "solver/graphene/certificate/certificate.h"

#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <regex>

#include "core/base/arith.h"
#include "core/expr/expr.h"
#include "verdicts.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

const std::vector<std::string> kNames = {"x", "y", "z"};

// The value of a form whose atoms are the three names and floors of forms, computed from the text of the atom.
i64 valueOf(const LinearForm& form, const LinearForms& forms, const std::vector<i64>& at) {
  // floor((e)/d) is the q with 0 <= e - d*q < d; the definitions say so, in pairs.
  std::map<std::string, i64> values = {{"x", at[0]}, {"y", at[1]}, {"z", at[2]}};
  const std::vector<LinearForm> definitions = forms.definitions({form});
  const std::function<std::optional<i64>(const LinearForm&)> known = [&](const LinearForm& f) -> std::optional<i64> {
    i64 total = 0;
    for (const auto& [monomial, coefficient] : f.terms) {
      i64 part = coefficient;
      for (const std::string& atom : monomial) {
        if (values.count(atom) == 0) return std::nullopt;
        part *= values[atom];
      }
      total += part;
    }
    return total;
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t k = 0; k < definitions.size(); k += 2)
      for (const auto& [monomial, coefficient] : definitions[k].terms) {
        if (monomial.size() != 1 || coefficient >= 0 || values.count(monomial[0]) > 0) continue;
        LinearForm rest = definitions[k];
        rest.terms.erase(monomial);
        if (const auto e = known(rest)) {
          values[monomial[0]] = tessera::floorDiv(*e, -coefficient);
          REQUIRE(*known(definitions[k]) >= 0);
          REQUIRE(*known(definitions[k + 1]) >= 0);
          more = true;
          break;
        }
      }
  }
  const auto out = known(form);
  REQUIRE(out.has_value());
  return *out;
}

Expr randomExpr(std::mt19937& random, int depth) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0) return below(4) == 0 ? Expr::constant(below(9) - 4) : Expr::digit(below(3));
  const Expr a = randomExpr(random, depth - 1);
  switch (below(4)) {
    case 0:
      return a * (below(7) - 3);
    case 1:
      return floorDiv(a, 1 + below(6));
    case 2:
      return mod(a, 1 + below(6));
    default:
      return a + randomExpr(random, depth - 1);
  }
}

LinearForm form(i64 x, i64 y, i64 z, i64 constant) {
  LinearForm out;
  if (x != 0) out.terms[{"x"}] = x;
  if (y != 0) out.terms[{"y"}] = y;
  if (z != 0) out.terms[{"z"}] = z;
  if (constant != 0) out.terms[{}] = constant;
  return out;
}

i64 at(const LinearForm& f, i64 x, i64 y, i64 z) {
  const auto of = [&](const char* name) {
    const auto found = f.terms.find({name});
    return found == f.terms.end() ? 0 : found->second;
  };
  return of("x") * x + of("y") * y + of("z") * z + f.constant();
}

// Whether each leaf adds up to one negative number, with the inequalities of the splits above it.
bool contradicts(const Refutation& proof, std::vector<LinearForm> known) {
  if (proof.below) {
    const LinearForm below = sum(LinearForm{{{{}, proof.at}}}, proof.split, -1).value();
    const LinearForm above = sum(proof.split, LinearForm{{{{}, proof.at + 1}}}, -1).value();
    known.push_back(below);
    if (!contradicts(*proof.below, known)) return false;
    known.back() = above;
    return contradicts(*proof.above, known);
  }
  LinearForm total;
  for (const auto& [number, multiplier] : proof.multipliers) {
    if (multiplier <= 0) return false;
    total = sum(total, known.at(number), multiplier).value();
  }
  return total.terms.size() == 1 && total.constant() < 0;
}

}  // namespace

TEST_CASE("a form has the value of its expression") {
  std::mt19937 random(5);
  for (int n = 0; n < 2000; ++n) {
    const Expr e = randomExpr(random, 1 + n % 5);
    LinearForms forms(kNames);
    const auto f = forms.of(e);
    REQUIRE(f.has_value());
    for (int k = 0; k < 5; ++k) {
      std::vector<i64> point;
      for (int d = 0; d < 3; ++d) point.push_back(static_cast<i64>(random() % 61) - 30);
      INFO(print(e, kNames) << " is " << print(*f));
      CHECK(valueOf(*f, forms, point) == evaluate(e, point));
    }
  }
}

TEST_CASE("nested floors by numbers are one floor, and whole parts leave it") {
  LinearForms forms(kNames);
  const Expr x = Expr::digit(0), y = Expr::digit(1);
  CHECK(print(*forms.of(floorDiv(floorDiv(x, 8), 16))) == print(*forms.of(floorDiv(x, 128))));
  CHECK(print(*forms.of(floorDiv(x * 8 + y, 8))) == "1*floor((1*y)/8) + 1*x");
  CHECK(print(*forms.of(floorDiv(x * 8 + 5, 8))) == "1*x");
  CHECK_FALSE(forms.of(x ^ y).has_value());
  CHECK_FALSE(forms.of(floorDiv(x, y)).has_value());
}

TEST_CASE("substituting forms has the value of substituting expressions") {
  std::mt19937 random(6);
  for (int n = 0; n < 500; ++n) {
    const Expr e = randomExpr(random, 3), x = randomExpr(random, 2), y = randomExpr(random, 2);
    LinearForms forms(kNames);
    const auto f = forms.of(e), fx = forms.of(x), fy = forms.of(y);
    const auto g = forms.substituted(*f, {{"x", *fx}, {"y", *fy}});
    REQUIRE(g.has_value());
    const std::vector<i64> point = {static_cast<i64>(random() % 41) - 20, static_cast<i64>(random() % 41) - 20, 7};
    const std::vector<i64> there = {evaluate(x, point), evaluate(y, point), 7};
    CHECK(valueOf(*g, forms, point) == evaluate(e, there));
  }
}

TEST_CASE("a bounded system has a refutation exactly if it has no integer solution") {
  std::mt19937 random(7);
  const auto number = [&](int reach) {
    return static_cast<i64>(random() % static_cast<unsigned>(2 * reach + 1)) - reach;
  };
  int refuted = 0, split = 0;
  for (int n = 0; n < 1500; ++n) {
    std::vector<LinearForm> system;
    for (int d = 0; d < 3; ++d) {
      system.push_back(form(d == 0, d == 1, d == 2, 0));
      system.push_back(form(-(d == 0), -(d == 1), -(d == 2), 3));
    }
    for (int k = 0; k < 2 + n % 4; ++k) system.push_back(form(number(4), number(4), number(4), number(5)));
    bool solvable = false;
    for (i64 x = 0; x < 4; ++x)
      for (i64 y = 0; y < 4; ++y)
        for (i64 z = 0; z < 4; ++z)
          solvable = solvable || std::ranges::all_of(system, [&](const LinearForm& f) { return at(f, x, y, z) >= 0; });
    const auto proof = refute(system, 400);
    CHECK(proof.has_value() == !solvable);
    if (!proof) continue;
    ++refuted;
    split += proof->below ? 1 : 0;
    CHECK(contradicts(*proof, system));
    auto again = refute(system, 400);
    const SmallRefutation small = withoutUnused(system, *std::move(again));
    CHECK(small.uses.size() <= system.size());
    CHECK(contradicts(small.proof, small.uses));
  }
  CHECK(refuted > 300);
  CHECK(split > 10);
}

TEST_CASE("a search without an end and numbers that grow end without a proof") {
  // 2x = 2y + 1 has no integer solution. A split on x - y shows it, found if the first inequality or an equation has
  // this sum; no number of splits on x and y does.
  const std::vector<LinearForm> parity = {form(2, -2, 0, -1), form(-2, 2, 0, 1)};
  const auto proof = refute(parity, 400);
  REQUIRE(proof.has_value());
  CHECK(contradicts(*proof, parity));
  const std::vector<LinearForm> after = {form(0, 0, 1, 0), parity[0], parity[1]};
  const auto equation = refute(after, 400);
  REQUIRE(equation.has_value());
  CHECK(contradicts(*equation, after));
  CHECK_FALSE(refute({form(0, 0, 1, 0), parity[0], form(0, 0, 1, 0), parity[1]}, 400).has_value());
  CHECK_FALSE(refute({}, 400).has_value());
  std::vector<LinearForm> large;
  std::mt19937_64 random(8);
  for (int k = 0; k < 40; ++k) {
    LinearForm f;
    for (int v = 0; v < 20; ++v) f.terms[{"v" + std::to_string(v)}] = static_cast<i64>(random() >> 2);
    f.terms[{}] = static_cast<i64>(random() >> 2) * (k % 2 == 0 ? 1 : -1);
    large.push_back(f);
  }
  if (const auto found = refute(large, 50)) CHECK(contradicts(*found, large));
}

TEST_CASE("only proved obligations get a certificate") {
  const auto read = readProgram(programs::kC7b);
  REQUIRE(read.ok());
  CheckResult result = checkProgram(*read);
  REQUIRE(result.holds());
  const Certificate all = certificateOf(*read, result, {});
  REQUIRE(all.kernels.size() == 1);
  CHECK(all.complete() == 7);  // all but O1
  for (ObligationVerdict& v : result.specs.front().obligations)
    if (v.obligation == Obligation::Bounds) v.standing = Standing::Unknown;
  CHECK(certificateOf(*read, result, {}).complete() == 6);
  const Certificate none = certificateOf(*read, result, {.budgetSeconds = 0});
  CHECK(none.complete() <= 1);  // O3 needs no work
}

TEST_CASE("quotients of digits, and digits of two copies, are decided as enumeration decides them") {
  // floor((a*(x mod p) + b*floor(x/p) + c*(y mod p) + e)/d) is floor(x/p), for x and y below 16.
  std::mt19937 random(9);
  const auto below = [&](int n) { return static_cast<i64>(random() % static_cast<unsigned>(n)); };
  const auto pick = [&](std::initializer_list<i64> all) {
    return *(all.begin() + below(static_cast<int>(all.size())));
  };
  int refuted = 0, open = 0;
  for (int n = 0; n < 300; ++n) {
    const i64 p = pick({2, 4}), a = pick({1, 2, 4}), b = pick({8, 16, 12}), c = pick({0, 1, 4}), e = below(4);
    const i64 d = pick({8, 16});
    const Expr x = Expr::digit(0), y = Expr::digit(1);
    const Expr whole = mod(x, p) * a + floorDiv(x, p) * b + mod(y, p) * c + e;
    const Expr wrong = floorDiv(whole, d) - floorDiv(x, p) - 1;
    const std::vector<std::string> names = {"$x", "$y"};
    LinearForms forms(names);
    std::vector<LinearForm> system = {*forms.of(wrong)};
    for (const Expr& v : {x, y}) {
      system.push_back(*forms.of(v));
      system.push_back(*forms.of(Expr::constant(15) - v));
    }
    const std::vector<LinearForm> meaning = forms.definitions(system);
    system.insert(system.end(), meaning.begin(), meaning.end());
    bool solvable = false;
    for (i64 u = 0; u < 16; ++u)
      for (i64 v = 0; v < 16; ++v) solvable = solvable || evaluate(wrong, std::vector{u, v}) >= 0;
    const auto proof = refute(system, 500);
    INFO(print(wrong, names));
    CHECK(proof.has_value() == !solvable);
    if (proof) CHECK(contradicts(*proof, system));
    (proof ? refuted : open) += 1;
  }
  CHECK(refuted > 30);
  CHECK(open > 30);

  // Two threads at one place (4*(t/8) + 2*j + t%2, 2*(t%8/2) + k), for k below 2, are one thread; for k below 3, not.
  const std::vector<std::string> names = {"$t", "$j", "$k", "$t'", "$j'", "$k'"};
  for (const i64 most : {1, 2}) {
    const auto place = [](int first) {
      const Expr t = Expr::digit(first), j = Expr::digit(first + 1), k = Expr::digit(first + 2);
      return std::pair(floorDiv(t, 8) * 4 + j * 2 + mod(t, 2), floorDiv(mod(t, 8), 2) * 2 + k);
    };
    const auto p = place(0), q = place(3);
    LinearForms forms(names);
    std::vector<LinearForm> system = {*forms.of(Expr::digit(0) - Expr::digit(3) - 1)};
    for (const Expr& same : {p.first - q.first, p.second - q.second}) {
      system.push_back(*forms.of(same));
      system.push_back(*forms.of(Expr::constant(0) - same));
    }
    const std::vector<i64> reach = {31, 1, most, 31, 1, most};
    for (int v = 0; v < 6; ++v) {
      system.push_back(*forms.of(Expr::digit(v)));
      system.push_back(*forms.of(Expr::constant(reach[static_cast<std::size_t>(v)]) - Expr::digit(v)));
    }
    const std::vector<LinearForm> meaning = forms.definitions(system);
    system.insert(system.end(), meaning.begin(), meaning.end());
    const auto proof = refute(system, 500);
    CHECK(proof.has_value() == (most == 1));
    if (proof) CHECK(contradicts(*proof, system));
  }
}

TEST_CASE("goals use what the program assumes, and products with sizes") {
  const auto obligations = [](const char* text) {
    const auto read = readProgram(text);
    REQUIRE(read.ok());
    const CheckResult result = checkProgram(*read);
    return certificateOf(*read, result, {}).complete();
  };
  const std::string kernel =
      "%x:[N].fp32.GL  %y:[N].fp32.GL\n#b:[(N + 127)/128].block  #t:[128].thread\n"
      "%y <- Move<<<#b,#t>>>(%x) {\n  @b = #b.indices()  @t = #t.indices()\n"
      "  %from = %x[128*@b + @t]  %to = %y[128*@b + @t]\n  %to <- Move(%from)\n}\n";
  CHECK(obligations(("assume N % 128 == 0\n" + kernel).c_str()) == 7);  // all but O1
  CHECK(obligations(("assume N <= 512 && N >= 2\n" + kernel).c_str()) < 7);
  CHECK(obligations("%x:[4*U].fp32.GL  %y:[U].fp32.GL\n#b:[U].block  #t:[1].thread\n"
                    "%y <- Spec<any><<<#b,#t>>>(%x) {\n  @b = #b.indices()\n"
                    "  for (g = 0; g < 4; g += 1) { %f = %x[U*g + @b]  %o = %y[@b]  %o <- Move(%f) }\n}\n") >= 5);
}

// For N = 1 the loop runs 0 times, not -1 times: no barrier is between the accesses to %s.
TEST_CASE("a loop runs no negative number of times") {
  const std::string loop = R"(%x:[32].fp32.GL  %y:[32*N].fp32.GL
#b:[N].block  #t:[32:1].thread
%y <- Spec<flip><<<#b,#t>>>(%x) means { %y[i] = %x[31 - i%32] } {
  @b = #b.indices()  @t = #t.indices()
  %s:[32].fp32.SH
  %f = %x[@t]  %g = %s[@t]  %h = %s[31 - @t]  %o = %y[32*@b + @t]  %r:[].fp32.RF
  %r <- Move(%f)
  %g <- Move(%r)
  for (j = 0; j < 2*N - 3; j += 1) { sync }
  %r <- Move(%h)
  %o <- Move(%r)
}
)";
  const auto races = [](const std::string& text) {
    return verdicts::standing(verdicts::checked(text, {.method = CheckMethod::Z3}), Obligation::Races);
  };
  CHECK(races(loop) == Standing::Unknown);
  CHECK(races(verdicts::changed(loop, "#b:", "assume N >= 2\n#b:")) == Standing::Proved);
  CHECK(races(verdicts::changed(loop, "2*N - 3", "2*N - 1")) == Standing::Proved);
}

// ---- Copies in flight (cp.async)

namespace {

// Columns of %x through three stages: the copy of iteration k is two tiles ahead.
const std::string kRing = R"(%x:[K,32].fp32.GL  %y:[32].fp32.GL
#b:[1].block  #t:[32:1].thread
%y <- Reduction<+,0><<<#b,#t>>>(%x) {
  @t = #t.indices()
  %s:[3,32].fp32.SH  %v:[].fp32.RF  %o = %y[31 - @t]
  %v <- Init<0>()
  for (st = 0; st < 2; st += 1) {
    if (st < K) {
      %f = %x[st,@t]  %g = %s[st,@t]
      %g <- Move<async>(%f)
    }
    commit
  }
  for (k = 0; k < K; k += 1) {
    wait 1
    sync
    if (k + 2 < K) {
      %f = %x[k + 2,@t]  %g = %s[(k + 2)%3,@t]
      %g <- Move<async>(%f)
    }
    commit
    %h = %s[k%3,31 - @t]
    %v <- BinaryPointwise<+>(%v,%h)
  }
  %o <- Move(%v)
}
)";

// The text with a line removed, repeated, or exchanged with the next, or with a number one larger or smaller.
std::vector<std::string> editsOf(const std::string& text, std::size_t head) {
  std::vector<std::string> lines, out;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    end = text.find('\n', at) + 1;
    lines.push_back(text.substr(at, end - at));
  }
  const auto joined = [](const std::vector<std::string>& all) {
    std::string made;
    for (const std::string& line : all) made += line;
    return made;
  };
  for (std::size_t k = head; k + 1 < lines.size(); ++k) {
    std::vector<std::string> one = lines;
    one.erase(one.begin() + static_cast<std::ptrdiff_t>(k));
    out.push_back(joined(one));
    one = lines;
    one.insert(one.begin() + static_cast<std::ptrdiff_t>(k), lines[k]);
    out.push_back(joined(one));
    one = lines;
    std::swap(one[k], one[k + 1]);
    out.push_back(joined(one));
    for (std::size_t c = 1; c < lines[k].size(); ++c) {
      if (std::isdigit(lines[k][c]) == 0 || std::isalnum(lines[k][c - 1]) != 0) continue;
      for (const int by : {-1, 1}) {
        one = lines;
        one[k][c] = static_cast<char>(one[k][c] + by);
        out.push_back(joined(one));
      }
    }
  }
  return out;
}

// The obligations of the first kernel that have a certificate, for every verdict.
std::vector<Obligation> certified(const std::string& text) {
  const auto read = readProgram(text);
  if (!read) return {};
  CheckResult result = checkProgram(*read, {.budgetSeconds = 0.1});
  for (SpecVerdict& s : result.specs)
    for (ObligationVerdict& v : s.obligations) v.standing = Standing::Proved;
  std::vector<Obligation> out;
  for (const ObligationCertificate& o : certificateOf(*read, result, {.budgetSeconds = 1}).kernels.front().obligations)
    if (o.complete) out.push_back(o.obligation);
  return out;
}

}  // namespace

TEST_CASE("what is certified about copies in flight holds in every run") {
  const auto races = [](const std::vector<Obligation>& all) {
    return std::ranges::count(all, Obligation::Races) + std::ranges::count(all, Obligation::Definedness);
  };
  REQUIRE(races(certified(kRing)) == 2);
  int held = 0, refuted = 0;
  for (const std::string& text : editsOf(kRing, 5)) {
    const std::vector<Obligation> all = certified(text);
    for (const char* size : {"1", "2", "3", "5"}) {
      const auto read = readProgram(std::regex_replace(text, std::regex("\\bK\\b"), size));
      if (!read) continue;
      const CheckResult run = checkProgram(*read);
      for (const Obligation o : {Obligation::Races, Obligation::Definedness}) {
        const bool wrong = verdicts::standing(run, o) == Standing::Refuted;
        const bool has = std::ranges::count(all, o) != 0;
        INFO(text << " with K = " << size << ": " << label(o));
        CHECK(!(wrong && has));
        held += has ? 1 : 0;
        refuted += wrong ? 1 : 0;
      }
    }
  }
  CHECK(held > 100);
  CHECK(refuted > 50);
}
