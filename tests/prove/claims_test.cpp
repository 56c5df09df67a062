// Named claims: the verdicts, and the words of the refutations.
#include "prove/maps.h"
#include "solver/prove/points/replay.h"

using namespace tessera;
using namespace tessera::testing;

TEST_CASE("a column-major and a row-major layout are injective because their strides nest") {
  for (const Map& m :
       {strided({4, 8}, {1, 4}), strided({4, 8}, {8, 1}), strided({4, 8}, {-8, 1}), strided({1, 8}, {0, 1})}) {
    const Verdict v = ask(ClaimKind::Injective, {m});
    CHECK(v.truth == Truth::Proved);
    CHECK(v.method == "strided");
  }
}

TEST_CASE("(4,2):(1,2) is not injective: (2,0) and (0,1) both give 2") {
  for (Method method : {Method::Auto, Method::Strided, Method::Exhaustive, Method::Z3}) {
    if (method == Method::Z3 && !haveZ3()) continue;
    const Verdict v = ask(ClaimKind::Injective, {strided({4, 2}, {1, 2})}, method);
    INFO(name(method));
    REQUIRE(v.truth == Truth::Refuted);
    if (method != Method::Z3) CHECK(v.counterexample->text == "(2,0) and (0,1) both give 2");
    CHECK(v.counterexample->points.size() == 2);
  }
}

TEST_CASE("(3,2):(2,3) is injective although its strides do not nest: 3 is odd") {
  for (Method method : {Method::Auto, Method::Strided, Method::Exhaustive, Method::Z3}) {
    if (method == Method::Z3 && !haveZ3()) continue;
    CHECK(ask(ClaimKind::Injective, {strided({3, 2}, {2, 3})}, method).truth == Truth::Proved);
  }
  const i64 n = 1 << 30;
  CHECK(ask(ClaimKind::Injective, {strided({n, n}, {n + 1, n})}, Method::Strided).truth == Truth::Proved);
}

TEST_CASE("(2,2,2):(3,5,7) is a subset-sum question: the strides alone do not decide it") {
  const Map m = strided({2, 2, 2}, {3, 5, 7});
  CHECK(ask(ClaimKind::Injective, {m}, Method::Strided).truth == Truth::Unknown);
  CHECK(ask(ClaimKind::Injective, {m}, Method::Exhaustive).truth == Truth::Proved);
  if (haveZ3()) CHECK(ask(ClaimKind::Injective, {m}, Method::Z3).truth == Truth::Proved);
}

TEST_CASE("a swizzled tile of 2^40 elements is injective, without enumeration") {
  const i64 side = i64{1} << 20;
  const Verdict v = ask(ClaimKind::Injective, {swizzled(3, 3, 3, {side, side}, {side, 1})});
  CHECK(v.truth == Truth::Proved);
  CHECK(v.method != "exhaustive");
  // 48 is not a power of two: the swizzle falls off, strides decide.
  const Verdict odd = ask(ClaimKind::Injective, {swizzled(3, 3, 3, {side, 48}, {48, 1})});
  CHECK(odd.truth == Truth::Proved);
  CHECK(odd.method == "strided");
  CHECK(odd.method != "exhaustive");
  CHECK_THAT(odd.detail, Catch::Contains("swizzle"));
}

TEST_CASE("a singular xor is refuted by a kernel vector") {
  // x xor (x / 2 mod 2) * 2 xor ... : x xor (x & 2) forgets bit 1.
  const Expr x = Expr::digit(0);
  const Map m = made(Map::create(box({8}), {{"offset", x ^ (mod(floorDiv(x, 2), 2) * 2), std::nullopt}}));
  const Verdict v = ask(ClaimKind::Injective, {m}, Method::F2);
  REQUIRE(v.truth == Truth::Refuted);
  CHECK(v.counterexample->text == "0 and 2 both give 0");
}

TEST_CASE("surjective needs a codomain") {
  const Verdict v = ask(ClaimKind::Surjective, {strided({4, 8}, {8, 1})});
  CHECK(v.truth == Truth::Unknown);
  CHECK_THAT(v.detail, Catch::Contains("'offset' declares no extent"));
}

TEST_CASE("with strides below zero the codomain is what the layout spans") {
  for (const Method method : {Method::Auto, Method::Strided, Method::Exhaustive, Method::Z3}) {
    if (method == Method::Z3 && !haveZ3()) continue;
    INFO(name(method));
    const Verdict onto = ask(ClaimKind::Bijective, {strided({4, 8}, {-8, 1})}, method);
    CHECK(onto.truth == Truth::Proved);
    CHECK_THAT(onto.detail, Catch::Contains("the places are the 32 values of 'offset' from -24 to 7"));
    const Verdict hole = ask(ClaimKind::Surjective, {strided({4, 8}, {-9, 1})}, method);
    REQUIRE(hole.truth == Truth::Refuted);
    CHECK_THAT(hole.counterexample->text, Catch::StartsWith("no coordinate gives -"));
  }
  const Verdict outside = ask(ClaimKind::InBounds, {strided({4, 8}, {-8, 1})});
  REQUIRE(outside.truth == Truth::Refuted);
  CHECK(outside.counterexample->text == "(1,0) gives -8, below 0");
}

TEST_CASE("Z3 decides coverage: by a witness at any size, else place by place") {
  if (!haveZ3()) return;
  const auto z3 = [](const Map& m, ClaimKind kind = ClaimKind::Surjective) { return ask(kind, {m}, Method::Z3); };
  // More points than places; strides that do not divide one another; a digit that goes down.
  CHECK(z3(strided({4, 8}, {1, 3}, 25)).truth == Truth::Proved);
  CHECK(z3(strided({4, 4}, {1, 2}, 10)).truth == Truth::Proved);
  CHECK(z3(strided({300, 40}, {1, 7}, 573)).truth == Truth::Proved);
  CHECK(z3(strided({i64{1} << 20, 3000}, {1, 999999}, (i64{1} << 20) + 999999 * i64{2999})).truth == Truth::Proved);
  CHECK(z3(strided({i64{1} << 20, i64{1} << 20}, {-1, i64{1} << 20})).truth == Truth::Proved);
  // More places than points, and holes that are named.
  const Verdict padded = z3(strided({4, 8}, {9, 1}, 35));
  REQUIRE(padded.truth == Truth::Refuted);
  CHECK(padded.counterexample->text == "no coordinate gives 8");
  CHECK(z3(strided({4, 8}, {9, 1}, 35), ClaimKind::Bijective).truth == Truth::Refuted);
  const Verdict far = z3(strided({i64{1} << 20, 64}, {1, (i64{1} << 20) + 1}, (i64{1} << 20) * 64 + 63));
  REQUIRE(far.truth == Truth::Refuted);
  CHECK(far.counterexample->text == "no coordinate gives 1048576");
  // Sums of strides without an order among them: where the integers take long, bit-vectors answer.
  CHECK(z3(strided({11, 12, 13}, {91, -77, 143}, 400)).truth ==
        ask(ClaimKind::Surjective, {strided({11, 12, 13}, {91, -77, 143}, 400)}, Method::Exhaustive).truth);
  // A swizzle over fewer places than points.
  CHECK(z3(swizzled(2, 0, 3, {8, 8, 2}, {8, 1, 0}, 64)).truth == Truth::Proved);
}

TEST_CASE("a padded layout leaves a hole and says which") {
  for (Method method : {Method::Auto, Method::Strided, Method::Exhaustive}) {
    const Verdict v = ask(ClaimKind::Surjective, {strided({4, 4}, {5, 1}, 19)}, method);
    REQUIRE(v.truth == Truth::Refuted);
    CHECK(v.counterexample->text == "no coordinate gives 4");
  }
  const i64 n = i64{1} << 30;
  CHECK(ask(ClaimKind::Surjective, {strided({n, n}, {n, 1}, n * n)}).truth == Truth::Proved);
  CHECK(ask(ClaimKind::Bijective, {strided({n, n}, {n, 1}, n * n)}).truth == Truth::Proved);
  const Verdict big = ask(ClaimKind::Bijective, {strided({n, n}, {n + 1, 1}, n * n + n)});
  REQUIRE(big.truth == Truth::Refuted);
  CHECK(big.counterexample->text == "no coordinate gives 1073741824");
}

TEST_CASE("fewer coordinates than places: the ladder refutes what Z3 refutes, and counts where nobody names a place") {
  // Sw<1,10,-3> o 64 o L: 2^37 coordinates, and 64 places more.
  const Expr i = Expr::digit(0);
  const i64 n = i64{1} << 37;
  const Expr x = i + 64;
  const Map shifted = made(Map::create(box({n}), {{"offset", x ^ (mod(floorDiv(x, 1024), 2) * 8192), n + 64}}));
  for (const ClaimKind kind : {ClaimKind::Surjective, ClaimKind::Bijective}) {
    const Verdict v = ask(kind, {shifted});
    REQUIRE(v.truth == Truth::Refuted);
    REQUIRE(v.counterexample);
    if (haveZ3()) CHECK(v.counterexample->text == "no coordinate gives 0");
  }
  // Two axes of 2^40 places each, both hit at 0 and at their ends.
  const Map diagonal = made(Map::create(
      box({i64{1} << 40}), {{"a", i, i64{1} << 40}, {"b", i ^ (mod(i, 2) * floorDiv(i, 3)), i64{1} << 40}}));
  const Verdict v = ask(ClaimKind::Surjective, {diagonal});
  CHECK(v.truth == Truth::Refuted);
  const auto counted = prover::replayCount(diagonal);
  REQUIRE(counted);
  CHECK(counted->text == "1099511627776 coordinates cannot give 2^63 and more places");
  CHECK_FALSE(prover::replayCount(strided({4, 8}, {8, 1}, 32)));
  CHECK_FALSE(prover::replayCount(strided({4, 8}, {8, 1})));
  CHECK(prover::replayCount(strided({4, 8}, {8, 1}, 33))->text == "32 coordinates cannot give 33 places");
  // As many coordinates as places: counting says nothing.
  CHECK(ask(ClaimKind::Surjective, {strided({4, 8}, {8, 1}, 32)}).truth == Truth::Proved);
}

TEST_CASE("in_bounds names the value and the bound") {
  const Verdict v = ask(ClaimKind::InBounds, {strided({4, 8}, {8, 1}, 31)});
  REQUIRE(v.truth == Truth::Refuted);
  CHECK(v.counterexample->text == "(3,7) gives 31, outside [0,31)");
  CHECK(ask(ClaimKind::InBounds, {strided({4, 8}, {8, 1}, 32)}).truth == Truth::Proved);
  CHECK(ask(ClaimKind::InBounds, {strided({4, 8}, {8, 1})}).truth == Truth::Unknown);
  CHECK(ask(ClaimKind::InBounds, {strided({2}, {-1}, 4)}).truth == Truth::Refuted);
}

TEST_CASE("equal compares digit by digit, and by colex index when the shapes differ") {
  CHECK(ask(ClaimKind::Equal, {strided({4, 8}, {1, 4}), strided({32}, {1})}).truth == Truth::Proved);
  CHECK(ask(ClaimKind::Equal, {strided({4, 8}, {1, 4}), strided({2, 16}, {1, 2})}).truth == Truth::Proved);
  CHECK(ask(ClaimKind::Equal, {strided({4, 3}, {1, 4}), strided({3, 4}, {1, 3})}).truth == Truth::Proved);
  const Verdict v = ask(ClaimKind::Equal, {strided({4, 8}, {8, 1}), strided({32}, {1})});
  REQUIRE(v.truth == Truth::Refuted);
  CHECK(v.counterexample->text == "at (1,0), which is 1 of the second, the first gives 8 and the second 1");
  CHECK(v.counterexample->points == std::vector<std::vector<i64>>{{1, 0}});
  const Verdict sizes = ask(ClaimKind::Equal, {strided({4, 8}, {8, 1}), strided({16}, {1})});
  REQUIRE(sizes.truth == Truth::Refuted);
  CHECK(sizes.counterexample->text ==
        "the first has 32 coordinates and the second 16: (0,4) of the first is outside the other");
}

TEST_CASE("equal sees through a division of the flat index, at any size") {
  const i64 n = i64{1} << 20;
  const Expr x = Expr::digit(0);
  const Map flat = made(Map::create(box({n * 3}), {{"offset", mod(x, n) * 3 + floorDiv(x, n), std::nullopt}}));
  CHECK(ask(ClaimKind::Equal, {strided({n, 3}, {3, 1}), flat}).truth == Truth::Proved);
  CHECK(ask(ClaimKind::Bijective, {made(Map::create(box({n * 3}), {{"offset", flat.axes()[0].value, n * 3}}))}).truth ==
        Truth::Proved);
}

TEST_CASE("a swizzle is its own inverse") {
  const i64 n = i64{1} << 40;
  const Map once = made(Map::create(box({n}), {{"offset", swizzle(3, 3, 3, Expr::digit(0)), n}}));
  const Verdict v = ask(ClaimKind::Roundtrip, {once, once});
  CHECK(v.truth == Truth::Proved);
  CHECK(v.method != "exhaustive");
}

TEST_CASE("a round trip that does not come back says where it went") {
  const Map f = strided({4, 8}, {8, 1}), g = strided({32}, {1});
  const Verdict v = ask(ClaimKind::Roundtrip, {f, g});
  REQUIRE(v.truth == Truth::Refuted);
  CHECK(v.counterexample->text == "(1,0) goes to 8 and comes back as 8 instead of 1");
  const Verdict away = ask(ClaimKind::Roundtrip, {f, strided({16}, {1})});
  REQUIRE(away.truth == Truth::Refuted);
  // Row-major back to coordinates: offset -> (offset / 8, offset mod 8).
  const Expr x = Expr::digit(0);
  const Map back = made(Map::create(box({32}), {{"i", floorDiv(x, 8), 4}, {"j", mod(x, 8), 8}}));
  CHECK(ask(ClaimKind::Roundtrip, {f, back}).truth == Truth::Proved);
}

TEST_CASE("several axes: lane and register together are injective, lane alone is not") {
  const Expr i = Expr::digit(0), j = Expr::digit(1);
  const Axis lane{"lane", i * 4 + floorDiv(j, 2), 32}, reg{"reg", mod(j, 2), 2};
  CHECK(ask(ClaimKind::Bijective, {made(Map::create(box({8, 8}), {lane, reg}))}).truth == Truth::Proved);
  const Verdict v = ask(ClaimKind::Injective, {made(Map::create(box({8, 8}), {lane}))});
  REQUIRE(v.truth == Truth::Refuted);
  CHECK(v.counterexample->text == "(0,0) and (0,1) both give 0");
}

TEST_CASE("tiles with a guard cover an extent that they do not divide, at any size") {
  const Expr t = Expr::digit(0), r = Expr::digit(1);
  const auto tiles = [&](i64 count, i64 extent) {
    const Expr at = t * 128 + r;
    return made(Map::create(box({count, 128}), {{"offset", at, extent}}, {{at, 0, extent - 1}}));
  };
  const i64 big = (i64{1} << 40) + 7;
  const Verdict v = ask(ClaimKind::Bijective, {tiles(big / 128 + 1, big)});
  INFO(v.detail);
  CHECK(v.truth == Truth::Proved);
  CHECK(v.method != "exhaustive");
  // One tile too few: small enough to name the place that is missed.
  const Verdict few = ask(ClaimKind::Surjective, {tiles(7, 1000)});
  REQUIRE(few.truth == Truth::Refuted);
  CHECK(few.counterexample->text == "no coordinate gives 896");
  // Too many points to enumerate and no proof: unknown, never a guess.
  CHECK(ask(ClaimKind::Surjective, {tiles(big / 128, big)}).truth != Truth::Proved);
}

TEST_CASE("ten thousand modes are answered") {
  std::vector<i64> extents(10000, 2), strides(10000, 1);
  const Verdict v = ask(ClaimKind::Injective, {strided(extents, strides)});
  CHECK(v.truth == Truth::Refuted);
  CHECK(v.method != "exhaustive");
  std::vector<i64> ones(10000, 1);
  CHECK(ask(ClaimKind::Injective, {strided(ones, strides)}).truth == Truth::Proved);
}
