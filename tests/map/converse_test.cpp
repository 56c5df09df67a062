// The converse relation: y in f(x) <=> x in converse(f)(y), over every coordinate and every place.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "core/map/forms/recognise.h"
#include "core/map/inverse/inverse.h"

using namespace tessera;

namespace {

using Ints = std::vector<i64>;

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1), d2 = Expr::digit(2);

Map mapOf(const Ints& extents, const std::vector<Expr>& axes, std::vector<Guard> guards = {}, const Ints& fans = {}) {
  std::vector<Digit> digits;
  std::vector<Axis> named;
  for (std::size_t k = 0; k < extents.size(); ++k)
    digits.push_back(
        {"i" + std::to_string(k), extents[k],
         std::find(fans.begin(), fans.end(), static_cast<i64>(k)) == fans.end() ? DigitKind::Index : DigitKind::Fan});
  for (std::size_t k = 0; k < axes.size(); ++k) named.push_back({"x" + std::to_string(k), axes[k], std::nullopt});
  auto m = Map::create(digits, named, std::move(guards));
  REQUIRE(m.ok());
  return *m;
}

Ints indexExtents(const Map& m) {
  Ints extents;
  for (const int k : m.indexDigits()) extents.push_back(m.digits()[static_cast<std::size_t>(k)].extent);
  return extents;
}

// f read backwards by loops: place -> the coordinates that reach it.
std::map<Ints, std::set<Ints>> backwards(const Map& f) {
  std::map<Ints, std::set<Ints>> back;
  const Ints extents = indexExtents(f);
  for (i64 n = 0; n < *f.size(); ++n) {
    const Ints x = delinearize(n, extents, LinearOrder::Colex);
    for (const Ints& y : f.imageOf(x)) back[y].insert(x);
  }
  return back;
}

// The law, over every place of converse's box; every place of f's image must lie in it.
void turnsRound(const Map& f, const Map& back) {
  INFO(print(f));
  INFO(print(back));
  const auto truth = backwards(f);
  REQUIRE(back.indexDigits().size() == f.axes().size());
  REQUIRE(back.axes().size() == f.indexDigits().size());
  for (std::size_t k = 0; k < back.axes().size(); ++k)
    REQUIRE(back.axes()[k].name == f.digits()[static_cast<std::size_t>(f.indexDigits()[k])].name);
  const Ints places = indexExtents(back);
  std::size_t hit = 0;
  for (i64 n = 0; n < *back.size(); ++n) {
    const Ints y = delinearize(n, places, LinearOrder::Colex);
    const auto image = back.imageOf(y);
    const auto found = truth.find(y);
    hit += found != truth.end();
    const std::set<Ints> expected = found == truth.end() ? std::set<Ints>{} : found->second;
    if (std::set<Ints>(image.begin(), image.end()) != expected) {
      INFO("at " << Catch::rangeToString(y));
      REQUIRE(image == std::vector<Ints>(expected.begin(), expected.end()));
    }
  }
  REQUIRE(hit == truth.size());
}

void turnsRound(const Map& f) {
  const auto back = converse(f);
  INFO(print(f));
  REQUIRE(back.ok());
  turnsRound(f, *back);
}

std::string text(const Map& f) {
  const auto back = converse(f);
  return back ? print(*back) : back.error().message;
}

Expr swizzle(const Expr& x) { return x ^ (mod(floorDiv(x, 8), 4) * 2); }

}  // namespace

TEST_CASE("the smallest converses, as text") {
  CHECK(text(mapOf({1}, {d0})) == "(x0) -> (i0: 0), domain: x0 in [0, 0]");
  CHECK(text(mapOf({4}, {Expr()})) == "(x0)[k0] -> (i0: k0), domain: x0 in [0, 0], k0 in [0, 3]");
  CHECK(text(mapOf({4, 8}, {d0 * 8 + d1})) == "(x0) -> (i0: x0 floordiv 8, i1: x0 mod 8), domain: x0 in [0, 31]");
  CHECK(text(mapOf({4, 8}, {d1})) == "(x0)[k0] -> (i0: k0, i1: x0), domain: x0 in [0, 7], k0 in [0, 3]");
  CHECK(text(mapOf({4, 4}, {d0 ^ d1})) == "(x0)[k0] -> (i0: x0 xor k0, i1: k0), domain: x0 in [0, 3], k0 in [0, 3]");
  CHECK(text(mapOf({4, 2}, {d0 + d1 * 4}, {}, {1})) == "(x0) -> (i0: x0 mod 4), domain: x0 in [0, 7]");
}

TEST_CASE("all strided maps of up to three digits turn round, fanned and guarded ones too") {
  const Ints strides = {0, 1, 2, 3, 4, 6};
  std::mt19937_64 rng(3);
  int maps = 0;
  for (i64 a = 1; a <= 4; ++a)
    for (i64 b = 1; b <= 4; ++b)
      for (i64 c = 1; c <= 3; ++c)
        for (const i64 s : strides)
          for (const i64 t : strides)
            for (const i64 u : strides) {
              if ((a == 1 && s != 0) || (b == 1 && t != 0) || (c == 1 && u != 0) || rng() % 6 != 0) continue;
              std::vector<Guard> guards;
              if (rng() % 3 == 0) guards.push_back({d0 + d1 * 2 + d2, 0, static_cast<i64>(rng() % 5)});
              Ints fans;
              if (rng() % 3 == 0) fans.push_back(static_cast<i64>(rng() % 3));
              turnsRound(mapOf({a, b, c}, {d0 * s + d1 * t + d2 * u + static_cast<i64>(rng() % 3)}, guards, fans));
              ++maps;
            }
  CHECK(maps > 500);
}

TEST_CASE("strides that count down, several axes, diagonals") {
  turnsRound(mapOf({4, 8}, {d0 * -8 + d1 + 24}));
  turnsRound(mapOf({4, 3}, {d0 * -1 + d1 * -1 + 5}));
  turnsRound(mapOf({5, 3}, {d0, d0 + d1 * 5}));
  turnsRound(mapOf({5, 3}, {d0 + d1, d0 * 2 + d1}));
  turnsRound(mapOf({6, 5, 3}, {d1 + d2 * 5, d0}));
  turnsRound(mapOf({3, 3}, {d0 * 2 + 1, d1 + 2}, {{d0 + d1, 1, 3}}));
  CHECK(text(mapOf({4}, {d0 - 2})).find("negative") != std::string::npos);
}

TEST_CASE("random maps that are linear over bits turn round") {
  std::mt19937_64 rng(5);
  int kernels = 0;
  for (int round = 0; round < 600; ++round) {
    Ints extents, fans;
    for (std::size_t k = 0; k < 1 + rng() % 3; ++k) {
      extents.push_back(i64{1} << rng() % 4);
      if (rng() % 4 == 0) fans.push_back(static_cast<i64>(k));
    }
    if (fans.size() == extents.size()) fans.clear();
    std::vector<Expr> axes(1 + rng() % 2);
    for (Expr& e : axes) {
      e = Expr::constant(static_cast<i64>(rng() % 4));
      for (int n = 0; n < 4; ++n) {
        const Expr d = Expr::digit(static_cast<int>(rng() % extents.size()));
        e = e ^ (mod(floorDiv(d, i64{1} << rng() % 3), i64{1} << (1 + rng() % 2)) * (i64{1} << rng() % 4));
      }
    }
    std::vector<Guard> guards;
    if (rng() % 4 == 0) guards.push_back({Expr::digit(static_cast<int>(rng() % extents.size())), 0, 1});
    const Map f = mapOf(extents, axes, guards, fans);
    const auto form = asF2(f);
    if (!form) continue;
    kernels += rank(form->matrix) < static_cast<int>(form->matrix.columns.size());
    turnsRound(f);
  }
  CHECK(kernels > 200);
}

TEST_CASE("tiles and swizzles, with sizes that are no powers of two and rows that carry") {
  turnsRound(mapOf({3, 5}, {floorDiv(d0, 2) * 12 + mod(d0, 2) * 2 + floorDiv(d1, 2) * 4 + mod(d1, 2)}));
  turnsRound(mapOf({5, 3}, {floorDiv(d0, 2) * 8 + mod(d0, 2) * 0 + d1}));
  turnsRound(mapOf({6, 8}, {swizzle(d0 * 8 + d1)}));
  turnsRound(mapOf({6, 8}, {swizzle(d0 * 9 + d1 + 2)}));
  turnsRound(mapOf({6, 8, 3}, {swizzle(d0 * 9 + d1)}, {{d0 + d2, 0, 5}}));
  turnsRound(mapOf({3, 5}, {swizzle(floorDiv(d0, 2) * 20 + mod(d0, 2) * 6 + d1)}));
  CHECK(text(mapOf({7, 5}, {mod(d0 * 3 + d1, 7)})).find("neither sums of strides") != std::string::npos);
}

TEST_CASE("of 2^40 points: the kernel of a broadcast is one Fan digit") {
  const i64 n = i64{1} << 20;
  const auto back = converse(mapOf({n, n}, {swizzle(d1)}));
  REQUIRE(back.ok());
  REQUIRE(back->fanDigits().size() == 1);
  CHECK(back->digits().back().extent == n);
  CHECK(back->size() == n);
}
