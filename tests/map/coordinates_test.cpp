// Coordinates that do not start at 0, empty domains, and the results of map operations on them.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "core/map/compose.h"
#include "core/map/inverse/inverse.h"
#include "tests/support/map_edits.h"

using namespace tessera;

namespace {

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1);

Map made(Result<Map> r) {
  if (!r) FAIL(r.error().message);
  return *std::move(r);
}

Expr randomExpr(std::mt19937& rng, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  if (depth == 0 || pick(5) == 0) return pick(3) == 0 ? Expr::constant(pick(9) - 4) : Expr::digit(pick(2));
  const Expr a = randomExpr(rng, depth - 1);
  switch (pick(7)) {
    case 0:
      return a + (pick(7) - 3);
    case 1:
      return a * (pick(5) - 2);
    case 2:
      return floorDiv(a, pick(4) + 1);
    case 3:
      return mod(a, pick(4) + 1);
    case 4:
      return a ^ randomExpr(rng, depth - 1);
    case 5:
      return least(a, randomExpr(rng, depth - 1));
    default:
      return a + randomExpr(rng, depth - 1);
  }
}

// d0 in [3, 6], d1 in [-2, 0].
std::vector<Digit> shifted() { return {{"d0", 4, DigitKind::Index, 3}, {"d1", 3, DigitKind::Index, -2}}; }

}  // namespace

TEST_CASE("digit + lo is the bare variable, wherever it stands in a sum") {
  const std::vector<Digit> digits = shifted();
  const auto text = [&](const Expr& e) { return print(inCoordinates(e, digits)); };
  CHECK(text(d0 + 3) == "d0");
  CHECK(text(d0) == "d0 - 3");
  CHECK(text(d0 * 8 + 24 + (d1 - 2)) == "d0 * 8 + d1");
  CHECK(text(mod(d0 + 3, 2) + d1) == "d0 mod 2 + d1 + 2");
  CHECK(text((d0 + 4) * 8) == "(d0 + 1) * 8");
  CHECK(inCoordinates(d0 * 8 + d1, std::vector<Digit>{{"d0", 4}, {"d1", 3}}) == d0 * 8 + d1);
}

TEST_CASE("the two readings have the same values, and the text of a map is its coordinates'") {
  std::mt19937 rng(8);
  for (int round = 0; round < 2000; ++round) {
    const Expr e = randomExpr(rng, 4);
    const std::vector<Digit> digits = shifted();
    const Expr seen = inCoordinates(e, digits);
    INFO(print(e) << "  seen as  " << print(seen));
    CHECK(print(inCoordinates(overDigits(seen, digits), digits)) == print(seen));
    for (i64 i = 0; i < 4; ++i) {
      for (i64 j = 0; j < 3; ++j) {
        const i64 point[] = {i, j}, coordinates[] = {i + 3, j - 2};
        REQUIRE(evaluate(e, point) == evaluate(seen, coordinates));
        REQUIRE(evaluate(overDigits(seen, digits), point) == evaluate(e, point));
      }
    }
  }
}

TEST_CASE("simplified keeps every point with its coordinates and its value") {
  std::mt19937 rng(9);
  const auto table = [](const Map& m) {
    std::map<std::vector<i64>, std::vector<i64>> out;
    for (i64 i = 0; i < m.digits()[0].extent; ++i) {
      for (i64 j = 0; j < m.digits()[1].extent; ++j) {
        const i64 point[] = {i, j};
        if (m.isReal(point)) out[{i + m.digits()[0].lo, j + m.digits()[1].lo}] = m.at(point);
      }
    }
    return out;
  };
  int empty = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<Guard> guards;
    for (int k = 0; k < 2; ++k) {
      const i64 lo = static_cast<i64>(rng() % 7) - 3;
      guards.push_back({randomExpr(rng, 2), lo, lo + static_cast<i64>(rng() % 6)});
    }
    const Map map = made(Map::create(shifted(), {{"a", randomExpr(rng, 3), {}}}, guards));
    const Map simple = simplified(map);
    INFO(print(map) << "\n" << print(simple));
    REQUIRE(table(map) == table(simple));
    REQUIRE(simple.isEmpty() == table(map).empty());
    REQUIRE(simplified(simple) == simple);
    empty += simple.isEmpty() ? 1 : 0;
  }
  CHECK(empty > 50);
}

TEST_CASE("then binds coordinates; thenInside drops what leaves the box") {
  const Map inner = made(Map::create({{"x", 4, DigitKind::Index}}, {{"d", d0 + 3, {}}}));
  const Map outer = made(Map::create({{"d", 4, DigitKind::Index, 3}}, {{"out", d0 * 10, {}}}));  // (d - 3) * 10
  const Map both = made(then(inner, outer));
  for (i64 x = 0; x < 4; ++x) CHECK(both.at(std::vector<i64>{x})[0] == x * 10);
  const Map far = made(Map::create({{"x", 4, DigitKind::Index}}, {{"d", d0 * 2, {}}}));
  CHECK(then(far, outer).error().message ==
        "the first map reaches [0, 6], but coordinate d of the second is in [3, 6]");
  const Map within = made(thenInside(far, outer));
  CHECK(print(within) == "(x) -> (out: x * 20 - 30), domain: x in [2, 3]");
  CHECK(thenInside(far, emptied(outer))->isEmpty());
}

TEST_CASE("an empty domain is a guard that never holds") {
  const Map map = made(Map::create(shifted(), {{"a", d0, {}}}));
  CHECK_FALSE(map.isEmpty());
  CHECK(emptied(map).isEmpty());
  CHECK(emptied(map).digits() == map.digits());
  CHECK(print(emptied(map)) == "KNOWN EMPTY");
  CHECK(emptied(map).imageOf(std::vector<i64>{0, 0}).empty());
  CHECK(made(withGuard(map, {Expr::constant(7), 0, 6})).isEmpty());
  CHECK_FALSE(made(withGuard(map, {d0, 9, 9})).isEmpty());  // not by its text
  CHECK(simplified(made(withGuard(map, {d0, 9, 9}))).isEmpty());
}

TEST_CASE("coordinates must fit 64 bits, and inverses give coordinates") {
  CHECK_FALSE(Map::create({{"x", 4, DigitKind::Index, INT64_MAX - 2}}, {}).ok());
  CHECK(Map::create({{"x", 4, DigitKind::Index, INT64_MAX - 3}}, {}).ok());
  const Map map = made(Map::create({{"x", 4, DigitKind::Index, 5}}, {{"a", d0 * 2, {}}}));
  const auto back = inverse(map);
  REQUIRE(back.ok());
  for (i64 x = 0; x < 4; ++x) CHECK((*back)->find(x * 2) == std::vector<i64>{x});
}
