// Enclosures contain every value: random expressions are evaluated exactly (in long double), and on devices that round
// as badly as they may, and compared with the interval and the bound.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "core/atlas/scalar_operation.h"
#include "solver/emulate/error/enclosures.h"
#include "solver/emulate/numbers.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

using Real = long double;

NumberFormat typeOf(const std::string& name) { return *numberFormat(name); }
double same(double constant) { return constant; }

// A step of a straight program: an operation on earlier values, then a conversion to `type`.
struct Step {
  std::string operation;  // "input", "constant", "dot": base a + products of pairs; else a scalar operation
  std::string type;       // of the result
  int a = -1, b = -1;     // earlier steps
  std::vector<std::pair<int, int>> products = {};
  double constant = 0;
  bool forgotten = false;  // the enclosure omits the conversion: a mistake that must show
};
struct Straight {
  std::vector<Step> steps;
  int add(Step step) {
    steps.push_back(std::move(step));
    return static_cast<int>(steps.size()) - 1;
  }
  int input(const std::string& type) { return add({"input", type}); }
  int constant(double value, const std::string& type) { return add({"constant", type, -1, -1, {}, value}); }
  int apply(const std::string& operation, const std::string& type, int a, int b = -1) {
    return add({operation, type, a, b});
  }
};

Real exactly(const std::string& name, Real a, Real b) {
  if (std::isnan(a) || std::isnan(b)) return NAN;  // undefined; std::max would drop it
  if (name == "exp") return std::exp(a);
  if (name == "exp2") return std::exp2(a);
  if (name == "log") return std::log(a);
  if (name == "relu") return std::max<Real>(a, 0);
  if (name == "neg") return -a;
  if (name == "id") return a;
  if (name == "rcp") return 1 / a;
  if (name == "sqrt") return std::sqrt(a);
  if (name == "rsqrt") return 1 / std::sqrt(a);
  if (name == "tanh") return std::tanh(a);
  if (name == "sigmoid") return 1 / (1 + std::exp(-a));
  if (name == "+") return a + b;
  if (name == "-") return a - b;
  if (name == "*") return a * b;
  if (name == "/") return a / b;
  if (name == "max") return std::max(a, b);
  if (name == "min") return std::min(a, b);
  FAIL(name);
  return 0;
}

std::vector<Real> exactValues(const Straight& program, const std::vector<double>& inputs) {
  std::vector<Real> out;
  std::size_t next = 0;
  for (const Step& s : program.steps) {
    if (s.operation == "input") {
      out.push_back(inputs[next++]);
    } else if (s.operation == "constant") {
      out.push_back(s.constant);
    } else if (s.operation == "dot") {
      Real sum = out[s.a];
      for (const auto& [x, y] : s.products) sum += out[x] * out[y];
      out.push_back(sum);
    } else {
      out.push_back(exactly(s.operation, out[s.a], s.b < 0 ? 0 : out[s.b]));
    }
  }
  return out;
}

double truncated(double x, int bits) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double step = std::ldexp(1.0, std::ilogb(x) + 1 - bits);
  return std::trunc(x / step) * step;
}

// A device: functions are off by what the documents allow, matrix products add in some order and truncate.
// `bad` 0: as the emulator; 1: errors of random sign; 2: all upwards; 3: all downwards.
std::vector<double> computedValues(const Straight& program, const std::vector<double>& inputs, int bad,
                                   std::mt19937& random) {
  std::vector<double> out;
  std::size_t next = 0;
  const auto sign = [&] { return bad == 1 ? (random() % 2 == 0 ? 1.0 : -1.0) : bad == 2 ? 1.0 : -1.0; };
  for (const Step& s : program.steps) {
    const NumberFormat type = typeOf(s.type);
    double x = 0;
    if (s.operation == "input") {
      out.push_back(inputs[next++]);
      continue;
    }
    if (s.operation == "constant") {
      x = s.constant;
    } else if (s.operation == "dot") {
      x = out[s.a];
      std::vector<std::pair<int, int>> order = s.products;
      if (bad != 0) std::shuffle(order.begin(), order.end(), random);
      int added = 0;
      for (const auto& [a, b] : order) {
        x = bad == 0 || type.bits == 64 ? std::fma(out[a], out[b], x) : truncated(x + out[a] * out[b], 24);
        if (bad != 0 && type.bits == 16 && ++added % 4 == 0) x = truncated(x, type.precision);  // halves inside, too
      }
      if (bad != 0 && type.bits == 16) x = truncated(x, type.precision);
    } else {
      const double a = out[s.a], b = s.b < 0 ? 0 : out[s.b];
      x = Numbers::binary(Numbers::operation(s.operation), a, b);
      const auto device = deviceError(s.operation, typeOf(program.steps[s.a].type));
      if (bad != 0 && device && x != 0 && std::isfinite(x)) x *= 1 + sign() * device->relative(std::fabs(a));
      if (bad != 0 && device && std::fabs(x) < device->absolute) x = 0;
    }
    out.push_back(rounded(x, type));
  }
  return out;
}

struct Enclosed {
  std::vector<Interval> ranges;
  std::vector<double> bounds;
  std::string reason;
};
Enclosed enclosed(const Straight& program, const std::vector<Interval>& inputs) {
  Enclosures domain(same);
  std::vector<Enclosures::Value> values;
  Enclosed out;
  std::size_t next = 0;
  for (const Step& s : program.steps) {
    const NumberFormat type = typeOf(s.type);
    Enclosures::Value v;
    if (s.operation == "input") {
      v = domain.input(type, inputs[next], 0, static_cast<i64>(next));
      ++next;
    } else {
      LeafTypes leaf{type, type, s.type, s.operation == "dot", false, true};
      if (s.a >= 0 && s.operation != "dot") leaf.operand = typeOf(program.steps[s.a].type);
      if (s.operation == "dot") leaf.operand = typeOf(program.steps[s.products[0].first].type);
      for (const int k : {s.a, s.b})
        if (k >= 0) leaf.fits = leaf.fits && holdsAll(typeOf(program.steps[k].type), type);
      domain.enter(leaf);
      if (s.operation == "constant") {
        v = domain.constant(s.constant);
      } else if (s.operation == "dot") {
        std::vector<Enclosures::Value> a, b;
        std::vector<AtomTerm> terms;
        for (const auto& [x, y] : s.products) {
          terms.push_back({static_cast<int>(a.size()), static_cast<int>(a.size())});
          a.push_back(values[x]);
          b.push_back(values[y]);
        }
        v = domain.multiplyAdd(values[s.a], terms, a.data(), b.data());
      } else if (s.b < 0) {
        v = domain.unary(domain.operation(s.operation), values[s.a]);
      } else {
        v = domain.binary(domain.operation(s.operation), values[s.a], values[s.b]);
      }
      const NumberFormat wide{64, 53, -1022, 1023};
      if (!s.forgotten) v = domain.convert(v, domain.conversion(wide, type, s.type), wide, type);
    }
    out.ranges.push_back(domain.range(v));
    out.bounds.push_back(domain.bound(v));
    values.push_back(v);
  }
  out.reason = domain.reason();
  return out;
}

// Inputs in their intervals: random ones, and many at the ends.
std::vector<double> drawn(const Straight& program, const std::vector<Interval>& ranges, int pattern,
                          std::mt19937& random) {
  std::vector<double> out;
  std::size_t next = 0;
  for (const Step& s : program.steps) {
    if (s.operation != "input") continue;
    const Interval range = ranges[next++];
    const double u = std::uniform_real_distribution<>(0, 1)(random);
    const double place = pattern == 0 ? u : pattern == 1 ? std::round(u) : pattern == 2 ? 1 - u / 16 : u / 1000 + 0.5;
    double x = rounded(range.lo + (range.hi - range.lo) * place, typeOf(s.type));
    if (x > range.hi) x = range.hi;
    if (x < range.lo) x = range.lo;
    out.push_back(x);
  }
  return out;
}

std::string text(const Straight& program) {
  std::string out;
  for (std::size_t k = 0; k < program.steps.size(); ++k) {
    const Step& s = program.steps[k];
    out += fmt::format("v{} = {} {} {} {} : {}{}\n", k, s.operation, s.a, s.b, s.constant, s.type,
                       s.products.empty() ? "" : fmt::format(" ({} products)", s.products.size()));
  }
  return out;
}

struct Checked {
  int known = 0;               // values with a bound
  double tightest = HUGE_VAL;  // the least bound / error of the last value
  bool broken = false;         // a value outside of its enclosure
  std::string what;
};
Checked checked(const Straight& program, const std::vector<Interval>& ranges, std::mt19937& random, int runs = 12) {
  const Enclosed e = enclosed(program, ranges);
  Checked out;
  for (const double bound : e.bounds) out.known += std::isfinite(bound) ? 1 : 0;
  for (int run = 0; run < runs && !out.broken; ++run) {
    const std::vector<double> inputs = drawn(program, ranges, run % 4, random);
    const std::vector<Real> exact = exactValues(program, inputs);
    const std::vector<double> computed = computedValues(program, inputs, run / 3 % 4, random);
    for (std::size_t k = 0; k < exact.size() && !out.broken; ++k) {
      const Real slack = 1e-17L * std::fabs(exact[k]);  // of the evaluation in long double
      if (!std::isnan(exact[k]) && (exact[k] < e.ranges[k].lo - 16 * slack || exact[k] > e.ranges[k].hi + 16 * slack)) {
        out.broken = true;
        out.what = fmt::format("v{} = {} outside of [{}, {}]", k, static_cast<double>(exact[k]), e.ranges[k].lo,
                               e.ranges[k].hi);
      }
      if (!std::isfinite(e.bounds[k]) || std::isinf(exact[k])) continue;
      const Real apart = std::fabs(static_cast<Real>(computed[k]) - exact[k]);
      if (!(apart <= e.bounds[k] * (1 + 1e-9) + 1024 * slack)) {
        out.broken = true;
        out.what = fmt::format("v{} = {}, computed {}: {} apart, bound {}", k, static_cast<double>(exact[k]),
                               computed[k], static_cast<double>(apart), e.bounds[k]);
      }
      if (k + 1 == exact.size() && apart > 0)
        out.tightest = std::fmin(out.tightest, e.bounds[k] / static_cast<double>(apart));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("interval arithmetic contains the results of all operands, and 0 stays 0") {
  std::mt19937 random(1);
  const auto number = [&] {
    const double scale[] = {1e-200, 1e-3, 1, 1e5, 1e160};
    return random() % 8 == 0 ? 0.0 : std::uniform_real_distribution<>(-1, 1)(random) * scale[random() % 5];
  };
  for (int k = 0; k < 20'000; ++k) {
    Interval a{number(), number()}, b{number(), number()};
    if (a.lo > a.hi) std::swap(a.lo, a.hi);
    if (b.lo > b.hi) std::swap(b.lo, b.hi);
    for (const Real x : {static_cast<Real>(a.lo), static_cast<Real>(a.hi), (static_cast<Real>(a.lo) + a.hi) / 2})
      for (const Real y : {static_cast<Real>(b.lo), static_cast<Real>(b.hi), (static_cast<Real>(b.lo) + b.hi) / 2}) {
        const auto inside = [](Real v, const Interval& i) { return v >= i.lo && v <= i.hi; };
        REQUIRE(inside(x + y, a + b));
        REQUIRE(inside(x - y, a - b));
        REQUIRE(inside(x * y, a * b));
        REQUIRE(inside(x * x, square(a)));
        if (b.least() > 0) REQUIRE(inside(x / y, a / b));
      }
  }
  CHECK((Interval{0, 0} * Interval{-3, 5}).is(0));
  CHECK((Interval{0, 2} * Interval{0, 5}).lo == 0);
  CHECK((Interval{0, 1} + Interval{0, 1}).lo == 0);
  CHECK((Interval{1e-300, 1} * Interval{1e-300, 1}).hi > 0);
}

TEST_CASE("values of random expressions are in their intervals, and within their bounds on every device") {
  std::mt19937 random(7);
  const std::vector<std::string> unary{"exp", "exp2", "log", "relu", "neg", "rcp", "sqrt", "rsqrt", "tanh", "sigmoid"};
  const std::vector<std::string> binary{"+", "-", "*", "/", "max", "min", "+", "*"};
  const std::vector<std::string> types{"fp32", "fp32", "fp16", "bf16", "fp64", "tf32"};
  int known = 0, all = 0;
  for (int round = 0; round < 3000; ++round) {
    Straight p;
    std::vector<Interval> ranges;
    const std::string narrow = types[random() % types.size()];
    for (int k = 0; k < 4; ++k) {
      p.input(narrow);
      const Interval choices[] = {{-1, 1}, {0, 1}, {0.5, 2}, {-3, 3}, {1, 1}, {0, 40}};
      ranges.push_back(choices[random() % 6]);
    }
    if (random() % 3 == 0) p.constant(0.1, narrow);
    const int steps = 1 + static_cast<int>(random() % 10);
    for (int k = 0; k < steps; ++k) {
      const auto any = [&] { return static_cast<int>(random() % p.steps.size()); };
      const std::string type = random() % 4 == 0 ? types[random() % types.size()] : narrow;
      const auto what = random() % 10;
      if (what < 4) {
        const std::string name = unary[random() % unary.size()];
        p.apply(name, name == "exp2" ? "fp32" : type, any());
      } else if (what < 9) {
        const int x = any();
        p.apply(binary[random() % binary.size()], type, x, random() % 6 == 0 ? x : any());
      } else {
        Step dot{"dot", type == "fp64" ? "fp64" : "fp32", any()};
        const int first = any();
        for (int j = 0; j < 8; ++j) dot.products.emplace_back(first, j % 2 == 0 ? first : any());
        p.add(dot);
      }
    }
    const Checked c = checked(p, ranges, random);
    INFO("round " << round << "\n" << text(p) << c.what);
    REQUIRE(!c.broken);
    known += c.known;
    all += static_cast<int>(p.steps.size());
  }
  CHECK(known > all * 3 / 4);  // the test is about bounds, not about unknowns
}

namespace {

// The sum of n products of inputs, with accumulators of a type, in steps of 16 products of a matrix instruction.
Straight product(int n, const std::string& factors, const std::string& sum) {
  Straight p;
  for (int k = 0; k < 2 * n; ++k) p.input(factors);
  int at = p.constant(0, sum);
  for (int k = 0; k < n; k += 16) {
    Step dot{"dot", sum, at};
    for (int j = k; j < std::min(n, k + 16); ++j) dot.products.emplace_back(j, n + j);
    at = p.add(dot);
  }
  return p;
}

// Softmax of n scores s, and the mean of values v with its weights: as one pass, or online in `parts` parts that are
// merged at the end, each with its own maximum.
struct Softmax {
  Straight program;
  int weight = 0, mean = 0;  // exp(s1 - m) / l and sum(exp(s - m) * v) / l
};
Softmax softmax(int n, int parts, bool two, bool divides, std::mt19937& random, const std::string& sums = "fp32") {
  Straight p;
  std::vector<int> s, v;
  for (int k = 0; k < n; ++k) s.push_back(p.input("fp32"));
  for (int k = 0; k < n; ++k) v.push_back(p.input("fp16"));
  const int c = p.constant(0.125, "fp32");
  const std::string exp = two ? "exp2" : "exp";
  const auto difference = [&](int x, int m) {  // of scores, scaled
    if (!two) return p.apply("-", "fp32", x, m);
    if (random() % 2 == 0) return p.apply("*", "fp32", p.apply("-", "fp32", x, m), c);
    const int shift = p.apply("neg", "fp32", p.apply("*", "fp32", m, c));
    Step fma{"dot", "fp32", shift};
    fma.products = {{x, c}};
    return p.add(fma);
  };
  struct State {
    int m, l, o;
  };
  const auto rescaled = [&](State& old, int m) {
    const int ratio = p.apply(exp, "fp32", difference(old.m, m));
    old.l = p.apply("*", "fp32", old.l, ratio);
    old.o = p.apply("*", sums, old.o, ratio);
    old.m = m;
  };
  std::vector<State> states;
  int half = -1;
  for (int k = 0; k < parts; ++k) {
    State now{p.constant(-HUGE_VAL, "fp32"), p.constant(0, "fp32"), p.constant(0, sums)};
    for (int j = k; j < n; j += parts) {
      const int m = p.apply("max", "fp32", now.m, s[j]);
      rescaled(now, m);
      const int weight = p.apply(exp, "fp32", difference(s[j], m));
      now.l = p.apply("+", "fp32", now.l, weight);
      half = p.apply("id", "fp16", weight);
      Step fma{"dot", sums, now.o};
      fma.products = {{half, v[j]}};
      now.o = p.add(fma);
    }
    states.push_back(now);
  }
  while (states.size() > 1) {
    State a = states.back();
    states.pop_back();
    State& b = states.back();
    const int m = p.apply("max", "fp32", a.m, b.m);
    rescaled(a, m);
    rescaled(b, m);
    b.l = p.apply("+", "fp32", b.l, a.l);
    b.o = p.apply("+", sums, a.o, b.o);
  }
  const State last = states[0];
  Softmax out;
  const int first = p.apply(exp, "fp32", difference(s[0], last.m));
  if (divides) {
    out.weight = p.apply("/", "fp32", first, last.l);
    out.mean = p.apply("/", "fp32", last.o, last.l);
  } else {
    const int inverse = p.apply("rcp", "fp32", last.l);
    out.weight = p.apply("*", "fp32", first, inverse);
    out.mean = p.apply("*", "fp32", last.o, inverse);
  }
  out.program = std::move(p);
  return out;
}

}  // namespace

TEST_CASE("bounds of matrix products: fp32 and fp16 accumulators, and how tight they are") {
  std::mt19937 random(3);
  const std::vector<Interval> ranges(512, Interval{-1, 1});
  for (const int n : {16, 48, 256}) {
    const Checked wide = checked(product(n, "fp16", "fp32"), ranges, random, 48);
    INFO(n << ": " << wide.what);
    CHECK(!wide.broken);
    CHECK(wide.tightest < 4.0 * n);  // of the worst case: n additions, all truncated
    const Checked narrow = checked(product(n, "fp16", "fp16"), ranges, random, 48);
    INFO(narrow.what);
    CHECK(!narrow.broken);
    CHECK(narrow.tightest < 100);
  }
  // Worked example: 16 products of [-1, 1] from 0 are at most 16; 18 additions of 2^-23 of 16, and fp32's rounding.
  const Enclosed e = enclosed(product(16, "fp16", "fp32"), ranges);
  const double gamma = 18 * 0x1p-23 / (1 - 18 * 0x1p-23);
  CHECK(e.bounds.back() == Approx(16 * gamma + 16 * 0x1p-24).epsilon(1e-5));
}

TEST_CASE("a bound that forgets one conversion is broken by sums that accumulate the error") {
  std::mt19937 random(4);
  for (const std::string type : {"fp16", "bf16", "tf32", "fp32"}) {
    Straight p;
    for (int k = 0; k < 33; ++k) p.input(type);
    int at = 0;
    for (int k = 1; k < 33; ++k) at = p.apply("+", type, at, k);
    const std::vector<Interval> ends(33, Interval{0.5, 1});
    INFO(type);
    CHECK(!checked(p, ends, random, 48).broken);
    for (Step& s : p.steps) s.forgotten = s.operation == "+";
    CHECK(checked(p, ends, random, 48).broken);
  }
  // A single one: a copy to a smaller type.
  for (const std::string type : {"fp16", "bf16", "tf32", "e4m3", "e5m2"}) {
    Straight p;
    const int x = p.input("fp32"), sum = p.apply("+", "fp32", x, p.input("fp32"));
    const int copy = p.apply("id", type, sum);
    INFO(type);
    CHECK(!checked(p, {{-1, 1}, {-1, 1}}, random, 24).broken);
    p.steps[copy].forgotten = true;
    CHECK(checked(p, {{-1, 1}, {-1, 1}}, random, 24).broken);
  }
}

TEST_CASE("the weights of a softmax are at most 1, and the mean is as accurate as its weights") {
  std::mt19937 random(5);
  for (int round = 0; round < 120; ++round) {
    const int n = 1 + static_cast<int>(random() % 12), parts = 1 + static_cast<int>(random() % std::min(n, 4));
    const bool two = random() % 2 == 0, divides = random() % 2 == 0;
    const bool halves = random() % 3 == 0;
    const Softmax s = softmax(n, parts, two, divides, random, halves ? "fp16" : "fp32");
    std::vector<Interval> ranges;
    const double scores[] = {1, 8, 60};
    const double most = scores[random() % 3];
    for (int k = 0; k < 2 * n; ++k) ranges.push_back(k < n ? Interval{-most, most} : Interval{-1, 2});
    const Enclosed e = enclosed(s.program, ranges);
    INFO("round " << round << ": " << n << " scores in " << parts << " parts, " << e.reason << "\n" << text(s.program));
    CHECK(e.ranges[s.weight].lo >= 0);
    CHECK(e.ranges[s.weight].hi <= 1.000001);
    CHECK(e.ranges[s.mean].lo >= -1.000001);
    CHECK(e.ranges[s.mean].hi <= 2.000001);
    // The weights are halves: 2^-11 of them, and exp of differences of up to 2 * most.
    CHECK(e.bounds[s.mean] < 2 * (0x1p-11 + 0x1p-23 * (16 + 20 * most) * (n + 4) + (halves ? 0x1p-9 * (n + 4) : 0)));
    const Checked c = checked(s.program, ranges, random, 24);
    INFO(c.what);
    REQUIRE(!c.broken);
  }
}

TEST_CASE("a mean whose products one instruction adds in halves has the error of that sum") {
  std::mt19937 random(11);
  Straight p;
  std::vector<int> s, v, weights;
  for (int k = 0; k < 16; ++k) s.push_back(p.input("fp32"));
  for (int k = 0; k < 16; ++k) v.push_back(p.input("fp16"));
  int m = s[0], l = p.constant(0, "fp32");
  for (int k = 1; k < 16; ++k) m = p.apply("max", "fp32", m, s[k]);
  for (int k = 0; k < 16; ++k) {
    weights.push_back(p.apply("exp", "fp32", p.apply("-", "fp32", s[k], m)));
    l = p.apply("+", "fp32", l, weights[k]);
  }
  Step dot{"dot", "fp16", p.constant(0, "fp16")};
  for (int k = 0; k < 16; ++k) dot.products.emplace_back(weights[k], v[k]);
  const int o = p.add(dot);
  const int mean = p.apply("/", "fp32", o, l);
  std::vector<Interval> ranges(32, Interval{-0.01, 0.01});
  for (int k = 16; k < 32; ++k) ranges[k] = {0.9, 1};
  const Enclosed e = enclosed(p, ranges);
  CHECK(e.bounds[mean] < 6 * 0x1p-10);
  const Checked c = checked(p, ranges, random, 200);
  INFO(c.what);
  CHECK(!c.broken);
  CHECK(c.tightest < 4);
}

TEST_CASE("a weight that was not seen by the maximum is not bounded by 1, nor counted twice") {
  const auto last = [](const std::function<int(Straight&, int, int, int)>& build) {
    Straight p;
    const int x = p.input("fp32"), y = p.input("fp32"), z = p.input("fp32");
    const int at = build(p, x, y, z);
    return enclosed(p, std::vector<Interval>(3, Interval{-1, 1})).ranges[at];
  };
  // exp(z - max(x, y)): z may be larger.
  CHECK(last([](Straight& p, int x, int y, int z) {
          return p.apply("exp", "fp32", p.apply("-", "fp32", z, p.apply("max", "fp32", x, y)));
        }).hi > 7);
  CHECK(last([](Straight& p, int x, int y, int) {
          return p.apply("exp", "fp32", p.apply("-", "fp32", x, p.apply("max", "fp32", x, y)));
        }).hi < 1.000001);
  // exp(m - x) is at least 1.
  CHECK(last([](Straight& p, int x, int y, int) {
          return p.apply("exp", "fp32", p.apply("-", "fp32", p.apply("max", "fp32", x, y), x));
        }).hi > 7);
  // Two different factors: 2 x - m.
  CHECK(last([](Straight& p, int x, int y, int) {
          const int two = p.constant(2, "fp32");
          return p.apply("exp", "fp32",
                         p.apply("-", "fp32", p.apply("*", "fp32", x, two), p.apply("max", "fp32", x, y)));
        }).hi > 7);
  // min is no maximum.
  CHECK(last([](Straight& p, int x, int y, int) {
          return p.apply("exp", "fp32", p.apply("-", "fp32", x, p.apply("min", "fp32", x, y)));
        }).hi > 7);
  // (p + p) / (p + q) is up to 2: the same weight twice is no weight of a set.
  CHECK(last([](Straight& p, int x, int y, int) {
          const int m = p.apply("max", "fp32", x, y);
          const int a = p.apply("exp", "fp32", p.apply("-", "fp32", x, m));
          const int b = p.apply("exp", "fp32", p.apply("-", "fp32", y, m));
          return p.apply("/", "fp32", p.apply("+", "fp32", a, a), p.apply("+", "fp32", a, b));
        }).hi > 1.7);
  // l * (1 / 2l) is a half for every l.
  const Interval half = last([](Straight& p, int x, int y, int) {
    const int m = p.apply("max", "fp32", x, y);
    const int a = p.apply("exp", "fp32", p.apply("-", "fp32", x, m));
    const int b = p.apply("exp", "fp32", p.apply("-", "fp32", y, m));
    const int l = p.apply("+", "fp32", a, b);
    return p.apply("*", "fp32", l, p.apply("rcp", "fp32", p.apply("*", "fp32", l, p.constant(2, "fp32"))));
  });
  CHECK(half.lo <= 0.5);
  CHECK(half.hi >= 0.5);
  // y - max(x, 2y) is positive for y = -1/2, x = -1.
  CHECK(last([](Straight& p, int x, int y, int) {
          const int m = p.apply("max", "fp32", x, p.apply("*", "fp32", y, p.constant(2, "fp32")));
          return p.apply("exp", "fp32", p.apply("-", "fp32", y, m));
        }).hi > 1.6);
  // exp(x - max(x, y)) exp(z - m) is no weight under m: with the others it may add to less than 1.
  CHECK(last([](Straight& p, int x, int y, int z) {
          const int m2 = p.apply("max", "fp32", x, y), m = p.apply("max", "fp32", m2, z);
          const int a = p.apply("exp", "fp32", p.apply("-", "fp32", x, m2));
          const int r = p.apply("exp", "fp32", p.apply("-", "fp32", z, m));
          const int b = p.apply("exp", "fp32", p.apply("-", "fp32", y, m));
          return p.apply("+", "fp32", p.apply("+", "fp32", p.apply("*", "fp32", a, r), b), r);
        }).lo < 0.41);
  // p / p where only a part of the set is below: not below 1 of the whole.
  CHECK(last([](Straight& p, int x, int y, int z) {
          const int m = p.apply("max", "fp32", x, p.apply("max", "fp32", y, z));
          const int a = p.apply("exp", "fp32", p.apply("-", "fp32", x, m));
          const int b = p.apply("exp", "fp32", p.apply("-", "fp32", y, m));
          return p.apply("/", "fp32", a, b);
        }).hi > 7);
}

TEST_CASE("shares of weights are what their laws say, for the worst computed values") {
  std::mt19937 random(9);
  const auto number = [&](double lo, double hi) { return std::uniform_real_distribution<>(lo, hi)(random); };
  for (int round = 0; round < 400; ++round) {
    Terms terms;
    Weights weights(terms);
    std::vector<Terms::Value> x;
    std::vector<double> at;
    for (int k = 0; k < 4; ++k) x.push_back(terms.input(0, 0, k)), at.push_back(number(-2, 2));
    const int max = terms.operation("max"), minus = terms.operation("-"), exp = terms.operation("exp");
    const auto maximum = [&](Terms::Value a, Terms::Value b) {
      const Terms::Value out = terms.binary(max, a, b);
      weights.maximum(out, a, b);
      return out;
    };
    const auto exponential = [&](Terms::Value a, Terms::Value b) {
      const Terms::Value d = terms.binary(minus, a, b), out = terms.unary(exp, d);
      REQUIRE(weights.exponential(out, d, false));
      return out;
    };
    const Terms::Value m1 = maximum(maximum(x[0], x[1]), x[2]), m2 = maximum(m1, x[3]);
    const double most1 = std::max({at[0], at[1], at[2]}), most2 = std::max(most1, at[3]);
    const auto shareOf = [&](int k) {
      WeightShare s = weights.shareOf(exponential(x[k], m1), 0, 0);
      s.low = number(-2, 1), s.high = s.low + number(0, 2), s.share = number(0, 0.1), s.rest = number(0, 0.1);
      return s;
    };
    const auto sure = [&](const WeightShare& s, double weight, double exact, double computed) {
      CHECK(exact >= s.low * weight - 1e-9);
      CHECK(exact <= s.high * weight + 1e-9);
      CHECK(std::fabs(computed - exact) <= s.share * weight + s.rest + 1e-9);
      const Interval range = weights.range(s);
      CHECK(exact >= range.lo - 1e-9);
      CHECK(exact <= range.hi + 1e-9);
      CHECK(std::fabs(computed - exact) <= weights.error(s) + 1e-9);
    };
    const WeightShare a = shareOf(0), b = shareOf(1), c = shareOf(2);
    const double wa = std::exp(at[0] - most1), wb = std::exp(at[1] - most1), wc = std::exp(at[2] - most1);
    const auto sum = weights.sum(a, b);
    REQUIRE(sum);
    CHECK(!weights.sum(*sum, a));  // counted twice
    const auto all = weights.sum(*sum, c);
    REQUIRE(all);
    const double ratio = std::exp(most1 - most2), weight = wa + wb + wc;
    const ErrorForm form{number(0, 0.02), number(0, 0.02), number(0, 0.1)};
    const auto scaled = weights.scaled(*sum, exponential(m1, m2), form);
    REQUIRE(scaled);
    CHECK(!weights.scaled(*scaled, exponential(m1, m2), form));
    const Interval factor{number(-2, 0), number(0, 2)};
    const double error = number(0, 0.2);
    const WeightShare times = Weights::times(*sum, factor, error);
    WeightShare whole{all->weight, 1, 1, number(0, 0.05), number(0, 0.05)};
    const Terms::Value inverse = terms.input(1, 0, round);  // stands for 1 / whole
    weights.reciprocal(inverse, whole);
    const ErrorForm small{number(0, 0.01), 0, number(0, 0.05)};
    const auto divided = weights.divided(*sum, inverse, small);
    REQUIRE(divided);
    const auto quotient = weights.divided(*sum, whole, small);
    REQUIRE(quotient);
    for (const double end : {0.0, 1.0})
      for (const double sign : {-1.0, 1.0})
        for (const double other : {-1.0, 1.0}) {
          const auto value = [&](const WeightShare& s, double w) { return (s.low + end * (s.high - s.low)) * w; };
          const auto off = [&](const WeightShare& s, double w) { return sign * (s.share * w + s.rest); };
          const double va = value(a, wa), vb = value(b, wb);
          sure(*sum, wa + wb, va + vb, va + off(a, wa) + vb + off(b, wb));
          const double v = value(*sum, wa + wb), w = v + off(*sum, wa + wb), r = ratio + other * form.at(ratio);
          sure(*scaled, (wa + wb) * ratio, v * ratio, w * r);
          for (const double f : {factor.lo, factor.hi}) sure(times, wa + wb, v * f, w * (f + other * error));
          const double i = 1 / weight + other * small.at(1 / weight), d = weight + other * small.at(weight);
          sure(*divided, (wa + wb) / weight, v / weight, w * i);
          sure(*quotient, (wa + wb) / weight, v / weight, w / d);
        }
  }
}

TEST_CASE("errors of independent values that are not negative add in full") {
  // d = (x + y) + z in halves has a fixed error; d * d has one relative to its root. The worst cases of two squares may
  // coincide.
  Straight p;
  for (int k = 0; k < 6; ++k) p.input("bf16");
  const auto sum = [&](int k) { return p.apply("+", "bf16", p.apply("+", "bf16", k, k + 1), k + 2); };
  const auto twice = [&](int d) { return p.apply("*", "fp64", d, d); };
  const int a = twice(sum(0)), b = twice(sum(3)), c = p.apply("+", "fp64", a, b);
  const Enclosed e = enclosed(p, std::vector<Interval>(6, Interval{-1, 1}));
  CHECK(e.bounds[a] > 0.05);
  CHECK(e.bounds[c] >= (e.bounds[a] + e.bounds[b]) * (1 - 1e-9));
  CHECK(e.bounds[c] <= (e.bounds[a] + e.bounds[b]) * (1 + 1e-9));
}

TEST_CASE("small results are rounded to subnormal numbers") {
  std::mt19937 random(10);
  for (const std::string type : {"fp16", "e5m2", "bf16"}) {
    Straight p;
    p.apply("*", type, p.input(type), p.input(type));
    const double most = std::ldexp(1.0, typeOf(type).leastExponent / 2 - 2);
    const Checked c = checked(p, {{0, most}, {0, most}}, random, 64);
    INFO(type << ": " << c.what);
    CHECK(!c.broken);
    CHECK(c.tightest < 4);
  }
}

TEST_CASE("the errors of functions are those of the CUDA guide") {
  const NumberFormat fp32 = typeOf("fp32"), fp64 = typeOf("fp64"), fp16 = typeOf("fp16");
  CHECK(deviceError("exp", fp32)->relative(10) == Approx((2 + 11.73) * 0x1p-23));
  CHECK(deviceError("exp", fp64)->relative(10) == Approx(0x1p-52));
  CHECK(deviceError("exp", fp16)->relative(10) == Approx(0x1p-10 + 11.73 * 0x1p-23));
  CHECK(deviceError("exp2", fp32)->relative(10) == Approx(2 * 0x1p-23));
  CHECK(deviceError("rsqrt", fp32)->relative(1) == Approx(2 * 0x1p-23));
  CHECK(deviceError("tanh", fp32)->relative(1) == Approx(2 * 0x1p-23));
  CHECK(deviceError("log", fp32)->absolute >= 0x1p-21);
  for (const std::string name : {"+", "-", "*", "/", "rcp", "sqrt", "max", "min", "relu", "neg", "id"})
    CHECK(deviceError(name, fp32)->relative(1) == 0);
  CHECK(!deviceError("erf", fp32));
  const NumberFormat fp8 = typeOf("e4m3");
  CHECK(accumulation(fp16, fp32, true, 16).relative == Approx(18 * 0x1p-23).epsilon(1e-4));
  CHECK(accumulation(fp8, fp32, true, 32).relative == Approx(34 * 0x1p-13).epsilon(0.01));
  CHECK(accumulation(fp16, fp16, true, 16).relative == Approx(4 * 0x1p-10).epsilon(0.01));
  CHECK(accumulation(fp32, fp32, false, 1).relative == 0);
  CHECK(accumulation(typeOf("i8"), typeOf("i32"), true, 32).relative == 0);
  for (const ScalarOperation& o : scalarOperations()) {
    INFO(o.name);
    CHECK(deviceError(o.name, fp32));
  }
}

TEST_CASE("a normalised row is bounded, and its error is relative to its norm") {
  std::mt19937 random(6);
  for (const int n : {2, 8, 64}) {
    Straight p;
    for (int k = 0; k < n; ++k) p.input("fp32");
    const int inverse = p.constant(1.0 / n, "fp32"), eps = p.constant(0x1p-17, "fp32");
    int sum = 0;
    for (int k = 1; k < n; ++k) sum = p.apply("+", "fp32", sum, k);
    const int mean = p.apply("*", "fp32", sum, inverse);
    std::vector<int> d;
    int squares = p.constant(0, "fp32");
    for (int k = 0; k < n; ++k) {
      d.push_back(p.apply("-", "fp32", k, mean));
      Step fma{"dot", "fp32", squares};
      fma.products = {{d[k], d[k]}};
      squares = p.add(fma);
    }
    const int var = p.apply("*", "fp32", squares, inverse);
    const int root = p.apply("rsqrt", "fp32", p.apply("+", "fp32", var, eps));
    const int out = p.apply("*", "fp32", d[0], root);
    const std::vector<Interval> ranges(static_cast<std::size_t>(n), Interval{-1, 1});
    const Enclosed e = enclosed(p, ranges);
    INFO(n << ": bound " << e.bounds[out] << " " << e.reason);
    CHECK(e.ranges[out].hi <= std::sqrt(n) * 1.000001);
    CHECK(e.ranges[out].lo >= -std::sqrt(n) * 1.000001);
    CHECK(e.bounds[out] < 1e-3 * n);
    const Checked c = checked(p, ranges, random, 48);
    INFO(c.what);
    CHECK(!c.broken);
  }
}

TEST_CASE("a norm less a constant bounds nothing") {
  Straight p;
  const int x = p.input("fp32");
  const int less = p.apply("+", "fp32", p.apply("*", "fp32", x, x), p.constant(-0.5, "fp32"));
  const int out = p.apply("*", "fp32", x, p.apply("rsqrt", "fp32", less));
  CHECK(enclosed(p, {{1, 2}}).ranges[out].hi >= std::sqrt(2));
}

TEST_CASE("what has no bound says why") {
  const auto reason = [](const std::string& type, const Interval& range, const std::vector<std::string>& operations) {
    Straight p;
    int at = p.input(type);
    for (const std::string& o : operations) {
      if (o == "square")
        at = p.apply("*", type, at, at);
      else
        at = p.apply(o, type, at);
    }
    const Enclosed e = enclosed(p, {range});
    CHECK(std::isinf(e.bounds.back()));
    return e.reason;
  };
  CHECK(reason("fp16", {-300, 300}, {"square"}) == "values up to 9e+04 exceed fp16, whose largest number is 6.55e+04");
  CHECK(reason("fp16", {-300, 300}, {"square", "relu"}).find("exceed fp16") != std::string::npos);
  CHECK(reason("fp32", {-1, 1}, {"log"}) == "the argument of log may be 0 or negative: it is in [-1, 1]");
  CHECK(reason("fp32", {-1, 1}, {"sqrt"}).find("may be negative") != std::string::npos);
  CHECK(reason("fp32", {0, 1}, {"rsqrt"}).find("may be 0") != std::string::npos);
  CHECK(reason("fp32", {0, 1}, {"rcp"}).find("may be 0") != std::string::npos);
  CHECK(reason("fp32", {0, 100}, {"exp"}).find("exceed fp32") != std::string::npos);
  CHECK(reason("fp64", {0, 1000}, {"exp"}).find("is too large") != std::string::npos);
  // A saturating type has a bound: what it clamps.
  Straight clamped;
  clamped.apply("id", "e4m3", clamped.input("fp32"));
  const Enclosed e = enclosed(clamped, {{-1000, 1000}});
  CHECK(e.bounds.back() > 552);
  CHECK(e.bounds.back() < 700);
}

TEST_CASE("integers are exact, and truncation is off by one at most") {
  std::mt19937 random(8);
  Enclosures domain(same);
  const NumberFormat s8 = typeOf("i8"), s32 = typeOf("i32"), fp32 = typeOf("fp32");
  const auto x = domain.input(s8, {-8, 7}, 0, 0), y = domain.input(s8, {-8, 7}, 0, 1);
  domain.enter({s8, s32, "i32", true, false, true});
  const AtomTerm term{0, 0};
  auto sum = domain.integerMultiplyAdd(domain.constant(0), {&term, 1}, &x, &y, s32);
  sum = domain.convert(sum, domain.conversion(s8, s32, "i32"), s8, s32);
  CHECK(domain.bound(sum) == 0);
  CHECK(domain.range(sum).hi >= 64);
  CHECK(domain.range(sum).hi < 65);
  domain.enter({s32, fp32, "fp32", false, true, false});
  const auto wide = domain.convert(sum, domain.conversion(s32, fp32, "fp32"), s32, fp32);
  CHECK(domain.bound(wide) == 0);
  const auto f = domain.input(fp32, {-100, 100}, 0, 2);
  domain.enter({fp32, fp32, "fp32", false, false, true});
  const NumberFormat fp64 = typeOf("fp64");
  auto third = domain.binary(domain.operation("*"), f, domain.convert(domain.constant(0.3), -1, fp64, fp32));
  third = domain.convert(third, domain.conversion(fp64, fp32, "fp32"), fp64, fp32);
  domain.enter({fp32, s8, "i8", false, true, false});
  const auto whole = domain.convert(third, domain.conversion(fp32, s8, "i8"), fp32, s8);
  CHECK(domain.bound(whole) == 1);
  // Beyond the type: unknown.
  const auto big = domain.input(fp32, {-200, 200}, 0, 3);
  CHECK(std::isinf(domain.bound(domain.convert(big, domain.conversion(fp32, s8, "i8"), fp32, s8))));
}
