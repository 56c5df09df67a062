// Composition: the matching of axes and digits, the treatment of replicas, guards and parameters, and the refusals.
#include "core/map/compose.h"

#include <catch2/catch.hpp>

#include "tests/support/map_edits.h"

using namespace tessera;

namespace {

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1), d2 = Expr::digit(2);

Map made(Result<Map> m) {
  if (!m.ok()) FAIL(m.error().message);
  return *std::move(m);
}

std::string whyNot(const Result<Map>& m) {
  REQUIRE_FALSE(m.ok());
  return m.error().message;
}

constexpr auto kIndex = DigitKind::Index;
constexpr auto kFan = DigitKind::Fan;

}  // namespace

TEST_CASE("axes bind by name when every coordinate finds one, whatever their order") {
  const Map inner = made(Map::create({{"t", 32, kIndex}}, {{"col", mod(d0, 4), {}}, {"row", floorDiv(d0, 4), {}}}));
  const Map outer = made(Map::create({{"row", 8, kIndex}, {"col", 4, kIndex}}, {{"offset", d0 * 100 + d1, {}}}));
  const Map both = made(then(inner, outer));
  for (i64 t = 0; t < 32; ++t) CHECK(both.at(std::vector<i64>{t})[0] == (t / 4) * 100 + t % 4);
  // By position when the names are strangers.
  const Map strange = made(Map::create({{"a", 8, kIndex}, {"b", 8, kIndex}}, {{"offset", d0 * 100 + d1, {}}}));
  CHECK(made(then(inner, strange)).at(std::vector<i64>{13})[0] == 1 * 100 + 3);
  CHECK(whyNot(then(inner, made(Map::create({{"a", 4, kIndex}, {"b", 4, kIndex}, {"c", 4, kIndex}}, {})))) ==
        "the first map has 2 axes, the second needs 3 coordinates");
}

TEST_CASE("one axis splits first-fastest; the last coordinate takes what remains, even beyond its extent") {
  const Map inner = made(Map::create({{"i", 50, kIndex}}, {{"x", d0 * 3, {}}}));
  const Map outer = made(Map::create({{"a", 4, kIndex}, {"b", 5, kIndex}}, {{"offset", d0 * 1000 + d1, {}}}));
  const Map both = made(then(inner, outer));
  for (i64 i = 0; i < 50; ++i) CHECK(both.at(std::vector<i64>{i})[0] == (3 * i % 4) * 1000 + 3 * i / 4);
}

TEST_CASE("replicas and guards of both survive; equal parameter names are one parameter") {
  const Map inner = made(Map::create({{"i", 8, kIndex}, {"r", 2, kFan}}, {{"x", d0 + d1 * 8, {}}}, {{d0, 0, 5}}));
  const Map outer = made(Map::create({{"x", 16, kIndex}, {"s", 3, kFan}}, {{"y", d0 * 3 + d1, {}}}, {{d0, 2, 15}}));
  const Map both = made(then(inner, outer));
  CHECK(both.fanDigits().size() == 2);
  for (i64 i = 0; i < 8; ++i) {
    std::vector<std::vector<i64>> want;
    for (const auto& x : inner.imageOf(std::vector<i64>{i}))
      for (const auto& y : outer.imageOf(x)) want.push_back(y);
    std::sort(want.begin(), want.end());
    CHECK(both.imageOf(std::vector<i64>{i}) == want);
  }
  const Expr p0 = Expr::param(0), p1 = Expr::param(1);
  const Map scale = made(Map::create({{"i", 4, kIndex}}, {{"x", d0 * p0, {}}}, {}, {{"n", 1, 10}}));
  const Map shift =
      made(Map::create({{"x", 100, kIndex}}, {{"y", d0 + p0 * 2 + p1, {}}}, {}, {{"m", 0, 5}, {"n", 2, 20}}));
  const Map linked = made(then(scale, shift));
  REQUIRE(linked.params().size() == 2);
  CHECK(linked.params()[0] == Param{"n", 2, 10});
  CHECK(linked.at(std::vector<i64>{3}, std::vector<i64>{7, 4})[0] == 3 * 7 + 2 * 4 + 7);
}

TEST_CASE("leaving the second map's domain is refused with both ranges, unless a guard or `extend` says otherwise") {
  const Map inner = made(Map::create({{"i", 40, kIndex}}, {{"x", d0 - 2, {}}}));
  const Map outer = made(Map::create({{"x", 32, kIndex}}, {{"y", d0 * 2, {}}}));
  CHECK(whyNot(then(inner, outer)) == "the first map reaches [-2, 37], but coordinate x of the second is in [0, 31]");
  CHECK(then(inner, outer, /*extend=*/true).ok());
  const Map guarded = made(withGuard(inner, {d0 - 2, 0, 31}));
  const Map both = made(then(guarded, outer));
  for (i64 i = 0; i < 40; ++i) {
    const std::vector<i64> p{i};
    CHECK(both.isReal(p) == (i >= 2 && i < 34));
    if (both.isReal(p)) CHECK(both.at(p)[0] == 2 * (i - 2));
  }
}

TEST_CASE("simplified drops guards that always hold and keeps the others") {
  const Map m = made(Map::create({{"i", 12, kIndex}}, {{"x", mod(d0 * 8 + 3, 8) + d0, {}}},
                                 {{mod(d0, 4), 0, 3}, {mod(d0 * 4 + 1, 8), 0, 4}}));
  CHECK(print(simplified(m)) == "(i) -> (x: i + 3), domain: i in [0, 10], i mod 2 in [0, 0]");
}

TEST_CASE("composing deep maps uses no recursion") {
  Expr e = d0;
  for (int k = 0; k < 20000; ++k) e = mod(e * 3 + 1, 1000);
  const Map deep = made(Map::create({{"i", 1000, kIndex}}, {{"x", e, {}}}));
  const Map outer = made(Map::create({{"x", 1000, kIndex}}, {{"y", d0 + Expr::param(0), {}}}, {}, {{"n", 0, 9}}));
  const Map both = made(then(deep, outer));
  const std::vector<i64> p{7}, n{5};
  CHECK(both.at(p, n)[0] == deep.at(p)[0] + 5);
}
