// A map as CuTe writes it: the text, and the same number at every coordinate.
#include <catch2/catch.hpp>
#include <random>

#include "core/notation/cute/notation.h"
#include "core/notation/cute/text/text.h"

using namespace tessera;

namespace {

std::vector<i64> tableOf(const Map& m) {
  std::vector<i64> extents, out;
  for (const Digit& d : m.digits()) extents.push_back(d.extent);
  for (i64 n = 0; n < *m.pointCount(); ++n) out.push_back(m.at(delinearize(n, extents, LinearOrder::Colex))[0]);
  return out;
}

std::string textOf(const Map& m) {
  const auto cute = cute::fromMap(m);
  if (!cute) return cute.error().message;
  return std::visit([](const auto& l) { return print(l); }, *cute);
}

void comesBack(const Map& m) {
  const auto cute = cute::fromMap(m);
  INFO(print(m));
  INFO(textOf(m));
  REQUIRE(cute.ok());
  const auto again = std::visit([](const auto& l) { return toMap(l); }, *cute);
  REQUIRE(again.ok());
  REQUIRE(tableOf(*again) == tableOf(m));
}

Map lowered(const std::string& text) {
  const auto value = cute::parse(text);
  REQUIRE(value.ok());
  auto map = std::holds_alternative<cute::Layout>(*value) ? toMap(std::get<cute::Layout>(*value))
                                                          : toMap(std::get<cute::ComposedLayout>(*value));
  REQUIRE(map.ok());
  return *map;
}

Map mapOf(std::vector<Digit> digits, const Expr& axis, std::vector<Guard> guards = {}) {
  auto m = Map::create(std::move(digits), {{"offset", axis, std::nullopt}}, std::move(guards));
  REQUIRE(m.ok());
  return *m;
}

}  // namespace

TEST_CASE("the text of a map in CuTe") {
  const Expr i = Expr::digit(0), j = Expr::digit(1);
  const auto box = [](i64 a, i64 b) {
    return std::vector<Digit>{{"i", a, DigitKind::Index}, {"j", b, DigitKind::Index}};
  };
  for (const char* same : {"(4,8):(8,1)", "8:1", "1:0", "Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<2,1,3> o 4 o (8,8):(8,1)",
                           "Sw<3,3,3> o 0 o (64,64):(72,1)", "(3,5):(-5,2)"})
    CHECK(textOf(lowered(same)) == same);
  CHECK(textOf(lowered("Sw<1,0,-2> o 0 o 2:1")) == "2:5");  // the simplest that says the same
  CHECK(textOf(mapOf(box(4, 4), floorDiv(i, 2) * 8 + mod(i, 2) + j * 2)) == "((2,2),4):((1,8),2)");
  CHECK(textOf(mapOf({{"i", 5, DigitKind::Index}}, i * 4 + 3)) == "Sw<0,0,0> o 3 o 5:4");
  CHECK(textOf(mapOf(box(8, 64), i * 64 + ((floorDiv(j, 8) ^ i) * 8) + mod(j, 8))) == "Sw<3,3,3> o 0 o (8,64):(64,1)");
  CHECK(textOf(mapOf(box(4, 4), i, {{i + j, 0, 3}})).find("padding") != std::string::npos);
  CHECK(
      textOf(mapOf({{"i", 4, DigitKind::Index}, {"r", 2, DigitKind::Fan}}, i + j * 4)).find("r is a range variable") ==
      0);
}

TEST_CASE("every small CuTe layout and swizzle comes back as itself") {
  int layouts = 0;
  for (int b = 0; b <= 2; ++b)
    for (int s : {-3, -2, 2, 3})
      for (const char* inner : {"4:1", "(4,8):(8,1)", "(2,(2,4)):(4,(1,16))", "((2,2),(4,2)):((16,1),(2,32))",
                                "(3,5):(7,1)", "(4,1):(3,0)", "(2,2,2):(0,8,1)", "(8,8):(9,1)"})
        for (const char* offset : {"0", "6"}) {
          comesBack(lowered("Sw<" + std::to_string(b) + ",1," + std::to_string(s) + "> o " + offset + " o " + inner));
          ++layouts;
        }
  CHECK(layouts == 192);
}

TEST_CASE("random cut and swizzled digits, as one mode a digit") {
  std::mt19937_64 rng(19);
  int nested = 0;
  for (int n = 0; n < 400; ++n) {
    const i64 a = i64{1} << (1 + rng() % 3), b = i64{1} << (1 + rng() % 3);
    const Expr i = Expr::digit(0), j = Expr::digit(1);
    const Expr x =
        mod(i, 2) * (i64{1} << rng() % 3) + floorDiv(i, 2) * (i64{8} << rng() % 2) + j * (i64{64} << rng() % 2);
    const Map m = mapOf({{"i", a, DigitKind::Index}, {"j", b, DigitKind::Index}},
                        x ^ (mod(floorDiv(x, 16), 4) * (i64{1} << rng() % 2)));
    comesBack(m);
    nested += textOf(m).find("((") != std::string::npos;
  }
  CHECK(nested > 100);
}
