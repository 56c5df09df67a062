// The algebra of terms against numbers: terms that it calls equal are equal, and it finds the identities that fused
// kernels need.
#include "solver/emulate/equality/algebra.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "solver/emulate/equality/same_value.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

using Value = Terms::Value;

struct Maker {
  Terms terms;
  Value x(int k) { return terms.input(0, 0, k); }
  Value c(double v) { return terms.constant(v); }
  Value u(const char* op, Value a) { return terms.unary(terms.operation(op), a); }
  Value b(Value a, const char* op, Value y) { return terms.binary(terms.operation(op), a, y); }
  bool equal(Value a, Value y) { return Algebra(terms).equal(a, y); }
};

// The same again, by numbers: false when some inputs tell them apart.
bool alike(Terms& terms, Value a, Value b) {
  for (u64 seed = 1; seed <= 6; ++seed) {
    TermNumbers numbers({.seed = seed, .scale = seed % 2 == 0 ? 1.0 : 3.0});
    const double p = numbers.of(terms, a), q = numbers.of(terms, b);
    if (!std::isfinite(p) || !std::isfinite(q)) continue;
    if (std::fabs(p - q) > 1e-7 * (1 + std::max(std::fabs(p), std::fabs(q)))) return false;
  }
  return true;
}

// One of the same: another way to write a value.
Value rewritten(Maker& m, Value v, std::mt19937& random) {
  const Value y = m.x(static_cast<int>(random() % 3));
  switch (random() % 7) {
    case 0:
      return m.b(m.b(v, "+", y), "-", y);
    case 1:
      return m.b(m.b(v, "*", m.u("exp", y)), "*", m.u("exp", m.u("neg", y)));
    case 2:
      return m.u("neg", m.b(y, "-", m.b(v, "+", y)));
    case 3:
      return m.u("rcp", m.u("rcp", v));
    case 4:
      return m.b(m.b(v, "*", m.c(3)), "/", m.c(3));
    case 5:
      return m.b(v, "max", v);
    default:
      return m.b(m.b(v, "*", m.c(0.25)), "+", m.b(m.c(0.75), "*", v));
  }
}

Value random(Maker& m, std::mt19937& r, int depth) {
  if (depth == 0) return r() % 4 == 0 ? m.c(static_cast<double>(r() % 5) - 2) : m.x(static_cast<int>(r() % 3));
  const char* const unary[] = {"exp", "neg", "relu", "tanh", "rcp", "sqrt", "rsqrt", "sigmoid"};
  const char* const binary[] = {"+", "-", "*", "/", "max", "min", "+", "*"};
  if (r() % 3 == 0) return m.u(unary[r() % 8], random(m, r, depth - 1));
  const Value a = random(m, r, depth - 1), b = random(m, r, depth - 1);
  return m.b(a, binary[r() % 8], b);
}

}  // namespace

TEST_CASE("the identities of softmax are found") {
  Maker m;
  const Value x = m.x(0), y = m.x(1), z = m.x(2), most = m.b(x, "max", y);
  const auto e = [&](Value v, Value by) { return m.u("exp", m.b(v, "-", by)); };
  CHECK(m.equal(m.b(e(x, y), "*", e(y, z)), e(x, z)));
  CHECK(m.equal(m.b(e(x, most), "/", m.b(e(x, most), "+", e(y, most))),
                m.b(m.u("exp", x), "*", m.u("rcp", m.b(m.u("exp", y), "+", m.u("exp", x))))));
  CHECK_FALSE(m.equal(m.b(e(x, most), "/", m.b(e(x, most), "+", e(y, x))),
                      m.b(m.u("exp", x), "*", m.u("rcp", m.b(m.u("exp", y), "+", m.u("exp", x))))));
  // A first step from nothing: exp(-inf - m) is 0.
  const Value none = m.c(-HUGE_VAL);
  CHECK(m.equal(m.b(m.b(m.c(0), "*", e(none, m.b(none, "max", x))), "+", e(x, m.b(none, "max", x))), m.c(1)));
  CHECK(m.equal(m.u("relu", x), m.b(m.c(0), "max", x)));
  CHECK(m.equal(m.b(x, "*", m.u("rsqrt", y)), m.b(x, "/", m.u("sqrt", y))));
  const Value sum = m.b(x, "+", m.u("exp", y));
  CHECK(m.equal(m.b(sum, "/", sum), m.c(1)));
  CHECK(m.equal(m.b(m.b(m.b(sum, "*", z), "*", m.c(3)), "*", m.u("rcp", m.b(z, "*", sum))), m.c(3)));
  CHECK(m.equal(m.b(m.b(sum, "*", sum), "/", sum), sum));
  CHECK_FALSE(m.equal(m.u("sqrt", m.b(x, "*", x)), x));
  CHECK_FALSE(m.equal(m.b(x, "max", y), m.b(x, "min", y)));
  CHECK_FALSE(m.equal(m.b(x, "-", y), m.b(y, "-", x)));
}

TEST_CASE("what the algebra calls equal has equal numbers") {
  std::mt19937 r(11);
  int found = 0, looked = 0;
  for (int round = 0; round < 3000; ++round) {
    Maker m;
    std::vector<Value> all;
    for (int k = 0; k < 6; ++k) all.push_back(random(m, r, 1 + static_cast<int>(r() % 3)));
    Algebra algebra(m.terms);
    for (std::size_t a = 0; a < all.size(); ++a)
      for (std::size_t b = a + 1; b < all.size(); ++b) {
        ++looked;
        if (!algebra.equal(all[a], all[b])) continue;
        found += all[a] != all[b];
        INFO(m.terms.print(
            all[a], [](int, i64, i64 e) { return "x" + std::to_string(e); }, 20));
        INFO(m.terms.print(
            all[b], [](int, i64, i64 e) { return "x" + std::to_string(e); }, 20));
        CHECK(alike(m.terms, all[a], all[b]));
      }
  }
  CHECK(looked == 45000);
  CHECK(found > 50);
}

TEST_CASE("another way to write a value is found to be one") {
  std::mt19937 r(5);
  for (int round = 0; round < 500; ++round) {
    Maker m;
    const Value v = m.b(m.u("exp", m.x(0)), "+", m.b(m.x(1), "*", m.u("tanh", m.x(2))));
    Value w = v;
    for (int k = 0; k < 4; ++k) w = rewritten(m, w, r);
    INFO(m.terms.print(
        w, [](int, i64, i64 e) { return "x" + std::to_string(e); }, 20));
    CHECK(m.equal(v, w));
    CHECK(alike(m.terms, v, w));
    CHECK_FALSE(m.equal(m.b(w, "+", m.x(0)), v));
  }
}
