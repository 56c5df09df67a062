// Every method agrees with plain loops on all small layouts and on random ones, or reports that it cannot decide.
#include <random>

#include "agree/oracle.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

const std::vector<i64> kStrides = {0, 1, -1, 2, 3, -4, 5, 8};
const std::vector<Method> kFast = {Method::Auto, Method::Simplify, Method::Strided, Method::F2, Method::Exhaustive};
const std::vector<Method> kAll = {Method::Auto, Method::Simplify,   Method::Strided,
                                  Method::F2,   Method::Exhaustive, Method::Z3};

// Every layout with `modes` modes, extents 1..4 and strides of kStrides (one stride for extent 1).
template <typename Visit>
void eachLayout(std::size_t modes, Visit visit, std::vector<i64> extents = {}, std::vector<i64> strides = {}) {
  if (extents.size() == modes) return visit(extents, strides);
  for (i64 e = 1; e <= 4; ++e) {
    for (i64 s : kStrides) {
      if (e == 1 && s != 5) continue;
      auto moreExtents = extents;
      auto moreStrides = strides;
      moreExtents.push_back(e);
      moreStrides.push_back(s);
      eachLayout(modes, visit, moreExtents, moreStrides);
    }
  }
}

i64 cosize(const std::vector<i64>& extents, const std::vector<i64>& strides) {
  i64 last = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) last += std::max<i64>(0, strides[k]) * (extents[k] - 1);
  return last + 1;
}

// A random expression over the digits whose values stay small and whose divisors are constants.
Expr randomExpr(std::mt19937_64& random, int digits, int depth) {
  const auto pick = [&](i64 n) { return static_cast<i64>(random() % static_cast<u64>(n)); };
  if (depth == 0 || pick(5) == 0) {
    return pick(6) == 0 ? Expr::constant(pick(9)) : Expr::digit(static_cast<int>(pick(digits)));
  }
  const Expr a = randomExpr(random, digits, depth - 1);
  switch (pick(8)) {
    case 6:
      return least(a, randomExpr(random, digits, depth - 1));
    case 7:
      return greatest(a, randomExpr(random, digits, depth - 1) - 2);
    case 0:
      return a + randomExpr(random, digits, depth - 1);
    case 1:
      return a * (pick(8) - 2);
    case 2:
      return floorDiv(a, 1 + pick(6));
    case 3:
      return mod(a, 1 + pick(6));
    case 4:
      return a ^ randomExpr(random, digits, depth - 1);
    default:
      return a - randomExpr(random, digits, depth - 1);
  }
}

struct Random {
  std::mt19937_64 engine;
  explicit Random(u64 seed) : engine(seed) {}
  i64 operator()(i64 n) { return static_cast<i64>(engine() % static_cast<u64>(n)); }
};

Map randomMap(Random& random, std::size_t axes, bool guarded) {
  std::vector<i64> extents;
  const i64 digits = 1 + random(3);
  for (i64 k = 0; k < digits; ++k) extents.push_back(random(2) == 0 ? i64{1} << random(4) : 1 + random(7));
  std::vector<Axis> out;
  for (std::size_t a = 0; a < axes; ++a)
    out.push_back({"a" + std::to_string(a), randomExpr(random.engine, static_cast<int>(digits), 3), 1 + random(20)});
  std::vector<Guard> guards;
  if (guarded) guards.push_back({randomExpr(random.engine, static_cast<int>(digits), 2), random(3), 3 + random(6)});
  return made(Map::create(box(extents), out, guards));
}

}  // namespace

TEST_CASE("all layouts of up to three modes: every fast method agrees with plain loops") {
  int answered = 0, layouts = 0;
  for (std::size_t modes = 1; modes <= 3; ++modes) {
    eachLayout(modes, [&](const std::vector<i64>& extents, const std::vector<i64>& strides) {
      // Three modes: every fifth layout, each with another claim; one and two modes: all of all.
      if (modes == 3 && ++layouts % 5 != 0) return;
      const Map m = strided(extents, strides, cosize(extents, strides));
      answered += agreesWithOracle(ClaimKind::Injective, {m}, kFast);
      if (modes < 3 || layouts % 2 == 0) answered += agreesWithOracle(ClaimKind::Surjective, {m}, kFast);
      if (modes < 3) answered += agreesWithOracle(ClaimKind::InBounds, {m}, kFast);
    });
  }
  CHECK(answered > 10000);
}

TEST_CASE("the ladder itself never says unknown on a small layout") {
  eachLayout(2, [&](const std::vector<i64>& extents, const std::vector<i64>& strides) {
    const Map m = strided(extents, strides, cosize(extents, strides));
    for (ClaimKind kind : {ClaimKind::Injective, ClaimKind::Surjective, ClaimKind::Bijective, ClaimKind::InBounds})
      if (prove({claimAbout(kind, {m})}).truth == Truth::Unknown) FAIL_CHECK(name(kind) << " " << print(m));
  });
}

TEST_CASE("Z3 agrees on sampled layouts of three modes") {
  if (!haveZ3()) return;
  Random random(7);
  ProveOptions options;
  options.budgetSeconds = 1;
  int answered = 0;
  for (int n = 0; n < 150; ++n) {
    std::vector<i64> extents, strides;
    for (int k = 0; k < 3; ++k) {
      extents.push_back(1 + random(4));
      strides.push_back(kStrides[static_cast<std::size_t>(random(static_cast<i64>(kStrides.size())))]);
    }
    const Map m = strided(extents, strides, cosize(extents, strides));
    answered += agreesWithOracle(ClaimKind::Injective, {m}, {Method::Z3}, options);
    answered += agreesWithOracle(ClaimKind::InBounds, {m}, {Method::Z3}, options);
    answered += agreesWithOracle(ClaimKind::Surjective, {m}, {Method::Z3}, options);
  }
  CHECK(answered > 300);
}

TEST_CASE("Z3 decides surjective and bijective on small layouts, guarded, swizzled or with negative strides") {
  if (!haveZ3()) return;
  Random random(31);
  int asked = 0, answered = 0;
  const auto ask = [&](const Map& m) {
    for (const ClaimKind kind : {ClaimKind::Surjective, ClaimKind::Bijective}) {
      answered += agreesWithOracle(kind, {m}, {Method::Z3});
      ++asked;
    }
  };
  int layouts = 0;
  eachLayout(2, [&](const std::vector<i64>& extents, const std::vector<i64>& strides) {
    if (++layouts % 6 == 0) ask(strided(extents, strides, cosize(extents, strides)));
  });
  for (int n = 0; n < 60; ++n) {
    std::vector<i64> extents, strides;
    for (i64 k = 1 + random(3); k > 0; --k) {
      extents.push_back(1 + random(5));
      strides.push_back(random(12) - 4);
    }
    ask(strided(extents, strides, 1 + random(30)));
    ask(swizzled(1 + static_cast<int>(random(2)), static_cast<int>(random(2)), 2, {4, 4}, {4, 1 + random(2)}, 16));
    const Expr i = Expr::digit(0), j = Expr::digit(1);
    ask(made(Map::create(box({1 + random(5), 1 + random(5)}),
                         {{"a", i + j * random(3), 1 + random(4)}, {"b", j - random(2), 1 + random(4)}},
                         {{i + j, 0, random(8)}})));
  }
  CHECK(answered == asked);
}

TEST_CASE("strides below zero without a declared extent: the places from the lowest value to the highest") {
  int decided = 0;
  const auto ask = [&](const std::vector<i64>& extents, const std::vector<i64>& strides,
                       const std::vector<Method>& methods) {
    const Map m = strided(extents, strides);
    std::set<i64> values;
    for (const RealPoint& p : realPoints(m)) values.insert(p.value[0]);
    if (*values.begin() >= 0) return;
    const bool onto = *values.rbegin() - *values.begin() + 1 == static_cast<i64>(values.size());
    for (const Method method : methods) {
      if (method == Method::Z3 && !haveZ3()) continue;
      const Verdict v = prove({claims::Surjective{m}, method});
      INFO(print(m) << " by " << name(method) << ": " << v.detail);
      if (method == Method::Simplify || method == Method::F2) {
        if (v.truth == Truth::Unknown) continue;
      }
      CHECK(v.truth == (onto ? Truth::Proved : Truth::Refuted));
      ++decided;
      if (v.truth != Truth::Refuted) continue;
      const auto place = witness(v, "place");
      if (!place) continue;  // by counting
      CHECK(values.count(place->front()) == 0);
      CHECK(place->front() > *values.begin());
      CHECK(place->front() < *values.rbegin());
    }
    const Verdict both = prove({claims::Bijective{m}});
    CHECK(both.truth == (onto && oracleInjective(m) ? Truth::Proved : Truth::Refuted));
    // Below 0 is out of bounds for every bound.
    CHECK(prove({claims::InBounds{m}}).truth == Truth::Refuted);
  };
  int layouts = 0;
  for (const std::size_t modes : {1, 2, 3})
    eachLayout(modes, [&](const std::vector<i64>& extents, const std::vector<i64>& strides) {
      ++layouts;
      if (modes == 3 && layouts % 23 != 0) return;
      ask(extents, strides, layouts % 11 == 0 ? kAll : kFast);
    });
  CHECK(decided > 500);
}

TEST_CASE("random swizzled layouts: every method agrees with plain loops") {
  Random random(11);
  ProveOptions options;
  options.budgetSeconds = 2;
  int byF2 = 0;
  for (int n = 0; n < 400; ++n) {
    std::vector<i64> extents, strides;
    for (i64 k = 1 + random(3); k > 0; --k) {
      extents.push_back(random(3) == 0 ? 1 + random(6) : i64{1} << random(4));
      strides.push_back(random(3) == 0 ? random(9) : i64{1} << random(6));
    }
    const Map m = swizzled(static_cast<int>(random(4)), static_cast<int>(random(3)), static_cast<int>(random(4)),
                           extents, strides, 1 + random(64));
    const std::vector<Method>& methods = n % 8 == 0 ? kAll : kFast;
    for (ClaimKind kind : {ClaimKind::Injective, ClaimKind::Surjective, ClaimKind::Bijective, ClaimKind::InBounds})
      agreesWithOracle(kind, {m}, methods, options);
    byF2 += agreesWithOracle(ClaimKind::Injective, {m}, {Method::F2});
  }
  CHECK(byF2 > 50);
}

TEST_CASE("random expressions with div, mod, xor and guards: every method agrees with plain loops") {
  Random random(13);
  ProveOptions options;
  options.budgetSeconds = 2;
  for (int n = 0; n < 1500; ++n) {
    const Map m = randomMap(random, 1 + static_cast<std::size_t>(n % 2), n % 3 == 0);
    const std::vector<Method>& methods = n % 10 == 0 ? kAll : kFast;
    for (ClaimKind kind : {ClaimKind::Injective, ClaimKind::Surjective, ClaimKind::InBounds})
      agreesWithOracle(kind, {m}, methods, options);
  }
}

TEST_CASE("equality of random expressions: a rewrite is proved, a change is refuted") {
  Random random(17);
  ProveOptions options;
  options.budgetSeconds = 2;
  int proofs = 0;
  for (int n = 0; n < 600; ++n) {
    const Map f = randomMap(random, 1, n % 4 == 0);
    const Expr e = f.axes()[0].value;
    // c*(e div c) + e mod c is e; then sometimes one value is changed.
    const i64 c = 2 + random(5);
    Expr other = floorDiv(e, c) * c + mod(e, c);
    if (n % 2 == 1) other = other + floorDiv(Expr::digit(0) + 1, f.digits()[0].extent);
    const Map g = made(Map::create(f.digits(), {{"a0", other, std::nullopt}}, f.guards()));
    const int methods = agreesWithOracle(ClaimKind::Equal, {f, g}, n % 6 == 0 ? kAll : kFast, options);
    if (n % 2 == 0 && methods >= 2) ++proofs;
  }
  CHECK(proofs > 200);
}

TEST_CASE("equality through the colex index of different shapes") {
  Random random(19);
  for (int n = 0; n < 300; ++n) {
    const std::vector<std::vector<i64>> shapes = {{12}, {3, 4}, {4, 3}, {2, 6}, {6, 2}, {2, 3, 2}, {1, 12}, {2, 2, 3}};
    const auto layout = [&] {
      const auto& extents = shapes[static_cast<std::size_t>(random(8))];
      std::vector<i64> strides;
      i64 place = 1;
      for (i64 e : extents) {
        strides.push_back(random(4) == 0 ? random(5) : place);
        place *= e;
      }
      return strided(extents, strides);
    };
    agreesWithOracle(ClaimKind::Equal, {layout(), layout()}, n % 10 == 0 ? kAll : kFast);
  }
}

TEST_CASE("set equality with Fan digits") {
  Random random(23);
  for (int n = 0; n < 400; ++n) {
    const auto layout = [&] {
      std::vector<Digit> digits = {{"x", 4, DigitKind::Index}};
      Expr e = Expr::digit(0) * (1 + random(2));
      for (i64 k = random(3); k > 0; --k) {
        digits.push_back({"r" + std::to_string(k), 1 + random(3), DigitKind::Fan});
        e = e + Expr::digit(static_cast<int>(digits.size()) - 1) * (random(6) - 2) * (1 + 3 * random(2));
      }
      return made(Map::create(digits, {{"lane", e, std::nullopt}}));
    };
    agreesWithOracle(ClaimKind::Equal, {layout(), layout()}, kFast);
  }
}

TEST_CASE("round trips: the inverse of a compact layout comes back, a wrong one does not") {
  Random random(29);
  ProveOptions options;
  options.budgetSeconds = 2;
  for (int n = 0; n < 200; ++n) {
    const i64 a = 1 + random(6), b = 1 + random(6);
    const bool rowMajor = random(2) == 0;
    const Map f = rowMajor ? strided({a, b}, {b, 1}) : strided({a, b}, {1, a});
    const Expr x = Expr::digit(0);
    const i64 wrong = n % 3 == 0 ? 1 : 0;
    const Expr fast = mod(x, (rowMajor ? b : a) + wrong), slow = floorDiv(x, (rowMajor ? b : a) + wrong);
    const i64 size = n % 5 == 0 ? a * b + random(3) - 1 : a * b;
    const Map g = made(Map::create(box({std::max<i64>(1, size)}), {{"i", rowMajor ? slow : fast, std::nullopt},
                                                                   {"j", rowMajor ? fast : slow, std::nullopt}}));
    agreesWithOracle(ClaimKind::Roundtrip, {f, g}, n % 5 == 0 ? kAll : kFast, options);
  }
}
