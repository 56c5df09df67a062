// Definitions that rewriting makes of each other are one form at every size, and forms that are one have one value.
//
// The second opinion is an evaluator of the generated definitions, with plain loops, at small sizes.
#include "solver/graphene/equal/definitions.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <memory>
#include <random>

using namespace tessera;
using namespace tessera::graphene;

namespace {

// A value: %A[i,k] has two indices, %v[k] and %w[i] have one. Indices are texts of + * and names, evaluated below.
struct Term;
using TermPtr = std::shared_ptr<const Term>;
struct Bound {  // index = lo < hi
  std::string name, lo, hi;
};
struct Term {
  std::string kind;  // "number" "index" "read" "unary" "binary" "reduce" "where"
  std::string name;  // tensor, operation, or the text of an index
  double number = 0;
  std::vector<std::string> at;  // of a read; left, operator and right of a condition
  Bound bound = {};
  std::vector<TermPtr> parts = {};
};
TermPtr term(Term t) { return std::make_shared<const Term>(std::move(t)); }
TermPtr num(double x) { return term({"number", "", x, {}, {}, {}}); }
TermPtr op(const std::string& o, TermPtr a, TermPtr b) {
  return term({"binary", o, 0, {}, {}, {std::move(a), std::move(b)}});
}
TermPtr un(const std::string& o, TermPtr a) { return term({"unary", o, 0, {}, {}, {std::move(a)}}); }
TermPtr fold(const std::string& o, Bound b, TermPtr a) {
  return term({"reduce", o, 0, {}, std::move(b), {std::move(a)}});
}

std::string text(const TermPtr& t) {
  if (t->kind == "number") return t->number < 0 ? fmt::format("(0 - {})", -t->number) : fmt::format("{}", t->number);
  if (t->kind == "index") return "[" + t->name + "]";
  if (t->kind == "read") return fmt::format("%{}[{}{}]", t->name, t->at[0], t->at.size() > 1 ? "," + t->at[1] : "");
  if (t->kind == "unary") return fmt::format("{}({})", t->name, text(t->parts[0]));
  if (t->kind == "binary" && (t->name == "max" || t->name == "min"))
    return fmt::format("{}({},{})", t->name, text(t->parts[0]), text(t->parts[1]));
  if (t->kind == "binary") return fmt::format("({} {} {})", text(t->parts[0]), t->name, text(t->parts[1]));
  if (t->kind == "where")
    return fmt::format("where({} {} {}, {}, {})", t->at[0], t->at[1], t->at[2], text(t->parts[0]), text(t->parts[1]));
  const Bound& b = t->bound;
  return fmt::format("({}({} = {} < {}) ({}))", t->name == "+" ? "sum" : t->name, b.name, b.lo, b.hi,
                     text(t->parts[0]));
}

// Plain evaluation of indices: sums of products of numbers and names.
using Env = std::map<std::string, i64>;
struct IndexText {
  const std::string& in;
  const Env& env;
  std::size_t at = 0;
  void blanks() {
    while (at < in.size() && in[at] == ' ') ++at;
  }
  i64 sum() {
    i64 out = product();
    for (blanks(); at < in.size() && (in[at] == '+' || in[at] == '-'); blanks()) {
      const bool plus = in[at++] == '+';
      const i64 next = product();
      out += plus ? next : -next;
    }
    return out;
  }
  i64 product() {
    i64 out = factor();
    for (blanks(); at < in.size() && (in[at] == '*' || in[at] == '/' || in[at] == '%'); blanks()) {
      const char c = in[at++];
      const i64 next = factor();
      out = c == '*' ? out * next : c == '/' ? out / next : out % next;  // all are at least 0
    }
    return out;
  }
  i64 factor() {
    blanks();
    if (in[at] == '(') {
      ++at;
      const i64 out = sum();
      ++at;
      return out;
    }
    std::string word;
    while (at < in.size() && (std::isalnum(static_cast<unsigned char>(in[at])) != 0)) word += in[at++];
    return std::isdigit(static_cast<unsigned char>(word[0])) != 0 ? std::stoll(word) : env.at(word);
  }
};
i64 indexOf(const std::string& in, const Env& env) { return IndexText{in, env}.sum(); }

// Of magnitude 0.25 to 1.25, fixed for each element.
double input(const std::string& name, i64 i, i64 j) {
  u64 h = static_cast<u64>(name[0]) * 0x9e3779b97f4a7c15u + static_cast<u64>(i) * 1000003 + static_cast<u64>(j) + 1;
  for (int k = 0; k < 3; ++k) h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
  return (0.25 + static_cast<double>(h >> 40) / (1 << 24)) * (h % 2 == 0 ? 1 : -1);
}

// Of one term at one size; beyond kMostSteps it has no value.
constexpr int kMostSteps = 20'000;
int steps = 0;

double value(const TermPtr& t, Env& env) {
  if (++steps > kMostSteps) return NAN;
  const auto part = [&](std::size_t k) { return value(t->parts[k], env); };
  if (t->kind == "number") return t->number;
  if (t->kind == "index") return static_cast<double>(indexOf(t->name, env));
  if (t->kind == "read") return input(t->name, indexOf(t->at[0], env), t->at.size() > 1 ? indexOf(t->at[1], env) : 0);
  if (t->kind == "unary") {
    const double x = part(0);
    return t->name == "relu" ? std::max(x, 0.0) : t->name == "exp" ? std::exp(x) : t->name == "neg" ? -x : std::tanh(x);
  }
  if (t->kind == "binary") {
    const double x = part(0), y = part(1);
    return t->name == "+"     ? x + y
           : t->name == "-"   ? x - y
           : t->name == "*"   ? x * y
           : t->name == "/"   ? x / y
           : t->name == "max" ? std::max(x, y)
                              : std::min(x, y);
  }
  if (t->kind == "where") {
    const i64 x = indexOf(t->at[0], env), y = indexOf(t->at[2], env);
    const bool met = t->at[1] == "<" ? x < y : t->at[1] == "<=" ? x <= y : x == y;
    return part(met ? 0 : 1);
  }
  double out = t->name == "+" ? 0 : t->name == "max" ? -HUGE_VAL : HUGE_VAL;
  const i64 lo = indexOf(t->bound.lo, env), hi = indexOf(t->bound.hi, env);
  for (i64 k = lo; k < hi; ++k) {
    env[t->bound.name] = k;
    const double x = part(0);
    out = t->name == "+" ? out + x : t->name == "max" ? std::max(out, x) : std::min(out, x);
  }
  env.erase(t->bound.name);
  return out;
}

constexpr std::pair<i64, i64> kSizes[] = {{1, 1}, {3, 1}, {2, 2}};  // M, K

// The largest relative difference at small sizes; NaN where a value is undefined.
double apart(const TermPtr& a, const TermPtr& b) {
  double most = 0;
  for (const auto& [m, k] : kSizes)
    for (i64 i = 0; i < m; ++i)
      for (i64 j = 0; j < m; ++j) {
        Env env{{"M", m}, {"K", k}, {"i", i}, {"j", j}};
        steps = 0;
        const double x = value(a, env);
        const bool all = steps <= kMostSteps;
        steps = 0;
        const double y = value(b, env);
        if (!all || steps > kMostSteps || !std::isfinite(x) || !std::isfinite(y)) return NAN;
        most = std::max(most, std::fabs(x - y) / std::max({1.0, std::fabs(x), std::fabs(y)}));
      }
  return most;
}

std::string program(const std::string& equations) {
  return "%A:[M,12*K].fp32.GL %B:[12*K,M].fp32.GL %v:[12*K].fp32.GL %w:[M].fp32.GL %Y:[M,M].fp32.GL\n"
         "#b:[M].block  #t:[32].thread\n%Y <- Spec<f><<<#b,#t>>>(%A,%B,%v,%w) means {\n" +
         equations + "\n}\n";
}
// Some changes make numbers that have no form: the sum of -inf, 1 / 0.
bool unknown(const std::string& reason) {
  INFO(reason);
  REQUIRE(reason.find("has a number too large or undefined") != std::string::npos);
  return false;
}
bool same(const std::string& first, const std::string& second) {
  const auto a = readProgram(program(first)), b = readProgram(program(second));
  INFO(first << "\n" << second << "\n" << (a ? "" : a.error().message) << (b ? "" : b.error().message));
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  Definitions definitions;
  const auto x = definitions.of(*a);
  if (!x) return unknown(x.error().message);
  const auto y = definitions.of(*b);
  if (!y) return unknown(y.error().message);
  return x->at("Y").same(y->at("Y"));
}
bool same(const TermPtr& a, const TermPtr& b) { return same("%Y[i,j] = " + text(a), "%Y[i,j] = " + text(b)); }

// Random definitions, and changes of them.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <class T>
  const T& pick(const std::vector<T>& of) {
    return of[static_cast<std::size_t>(below(static_cast<int>(of.size())))];
  }
  std::string fresh(const char* stem) { return fmt::format("{}{}", stem, next_++); }

  // An index below 12*K.
  std::string depth(const std::vector<std::string>& depths) {
    const std::string k = pick(depths);
    switch (below(10)) {
      case 0:
        return k + "/4*4 + " + k + "%4";
      case 1:
        return k + "/3";
      case 2:
        return "12*K - 1 - " + k;
      case 3:
        return k + "%5";
      default:
        return k;
    }
  }

  // `rows`: indices below M; `depths`: below 12*K.
  TermPtr make(const std::vector<std::string>& rows, const std::vector<std::string>& depths, int size) {
    if (size <= 0) {
      switch (below(depths.empty() ? 3 : 8)) {
        case 0:
          return num(below(5) * 0.5 + 0.5);
        case 1:
        case 2:
          return term({"read", "w", 0, {pick(rows)}, {}, {}});
        case 3:
          return term({"read", "v", 0, {depth(depths)}, {}, {}});
        case 4:
          return term({"index", pick(depths) + " + 1", 0, {}, {}, {}});
        case 5:
        case 6:
          return term({"read", "A", 0, {pick(rows), depth(depths)}, {}, {}});
        default:
          return term({"read", "B", 0, {depth(depths), pick(rows)}, {}, {}});
      }
    }
    switch (below(10)) {
      case 0:
      case 1:
      case 2: {
        std::vector<std::string> more = depths;
        more.push_back(fresh("k"));
        return fold(below(4) == 0 ? "max" : "+", {more.back(), "0", "12*K"}, make(rows, more, size - 1));
      }
      case 3: {
        std::vector<std::string> more = rows;
        more.push_back(fresh("r"));
        return fold("+", {more.back(), "0", "M"}, make(more, depths, size - 1));
      }
      case 4:
        return un(pick(std::vector<std::string>{"relu", "exp", "tanh", "neg"}),
                  op("*", num(0.125), make(rows, depths, size - 1)));
      case 5:
        return term({"where",
                     "",
                     0,
                     {pick(rows), pick(std::vector<std::string>{"<", "<=", "=="}), pick(rows)},
                     {},
                     {make(rows, depths, size - 1), make(rows, depths, size - 2)}});
      default:
        return op(pick(std::vector<std::string>{"+", "-", "*", "*", "max", "/"}), make(rows, depths, size - 1),
                  make(rows, depths, size - 2));
    }
  }

  static TermPtr with(const TermPtr& t, std::vector<TermPtr> parts) {
    Term out = *t;
    out.parts = std::move(parts);
    return term(std::move(out));
  }
  // `name` replaced in all indices.
  static std::string renamed(const std::string& in, const std::string& name, const std::string& by) {
    std::string out;
    for (std::size_t at = 0; at < in.size();) {
      std::size_t end = at;
      while (end < in.size() && std::isalnum(static_cast<unsigned char>(in[end])) != 0) ++end;
      if (end == at) {
        out += in[at++];
        continue;
      }
      const std::string word = in.substr(at, end - at);
      out += word == name ? "(" + by + ")" : word;
      at = end;
    }
    return out;
  }
  static TermPtr renamed(const TermPtr& t, const std::string& name, const std::string& by) {
    Term out = *t;
    if (out.kind == "index") out.name = renamed(out.name, name, by);
    for (std::string& e : out.at) e = renamed(e, name, by);
    out.bound.lo = renamed(out.bound.lo, name, by);
    out.bound.hi = renamed(out.bound.hi, name, by);
    for (TermPtr& p : out.parts) p = renamed(p, name, by);
    return term(std::move(out));
  }

  // The same value in another form, at a random place.
  TermPtr rewritten(const TermPtr& t) {
    if (!t->parts.empty() && below(3) != 0) {
      std::vector<TermPtr> parts = t->parts;
      TermPtr& one = parts[static_cast<std::size_t>(below(static_cast<int>(parts.size())))];
      one = rewritten(one);
      return with(t, std::move(parts));
    }
    const bool sum = t->kind == "reduce" && t->name == "+";
    const TermPtr a = t->parts.empty() ? nullptr : t->parts[0], b = t->parts.size() < 2 ? nullptr : t->parts[1];
    if (t->kind == "reduce") {
      const Bound& k = t->bound;
      const bool whole = k.lo == "0" && k.hi == "12*K";
      const std::string x = fresh("p"), y = fresh("q");
      switch (below(7)) {
        case 0:
          if (sum && a->kind == "binary" && (a->name == "+" || a->name == "-"))
            return op(a->name, with(t, {a->parts[0]}), with(t, {a->parts[1]}));
          break;
        case 1:
          if (sum) return op("/", fold("+", k, op("*", num(4), a)), num(4));
          break;
        case 2:  // tiles of a number
          if (whole)
            return fold(t->name, {x, "0", "3*K"},
                        fold(t->name, {y, "0", "4"}, renamed(a, k.name, "4*" + x + " + " + y)));
          break;
        case 3:  // of a size, the other way round
          if (whole)
            return fold(t->name, {y, "0", "K"},
                        fold(t->name, {x, "0", "12"}, renamed(a, k.name, "K*" + x + " + " + y)));
          break;
        case 4:  // two ranges
          if (whole)
            return op(sum ? "+" : "max",
                      fold(t->name, {x, "0", "12*K"},
                           term({"where",
                                 "",
                                 0,
                                 {x, "<", "5*K"},
                                 {},
                                 {renamed(a, k.name, x), sum ? num(0) : term({"number", "", -HUGE_VAL, {}, {}, {}})}})),
                      fold(t->name, {y, "5*K", "12*K"}, renamed(a, k.name, y)));
          break;
        case 5:
          if (a->kind == "reduce" && a->name == t->name) return with(a, {with(t, {a->parts[0]})});
          break;
        default:
          break;
      }
      return fold(t->name, {x, "1 + " + k.lo, "1 + " + k.hi}, renamed(a, k.name, x + " - 1"));
    }
    if (t->kind == "unary" && t->name == "relu") return op("max", num(0), a);
    if (t->kind == "unary" && t->name == "neg") return op("-", num(0), a);
    if (t->kind == "unary" && t->name == "exp" && below(2) == 0) return op("/", num(1), un("exp", op("*", num(-1), a)));
    if (t->kind == "where" && t->at[1] == "<") {
      Term out = *t;
      out.at = {t->at[2], "<=", t->at[0]};
      out.parts = {b, a};
      return term(std::move(out));
    }
    if (t->kind == "binary") {
      if (t->name == "-") return op("+", a, op("*", num(-1), b));
      if (t->name == "/") return op("*", a, op("/", num(1), b));
      if (t->name == "*" && a->kind == "binary" && a->name == "+")
        return op("+", op("*", a->parts[0], b), op("*", a->parts[1], b));
      if (b->kind == "binary" && b->name == t->name && below(2) == 0)
        return op(t->name, op(t->name, a, b->parts[0]), b->parts[1]);
      return op(t->name, b, a);
    }
    return below(2) == 0 ? op("/", op("*", t, num(8)), num(8)) : op("-", op("+", t, num(2)), num(2));
  }

  // Another value, mostly.
  TermPtr mutated(const TermPtr& t) {
    if (!t->parts.empty() && below(3) != 0) {
      std::vector<TermPtr> parts = t->parts;
      TermPtr& one = parts[static_cast<std::size_t>(below(static_cast<int>(parts.size())))];
      one = mutated(one);
      return with(t, std::move(parts));
    }
    Term out = *t;
    if (t->kind == "number") out.number += 0.5;
    if (t->kind == "index") out.name += " + 1";
    if (t->kind == "read" && t->at.size() == 1) out.name = out.name == "v" ? "v" : "w", out.at[0] += "*0";
    if (t->kind == "read" && t->at.size() == 2) out.at[static_cast<std::size_t>(below(2))] += "*0";
    if (t->kind == "unary") out.name = out.name == "tanh" ? "relu" : "tanh";
    if (t->kind == "binary") out.name = out.name == "+" ? "-" : "+";
    if (t->kind == "reduce" && below(2) == 0)
      out.bound.lo = "1";
    else if (t->kind == "reduce")
      out.name = out.name == "+" ? "max" : "+";
    if (t->kind == "where") std::swap(out.parts[0], out.parts[1]);
    return term(std::move(out));
  }

 private:
  std::mt19937 random_;
  int next_ = 0;
};

}  // namespace

TEST_CASE("a rewritten definition has one form, and a changed one has not") {
  constexpr unsigned kCases = 800;
  int proved = 0, cases = 0, changed = 0, finite = 0;
  for (unsigned seed = 1; seed <= kCases; ++seed) {
    Generator generate(seed);
    const TermPtr t = generate.make({"i", "j"}, {}, 2 + static_cast<int>(seed % 3));
    TermPtr other = t;
    for (unsigned k = 0; k < 1 + seed % 4; ++k) other = generate.rewritten(other);
    INFO("seed " << seed << "\n" << text(t) << "\n" << text(other));
    const double difference = apart(t, other);
    if (!std::isfinite(difference)) continue;
    CHECK(!(difference > 1e-9));  // the rewriting keeps the value
    ++cases;
    const bool one = same(t, other);
    proved += one ? 1 : 0;
    const TermPtr wrong = generate.mutated(other);
    const double off = apart(t, wrong);
    if (!std::isfinite(off)) continue;
    ++finite;
    if (!(off > 1e-6)) continue;
    ++changed;
    INFO(text(wrong));
    CHECK_FALSE(same(t, wrong));
  }
  INFO(proved << " of " << cases << " proved; " << changed << " of " << finite << " changed");
  CHECK(proved * 100 >= cases * 97);  // products of sums are not expanded, and some tilings meet
  CHECK(changed > cases / 3);
}

TEST_CASE("equations of equal and of different meaning at every size") {
  struct Row {
    bool one;
    std::string first, second;
  };
  const std::string product = "%Y[i,j] = sum(k < 12*K) %A[i,k] * %B[k,j]";
  const Row rows[] = {
      // Tiles, and tiles of another width; a wrong width, and indices that do not cover.
      {true, product, "%Y[i,j] = sum(t < 3*K, l < 4) %B[4*t + l,j] * %A[i,4*t + l]"},
      {true, product, "%Y[i,j] = sum(l < 4) (sum(t < K, u < 3) %A[i,12*t + 4*u + l] * %B[12*t + 4*u + l,j])"},
      {true, product, "%Y[i,j] = sum(l < 12) (sum(t < K) %A[i,K*l + t] * %B[K*l + t,j])"},
      {false, product, "%Y[i,j] = sum(t < 3*K, l < 4) %A[i,4*t + l] * %B[4*t + 3 - l,j]"},
      {false, product, "%Y[i,j] = sum(t < 4, l < 3*K) %A[i,4*l] * %B[4*l,j]"},
      {false, product, "%Y[i,j] = sum(t < 3*K, l < 3) %A[i,4*t + l] * %B[4*t + l,j]"},
      {false, product, "%Y[i,j] = sum(t < 2*K, l < 4) %A[i,4*t + l] * %B[4*t + l,j]"},
      // An index as quotient and remainder.
      {true, "%Y[i,j] = sum(t < 3*K, l < 4) %v[t] * %v[l]", "%Y[i,j] = sum(k < 12*K) %v[k/4] * %v[k%4]"},
      {false, "%Y[i,j] = sum(t < 3*K, l < 4) %v[t] * %v[l]", "%Y[i,j] = sum(k < 12*K) %v[k/4] * %v[k%3]"},
      {true, "%Y[i,j] = sum(r < M) (sum(s < M) %w[r] * %w[s])", "%Y[i,j] = (sum(r < M) %w[r]) * (sum(r < M) %w[r])"},
      {false, "%Y[i,j] = sum(r < M) %w[r] * %w[r]", "%Y[i,j] = (sum(r < M) %w[r]) * (sum(r < M) %w[r])"},
      // Products are associative.
      {true,
       "p[i,k] = sum(r < M) %B[i,r] * %A[r,k]  %Y[i,j] = sum(k < 12*K) %A[i,k] * (sum(l < 12*K) p[k,l] * %B[l,j])",
       "g[i,r] = sum(k < 12*K) %A[i,k] * %B[k,r]  %Y[i,j] = sum(r < M) g[i,r] * g[r,j]"},
      {false, "g[i,r] = sum(k < 12*K) %A[i,k] * %B[k,r]  %Y[i,j] = sum(r < M) g[i,r] * g[j,r]",
       "g[i,r] = sum(k < 12*K) %A[i,k] * %B[k,r]  %Y[i,j] = sum(r < M) g[i,r] * g[r,j]"},
      // A softmax, with and without its maximum; a causal one, by a range and by a mask.
      {true,
       "m[i] = max(k < 12*K) %A[i,k]  %Y[i,j] = (sum(k < 12*K) exp(%A[i,k] - m[i]) * %B[k,j]) / "
       "(sum(k < 12*K) exp(%A[i,k] - m[i]))",
       "s[i] = sum(k < 12*K) exp(%A[i,k])  %Y[i,j] = sum(k < 12*K) exp(%A[i,k]) / s[i] * %B[k,j]"},
      {false,
       "m[i] = max(k < 12*K) %A[i,k]  %Y[i,j] = (sum(k < 12*K) exp(%A[i,k] - m[i]) * %B[k,j]) / "
       "(sum(k < 12*K) exp(%A[i,k]))",
       "s[i] = sum(k < 12*K) exp(%A[i,k])  %Y[i,j] = sum(k < 12*K) exp(%A[i,k]) / s[i] * %B[k,j]"},
      {true, "%Y[i,j] = (sum(r < i + 1) exp(%w[r]) * %w[j]) / (sum(r < i + 1) exp(%w[r]))",
       "x[i,r] = where(r <= i, %w[r], 0 - inf)  %Y[i,j] = (sum(r < M) exp(x[i,r]) * %w[j]) / (sum(r < M) exp(x[i,r]))"},
      {false, "%Y[i,j] = sum(r < i + 1) exp(%w[r])", "%Y[i,j] = sum(r < M) exp(where(r < i, %w[r], 0 - inf))"},
      {true, "%Y[i,j] = sum(r < i) %w[r]", "%Y[i,j] = sum(r < M) where(r < i, %w[r], 0)"},
      {false, "%Y[i,j] = sum(r < i) %w[r]", "%Y[i,j] = sum(r < M) where(r < j, %w[r], 0)"},
      // Maxima: of a sum with what does not depend on the index, scaled, and of the opposite sign.
      {true, "%Y[i,j] = max(k < 12*K) (%A[i,k] + %w[j])", "%Y[i,j] = %w[j] + (max(k < 12*K) %A[i,k])"},
      {true, "%Y[i,j] = max(k < 12*K) 3*%A[i,k]", "%Y[i,j] = 3*(max(k < 12*K) %A[i,k])"},
      {true, "%Y[i,j] = max(k < 12*K) (0 - %A[i,k])", "%Y[i,j] = 0 - (min(k < 12*K) %A[i,k])"},
      {false, "%Y[i,j] = max(k < 12*K) (0 - %A[i,k])", "%Y[i,j] = 0 - (max(k < 12*K) %A[i,k])"},
      {false, "%Y[i,j] = max(k < 12*K) %A[i,k] * %w[j]", "%Y[i,j] = %w[j] * (max(k < 12*K) %A[i,k])"},
      {false, "%Y[i,j] = max(r < i) %w[j]", "%Y[i,j] = %w[j]"},  // of no value, it is -inf
      {true, "%Y[i,j] = max(r < i + 1) %w[j]", "%Y[i,j] = %w[j]"},
      // Sizes as numbers.
      {true, "%Y[i,j] = sum(k < 12*K) %w[i]", "%Y[i,j] = [12*K] * %w[i]"},
      {true, "%Y[i,j] = (sum(k < 12*K) (%v[k] + 1)) / [12*K]", "%Y[i,j] = 1 + (sum(k < 12*K) %v[k] / [K]) / 12"},
      {true, "%Y[i,j] = sum(r < M) [r]", "%Y[i,j] = [M*M - M] / 2"},
      {false, "%Y[i,j] = sum(k < 12*K) %w[i]", "%Y[i,j] = [12*M] * %w[i]"},
      {false, "%Y[i,j] = sum(r < i - j) 1", "%Y[i,j] = [i - j]"},  // of no value, it is 0
      // Recursive values: names and forms do not matter, the step does.
      {true, "h[t,i] = where(t == 0, %w[i], relu(h[t - 1,i] + %w[i]))  %Y[i,j] = h[j,i]",
       "x[s,r] = where(s == 0, %w[r], max(0, %w[r] + x[s - 1,r]))  %Y[i,j] = x[j,i]"},
      {false, "h[t,i] = where(t == 0, %w[i], relu(h[t - 1,i] + %w[i]))  %Y[i,j] = h[j,i]",
       "x[s,r] = where(s == 0, %w[r], max(0, %w[r] - x[s - 1,r]))  %Y[i,j] = x[j,i]"},
      {false, "h[t,i] = where(t == 0, %w[i], relu(h[t - 1,i] + %w[i]))  %Y[i,j] = h[j,i]",
       "h[t,i] = where(t == 0, %w[i], relu(h[t - 1,i] + %w[i]))  %Y[i,j] = h[i,j]"},
      // Sums inside of functions inside of sums: the ranges of indices are their own.
      {false, "%Y[i,j] = sum(k < 12*K) exp(sum(l < 4) %v[l] * %v[k/4])",
       "%Y[i,j] = sum(k < 12*K) exp(sum(l < 4) %v[l] * %v[0])"},
      {true, "%Y[i,j] = sum(k < 12*K) exp(sum(l < 4) %v[l] * %v[l/4])",
       "%Y[i,j] = sum(k < 12*K) exp(%v[0] * (sum(l < 4) %v[l]))"},
      {false, "%Y[i,j] = sum(k < 12*K) tanh(sum(l < 12) (sum(m < 4) tanh(%v[l/4] * %v[m/4]))) * %v[k/4]",
       "%Y[i,j] = sum(k < 12*K) tanh(sum(l < 12) (sum(m < 4) tanh(%v[0] * %v[0]))) * %v[0]"},
      // Numbers.
      {false, "%Y[i,j] = 2 * %w[i]", "%Y[i,j] = 2.001 * %w[i]"},
      {true, "%Y[i,j] = exp2(1.44269504 * %w[i])", "%Y[i,j] = exp(%w[i])"},
      {false, "%Y[i,j] = sqrt(%w[i] * %w[i])", "%Y[i,j] = %w[i]"},
  };
  for (const Row& row : rows) {
    INFO(row.first << "\n" << row.second);
    CHECK(same(row.first, row.second) == row.one);
    CHECK(same(row.second, row.first) == row.one);
    CHECK(same(row.first, row.first));
  }
}
