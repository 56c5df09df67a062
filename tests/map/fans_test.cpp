// Removing Fan digits keeps the sets.
#include <catch2/catch.hpp>
#include <random>

#include "core/map/domain/variables.h"

using namespace tessera;

TEST_CASE("merged replicas have the same places, and there are no more of them") {
  std::mt19937_64 rng(17);
  const auto pick = [&](i64 n) { return static_cast<i64>(rng() % static_cast<u64>(n)); };
  int fewer = 0;
  for (int n = 0; n < 2000; ++n) {
    std::vector<Digit> digits = {{"x", 1 + pick(4), DigitKind::Index}};
    std::vector<Expr> values(1 + rng() % 2);
    values[0] = mod(Expr::digit(0), 3) * pick(5);
    for (i64 k = pick(4); k > 0; --k) {
      const Expr d = Expr::digit(static_cast<int>(digits.size()));
      digits.push_back({"r" + std::to_string(k), 1 + pick(4), DigitKind::Fan});
      for (Expr& v : values) v = v + (pick(8) == 0 ? floorDiv(d, 2) * 3 : d * (pick(7) - 2) * (1 + pick(2)));
    }
    std::vector<Axis> axes;
    for (std::size_t a = 0; a < values.size(); ++a) axes.push_back({"a" + std::to_string(a), values[a], {}});
    std::vector<Guard> guards;
    if (pick(4) == 0) guards.push_back({Expr::digit(static_cast<int>(digits.size()) - 1) + Expr::digit(0), 0, 3});
    const auto f = Map::create(digits, axes, guards);
    REQUIRE(f.ok());
    const Map g = withFewerFans(*f);
    INFO(print(*f));
    INFO(print(g));
    for (i64 x = 0; x < digits[0].extent; ++x)
      REQUIRE(g.imageOf(std::vector<i64>{x}) == f->imageOf(std::vector<i64>{x}));
    REQUIRE(g.fanDigits().size() <= f->fanDigits().size());
    fewer += g.fanDigits().size() < f->fanDigits().size();
  }
  CHECK(fewer > 500);
}
