// roundtrip of one map: an inverse exists <=> no place belongs to two coordinates. The oracle is two loops.
#include <map>
#include <random>

#include "agree/oracle.h"
#include "prove/maps.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1), d2 = Expr::digit(2);

// No place belongs to two elements; replicas of one element may share it.
bool comesBack(const Map& f) {
  std::map<std::vector<i64>, std::vector<i64>> owner;
  for (const RealPoint& p : realPoints(f)) {
    const auto index = indexPart(f, p.digits);
    if (owner.emplace(p.value, index).first->second != index) return false;
  }
  return true;
}

// Two real coordinates with a place in common, read from the map's own sets.
bool showsTwo(const Map& f, const Counterexample& c) {
  if (c.points.size() != 2 || c.points[0] == c.points[1] || c.text.find("not invertible") == std::string::npos)
    return false;
  const auto a = f.imageOf(c.points[0]), b = f.imageOf(c.points[1]);
  return std::any_of(a.begin(), a.end(), [&](const auto& y) { return std::find(b.begin(), b.end(), y) != b.end(); });
}

Verdict roundtrip(const Map& f, Method method = Method::Auto, ProveOptions options = {}) {
  return ask(ClaimKind::Roundtrip, {f}, method, options);
}

// Auto answers, every other method agrees or does not know. Returns how many knew.
int agrees(const Map& f, const std::vector<Method>& methods) {
  const bool truth = comesBack(f);
  int knew = 0;
  for (const Method method : methods) {
    const Verdict v = roundtrip(f, method);
    const bool unknown =
        v.truth == Truth::Unknown && method != Method::Auto && v.detail.find("bug") == std::string::npos;
    if (unknown) continue;
    ++knew;
    const bool right = v.truth == (truth ? Truth::Proved : Truth::Refuted);
    const bool shown = v.truth != Truth::Refuted || showsTwo(f, *v.counterexample);
    if (right && shown) continue;
    INFO(name(method) << " on " << print(f) << " says " << name(v.truth) << ", oracle " << truth << "; " << v.detail
                      << (v.counterexample ? v.counterexample->text : ""));
    CHECK(right);
    CHECK(shown);
  }
  return knew;
}

const std::vector<Method> kFast = {Method::Auto, Method::Simplify, Method::Strided, Method::F2, Method::Exhaustive};

Map withFans(const Map& m, const std::vector<std::size_t>& fans) {
  std::vector<Digit> digits = m.digits();
  for (const std::size_t k : fans)
    if (k < digits.size()) digits[k].kind = DigitKind::Fan;
  return made(Map::create(digits, m.axes(), m.guards(), m.params()));
}

}  // namespace

TEST_CASE("there and back: the smallest maps, in words") {
  const Verdict row = roundtrip(strided({4, 8}, {8, 1}));
  CHECK(row.truth == Truth::Proved);
  CHECK(row.detail == "backward by strides: i = offset floordiv 8, j = offset mod 8");
  CHECK(roundtrip(strided({1}, {1})).truth == Truth::Proved);
  CHECK(roundtrip(strided({1, 1}, {0, 0})).truth == Truth::Proved);
  const Verdict none = roundtrip(strided({4, 4}, {1, 2}));
  CHECK(none.truth == Truth::Refuted);
  CHECK(none.counterexample->text == "(2,0) and (0,1) both give 2, so the map is not invertible at 2");
  const Verdict still = roundtrip(strided({4}, {0}));
  CHECK(still.truth == Truth::Refuted);
  CHECK(still.counterexample->points.size() == 2);
  const Verdict f2 = roundtrip(swizzled(1, 0, 3, {4, 8}, {8, 1}));
  CHECK(f2.truth == Truth::Proved);
  CHECK(f2.detail.find("backward by F2: i = ") == 0);
}

TEST_CASE("there and back: every layout of up to three modes") {
  const std::vector<i64> strides = {0, 1, -1, 2, 3, -4, 5, 8};
  int knew = 0, asked = 0;
  for (i64 a = 1; a <= 4; ++a)
    for (i64 b = 1; b <= 4; ++b)
      for (i64 c = 1; c <= 4; ++c)
        for (const i64 s : strides)
          for (const i64 t : strides)
            for (const i64 u : strides) {
              if ((a == 1 && s != 5) || (b == 1 && t != 5) || (c == 1 && u != 5)) continue;
              const Map f = made(Map::create(box({a, b, c}), {{"offset", d0 * s + d1 * t + d2 * u + 7, std::nullopt}}));
              knew += agrees(f, ++asked % 7 == 0 ? kFast : std::vector<Method>{Method::Auto});
            }
  CHECK(asked > 10000);
  CHECK(knew > asked + asked / 7 * 3 / 2);
}

TEST_CASE("there and back: all small swizzled layouts, powers of two or not") {
  int swizzles = 0;
  for (int b = 0; b <= 2; ++b)
    for (int m = 0; m <= 2; ++m)
      for (int s = b; s <= 3; ++s)
        for (const i64 rows : {2, 3, 4, 8})
          for (const i64 columns : {4, 6, 8})
            for (const i64 stride : {4, 8, 9, 12})
              for (const i64 unit : {1, 2}) {
                ++swizzles;
                agrees(swizzled(b, m, s, {rows, columns}, {stride, unit}),
                       swizzles % 5 == 0 ? kFast : std::vector<Method>{Method::Auto});
              }
  CHECK(swizzles > 2000);
}

TEST_CASE("there and back: replicas may share places, elements may not") {
  std::mt19937_64 random(31);
  const auto pick = [&](i64 n) { return static_cast<i64>(random() % static_cast<u64>(n)); };
  int proved = 0, refuted = 0;
  for (int n = 0; n < 1500; ++n) {
    std::vector<i64> extents;
    std::vector<Expr> values(1 + random() % 2);
    const int digits = 2 + static_cast<int>(pick(3));
    for (int k = 0; k < digits; ++k) {
      extents.push_back(1 + pick(4));
      Expr& e = values[random() % values.size()];
      e = e + Expr::digit(k) * (pick(14) - 3);
    }
    std::vector<Axis> axes;
    for (std::size_t a = 0; a < values.size(); ++a) axes.push_back({"a" + std::to_string(a), values[a], std::nullopt});
    std::vector<Guard> guards;
    if (n % 4 == 0) guards.push_back({d0 + d1, 0, 2 + pick(3)});
    const Map f = withFans(made(Map::create(box(extents), axes, guards)), {1, 3});
    agrees(f, n % 3 == 0 ? kFast : std::vector<Method>{Method::Auto});
    ++(comesBack(f) ? proved : refuted);
  }
  CHECK(proved > 300);
  CHECK(refuted > 300);
  // {0,2} and {0,3,6} meet in no merged run; only loops see that they belong to one element.
  const Map overlapping = withFans(strided({2, 4, 3}, {100, 2, 3}), {1, 2});
  CHECK(roundtrip(overlapping).truth == Truth::Proved);
  CHECK(roundtrip(overlapping).detail == "every place belongs to one element; replicas of one share places");
}

TEST_CASE("there and back: random expressions with guards") {
  std::mt19937_64 random(37);
  const auto pick = [&](i64 n) { return static_cast<i64>(random() % static_cast<u64>(n)); };
  int proved = 0;
  for (int n = 0; n < 1500; ++n) {
    const std::vector<i64> extents = {1 + pick(8), 1 + pick(6), i64{1} << pick(3)};
    const auto digit = [&] { return Expr::digit(static_cast<int>(pick(3))); };
    Expr e = digit() * (1 + pick(6));
    for (int t = 0; t < 3; ++t) {
      const i64 c = 1 + pick(4);
      const Expr part = pick(2) == 0 ? mod(digit(), c) : floorDiv(digit() + pick(2), c);
      e = pick(4) == 0 ? e ^ (part * (1 + pick(16))) : e + part * (pick(24) - 4);
    }
    std::vector<Guard> guards;
    if (n % 3 == 0) guards.push_back({mod(d0 + d1, 2), 0, 0});
    const Map f =
        made(Map::create(box(extents), {{"offset", e, std::nullopt}, {"row", digit(), std::nullopt}}, guards));
    agrees(f, n % 3 == 0 ? kFast : std::vector<Method>{Method::Auto});
    proved += comesBack(f);
  }
  CHECK(proved > 100);
}

TEST_CASE("there and back: no solver, no table, at any size") {
  const i64 n = i64{1} << 20;
  ProveOptions quick;
  quick.budgetSeconds = 1;
  quick.exhaustiveLimit = 1024;  // only structure answers
  const auto proves = [&](const Map& f, const std::string& how) {
    INFO(print(f));
    const Verdict v = roundtrip(f, Method::Auto, quick);
    INFO(v.detail);
    CHECK(v.truth == Truth::Proved);
    CHECK(v.detail.find("backward by " + how) == 0);
    CHECK(v.detail.find("not proved") == std::string::npos);
  };
  proves(strided({n, n}, {n, 1}), "strides");
  proves(strided({n, n}, {2 * n + 6, 2}), "strides");  // holes in the rows and between them
  proves(strided({n, n}, {-n, 1}), "strides");
  proves(swizzled(3, 3, 3, {n, n}, {n, 1}), "F2");
  proves(swizzled(3, 3, 3, {n, n}, {2 * n, 2}), "F2");
  proves(swizzled(3, 3, 3, {n - 1, n}, {n, 1}), "strides under a swizzle");
  proves(swizzled(3, 3, 3, {n - 1, n}, {n + 8, 1}), "strides under a swizzle");
  // tiles of 8 x 128, the last ones cut off
  const Map tiles = made(
      Map::create(box({n - 3, n - 5}),
                  {{"offset", floorDiv(d0, 8) * (8 * n) + floorDiv(d1, 128) * 1024 + mod(d0, 8) * 128 + mod(d1, 128),
                    std::nullopt}}));
  proves(tiles, "strides");
  proves(made(Map::create(tiles.digits(), tiles.axes(), {{d0 + d1, 0, n}})), "strides");
  // tiles with room between them: places that a tile's digits do not use are holes
  const Expr room = floorDiv(d1, 2) * 12 + mod(d1, 2) * 5;
  proves(made(Map::create(box({8 * n, n}), {{"row", floorDiv(d0, 8) * 16 + mod(d0, 8) + 5, std::nullopt},
                                            {"offset", room, std::nullopt}})),
         "strides");
  // two replicas on the places between
  proves(withFans(strided({n, 2, 2}, {8, 4, 1}), {1, 2}), "strides");
  proves(withFans(strided({n, 3, 2}, {8, 1, 1}), {1, 2}), "strides");
  CHECK(roundtrip(swizzled(3, 3, 3, {n, n}, {n / 2, 1}), Method::Auto, quick).truth == Truth::Refuted);
  CHECK(roundtrip(swizzled(3, 3, 3, {n, n}, {0, 1}), Method::Auto, quick).truth == Truth::Refuted);
}

TEST_CASE("there and back: symbolic sizes are proved by injectivity, without a formula") {
  const std::vector<Param> params = {{"n", 1, 1000}};
  const Expr n = Expr::param(0);
  const Map f =
      made(Map::create(box({1000, 8}), {{"offset", d0 * 8 + d1, std::nullopt}}, {{n - 1 - d0, 0, 999}}, params));
  const Verdict v = roundtrip(f);
  CHECK(v.truth == Truth::Proved);
  CHECK(v.detail.find("no closed form") != std::string::npos);
  const Map g =
      made(Map::create(box({1000, 8}), {{"offset", d0 * 7 + d1, std::nullopt}}, {{n - 1 - d0, 0, 999}}, params));
  CHECK(roundtrip(g).truth != Truth::Proved);
}
