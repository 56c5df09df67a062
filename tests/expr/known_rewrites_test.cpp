// Every rewrite that XLA's simplifier documents or performs (hlo/analysis/symbolic_expr.cc, indexing_map.cc; facts,
// section 8), each on an expression that needs it. Ours reaches the same result, and is no larger. A ceiling stays -(-x
// floordiv d), which is as good. x mod x is 0 only if x cannot be 0, which XLA does not require.
#include <catch2/catch.hpp>

#include "core/expr/simplify.h"

using namespace tessera;

namespace {

Expr ceiling(const Expr& a, i64 b) { return floorDiv(a * -1, b) * -1; }
Expr number(i64 n) { return Expr::constant(n); }

struct Rewrite {
  const char* name;
  std::vector<Range> box;
  Expr from, to;
};

std::vector<Rewrite> rewrites() {
  const Expr x = Expr::digit(0), y = Expr::digit(1);
  const Expr z = Expr::digit(2);
  const std::vector<Range> wide{{-1000, 1000}, {-1000, 1000}, {-1000, 1000}}, small{{0, 7}, {0, 3}, {0, 9}};
  return {
      // Without ranges.
      {"zero and one", wide, x * 0 + y * 1, y},
      {"factors joined", wide, (x * 3) * 5, x * 15},
      {"distributed", wide, (x + y) * 3 - x * 3, y * 3},
      {"like terms", wide, x * 2 + y + x * 3, x * 5 + y},
      {"common divisor of a quotient", wide, floorDiv(x * 6, 4), floorDiv(x * 3, 2)},
      {"common divisor of a remainder", wide, mod(x * 6, 8), mod(x * 3, 4) * 2},
      {"common divisor of a ceiling", wide, ceiling(x * 6, 4), ceiling(x * 3, 2)},
      {"constant out of a quotient", wide, floorDiv(x * 4 + 9, 8), floorDiv(x, 2) + 1},
      {"negative constant out of a quotient", wide, floorDiv(x * 4 - 7, 8), floorDiv(x, 2) - 1},
      {"multiple out of a quotient", wide, floorDiv(x * 8 + y, 8), x + floorDiv(y, 8)},
      {"multiple out of a remainder", wide, mod(x * 8 + y, 8), mod(y, 8)},
      {"remainder of a remainder", wide, mod(mod(x, 12), 4), mod(x, 4)},
      {"by one", wide, floorDiv(x, 1) + mod(y, 1), x},
      {"by minus one", wide, floorDiv(x, -1), x * -1},
      {"zero divided", wide, floorDiv(number(0), 7) + mod(number(0), 7), number(0)},
      {"the least of two at a distance", wide, least(x + 3, x - 2), x - 2},
      {"the greatest of two at a distance", wide, greatest(x + 3, x - 2), x + 3},
      // With ranges.
      {"one point", {{5, 5}, {0, 3}}, x * 2 + y, y + 10},
      {"remainder in range", {{8, 11}}, mod(x, 4), x - 8},
      {"remainder below range", {{-4, -1}}, mod(x, 4), x + 4},
      {"factor out of a remainder", wide, mod(x * 6, 10), mod(x * 3, 5) * 2},
      {"multiples dropped from a remainder", wide, mod(x * 8 + y + 17, 8), mod(y + 1, 8)},
      {"remainder split", small, mod(x * 4 + y, 16), mod(x, 4) * 4 + y},
      {"quotient of a remainder", wide, floorDiv(mod(x, 12), 4), mod(floorDiv(x, 4), 3)},
      {"quotient of a quotient", wide, floorDiv(floorDiv(x, 3), 4), floorDiv(x, 12)},
      {"multiples and a multiple's part of the constant", wide, floorDiv(x * 8 + y + 17, 8),
       x + floorDiv(y + 1, 8) + 2},
      {"rest below the common divisor", small, floorDiv(x * 4 + y, 8), floorDiv(x, 2)},
      {"constant rest", wide, floorDiv(x * 6 + 9, 18), floorDiv(x * 2 + 3, 6)},
      {"one summand a quotient", small, floorDiv(floorDiv(x, 3) + y, 4), floorDiv(x + y * 3, 12)},
      {"factor of a sum", wide, (x + y + 2) * -3, x * -3 + y * -3 - 6},
      {"remainder and quotient", wide, mod(x, 6) * 5 + floorDiv(x, 6) * 30, x * 5},
      {"remainder and quotient, simplified before", wide, mod(floorDiv(x, 2), 6) + floorDiv(x, 12) * 6, floorDiv(x, 2)},
      {"less its quotient", wide, x * 5 - floorDiv(x, 6) * 30, mod(x, 6) * 5},
      {"remainder and quotient times a term", wide, floorDiv(x, 6) * 6 * y + mod(x, 6) * y, x * y},
      {"the same, the other way round", wide, y * mod(x, 6) * 5 + y * (floorDiv(x, 6) * 30), x * y * 5},
      {"remainder by itself", {{-9, 9}, {0, 3}, {1, 9}}, mod(z, z) + x, x},
      {"quotient by itself", {{-9, 9}, {-3, -1}}, floorDiv(y, y) + x, x + 1},
      {"remainder by itself, which may be 0", wide, mod(x, x), mod(x, x)},
      {"the least by ranges", small, least(y, x + 3), y},
      {"the greatest by ranges", small, greatest(y, x + 3), x + 3},
      {"the least of neither", small, least(y, x), least(y, x)},
  };
}

}  // namespace

TEST_CASE("every rewrite of XLA's simplifier") {
  for (const Rewrite& r : rewrites()) {
    const Environment box{r.box, {}};
    const Expr got = simplified(r.from, box);
    INFO(r.name << ": " << print(r.from) << "  ->  " << print(got) << "   wanted " << print(r.to));
    CHECK(got == simplified(r.to, box));
    CHECK(nodeCount(got) <= nodeCount(r.to));
    CHECK(simplified(got, box) == got);
    std::vector<i64> at;
    for (const Range& range : r.box) at.push_back(range.lo);
    for (int n = 0; n < 2000; ++n) {  // a walk over the box
      if (factsOf(r.from, box).fits) CHECK(evaluate(got, at) == evaluate(r.from, at));
      for (std::size_t k = 0; k < at.size(); ++k)
        at[k] = r.box[k].lo + (at[k] - r.box[k].lo + 7 + 6 * static_cast<i64>(k)) % (r.box[k].hi - r.box[k].lo + 1);
    }
  }
}
