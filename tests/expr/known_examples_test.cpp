// The simplifier on published examples: XLA's simplifier tests and documentation, and Graphene's list.
//
// Each row must simplify to the same expression as the published answer, and must not be larger than it.
#include <catch2/catch.hpp>

#include "core/expr/simplify.h"

using namespace tessera;

namespace {

const Expr d0 = Expr::digit(0), d1 = Expr::digit(1), d2 = Expr::digit(2), d3 = Expr::digit(3);
Expr div(const Expr& a, i64 b) { return floorDiv(a, b); }

struct Row {
  const char* name;
  std::vector<Range> box;
  Expr from, to;
};

std::vector<Row> rows() {
  const Expr flat = d0 * 100 + d1 * 10 + d2, block = d0 * 16 + d1 * 4 + d2, reversed = d0 * -11 - d1 + 109;
  const std::vector<Range> nine(3, Range{0, 8}), ten(3, Range{0, 9}), rev{{0, 7}, {0, 8}};
  return {
      // xla/hlo/analysis/indexing_map_test.cc, SymbolicMapSimplification_*
      {"FloorDivRegression", {{0, 11}, {0, 5}}, div(div(d0, 3) * 3 + div(d1, 2), 6), div(d0, 6)},
      {"ModIsSub", {{53, 71}}, mod(d0, 42), d0 - 42},
      {"ModIsAdd", {{-5, -1}}, mod(d0, 5), d0 + 5},
      {"ModIsNotAdd.0", {{-4, 0}}, mod(d0, 5), mod(d0, 5)},
      {"ModIsNotAdd.1", {{-6, -1}}, mod(d0, 5), mod(d0, 5)},
      {"SubIsMod", {{0, 1}, {0, 3}}, d0 - div(d1, 3) * 3 + d1, mod(d1, 3) + d0},
      {"SubIsModSum", {{0, 1}, {0, 3}}, d0 + 1 - div(d1 + 1, 3) * 3 + d1, mod(d1 + 1, 3) + d0},
      {"SubIsModMultiplied", {{0, 1}, {0, 3}}, d0 - div(d1, 3) * 12 + d1 * 7, mod(d1, 3) * 4 + d1 * 3 + d0},
      {"DivsAndModsIfSmallerThanDivisor", {{0, 7}, {0, 15}}, d0 + div(d1, 16), d0},
      {"DivsAndModsWithMultipliers.0", nine, div(flat, 100), d0},
      {"DivsAndModsWithMultipliers.1", nine, div(mod(flat, 100), 10), d1},
      {"DivsAndModsWithDivisibleMultipliers.0", ten, div(block, 8), d0 * 2 + div(d1 * 4 + d2, 8)},
      {"DivsAndModsWithDivisibleMultipliers.1", ten, mod(block, 8), mod(d1 * 4 + d2, 8)},
      {"DivsAndModsWithReverse.0", rev, div(reversed, 11) * -1 + 9, d0},
      {"DivsAndModsWithReverse.1", rev, d0 * 11 + d1 + div(reversed, 11) * 11 - 99, d1},
      {"SimplifyReshape", {{0, 127}}, mod(d0 * 128, 715) + div(d0 * 128, 715) * 715, d0 * 128},
      {"SimplifyBitcastAndBack",
       {{0, 3071}, {0, 127}},
       div(d0, 1536) * 786432 + mod(div(d0 * 2 + div(d1, 64), 3), 1024) * 768 + mod(d0 * 2 + div(d1, 64), 3) * 256 +
           mod(d1, 64) * 4,
       d0 * 512 + d1 * 4},
      {"DivsInSequence", {{0, 1233}}, d0 - div(div(d0, 2), 7) * 14 + div(d0, 14) * 14, d0},
      {"ModAddDistributive", {{0, 99}, {0, 99}}, mod(d0 * 2 + d1, 2), mod(d1, 2)},
      {"FloorDivModLinear", {{0, 99}}, div(d0, 16) * 16 + mod(d0, 16), d0},
      {"DivDiv", {{0, 1233}, {0, 127}}, div(d0 * 2 + div(d1, 64), 3), div(d0 * 128 + d1, 192)},
      {"DivSumConstant", {{0, 1233}}, div(d0 * 6 + 9, 18), div(d0 * 2 + 3, 6)},
      {"DivSumDiv", {{0, 1233}, {0, 127}}, div(div(d0, 3) + div(d1, 3), 6), div(div(d0, 3) + div(d1, 3), 6)},
      {"SumDivToNegativeOne", {{0, 4}}, div(d0 * 16 - 497, 512), Expr::constant(-1)},
      {"ExtractFromMod",
       {{0, 871}, {0, 3}, {0, 127}, {0, 895}},
       mod(d0 * 458752 + d1 + d2 * 4 + d3 * 512, 20000),
       mod(d0 * 114688 + d3 * 128 + d2, 5000) * 4 + d1},
      // The documentation's: facts section 13, simplifier examples 1 to 4.
      {"doc 1a", {{0, 6}, {0, 14}}, d0 + div(d1, 16), d0},
      {"doc 1b", {{0, 6}, {0, 14}}, mod(d1, 16), d1},
      {"doc 2a", ten, div(flat, 100), d0},
      {"doc 2b", ten, div(mod(flat, 100), 10), d1},
      {"doc 2c", ten, mod(d2, 10), d2},
      {"doc 3a", ten, div(block, 8), d0 * 2 + div(d1 * 4 + d2, 8)},
      {"doc 3b", ten, mod(block, 8), mod(d1 * 4 + d2, 8)},
      {"doc 4", {{0, 9}, {0, 10}}, div(reversed, 11) * -1 + 9, d0},
      // Graphene: section 7 item 4, and the checked pairs. Ranges there are half-open.
      {"x / 1", {{0, 99}}, div(d0, 1), d0},
      {"x % 1", {{0, 99}}, mod(d0, 1), Expr::constant(0)},
      {"0 * x", {{0, 99}}, d0 * 0, Expr::constant(0)},
      {"constant folding", {{0, 99}}, d0 + Expr::constant(6) * 7 - 2, d0 + 40},
      {"M % 256, M < 256", {{0, 255}}, mod(d0, 256), d0},
      {"x / n, x < n", {{0, 6}}, div(d0, 7), Expr::constant(0)},
      {"(t / 8) % 4", {{0, 31}}, mod(div(d0, 8), 4), div(d0, 8)},
      {"(b * 8 + i) / 8", {{0, 15}, {0, 7}}, div(d0 * 8 + d1, 8), d0},
      {"(b * 8 + i) % 8", {{0, 15}, {0, 7}}, mod(d0 * 8 + d1, 8), d1},
      {"(a * n + b) / n, b any", {{0, 15}, {0, 99}}, div(d0 * 8 + d1, 8), d0 + div(d1, 8)},
      {"(t / 8) / 2", {{0, 255}}, div(div(d0, 8), 2), div(d0, 16)},
      {"(t % 32) / 8", {{0, 255}}, div(mod(d0, 32), 8), mod(div(d0, 8), 4)},
      {"(t % 32) % 8", {{0, 255}}, mod(mod(d0, 32), 8), mod(d0, 8)},
      {"(t / 8) * 8 + t % 8", {{0, 255}}, div(d0, 8) * 8 + mod(d0, 8), d0},
      {"ldmatrix rows",
       {{0, 1023}},
       mod(div(d0, 16), 2) * 128 + mod(div(d0, 8), 2) * 8 + mod(d0, 8) * 16,
       mod(div(d0, 16), 2) * 128 + mod(div(d0, 8), 2) * 8 + mod(d0, 8) * 16},
      {"(a * 128 + b * 8 + c) / 128", {{0, 7}, {0, 15}, {0, 7}}, div(d0 * 128 + d1 * 8 + d2, 128), d0},
      {"(x * 6) / 4", {{0, 63}}, div(d0 * 6, 4), div(d0 * 3, 2)},
      {"(x * 6) % 4", {{0, 63}}, mod(d0 * 6, 4), mod(d0, 2) * 2},  // their 3x mod 2 is x mod 2
      // Sums, signs, bits.
      {"like terms", {{0, 9}, {0, 9}}, (d0 + d1) * 3 - d0 * 2 - d1 * 3, d0},
      {"x xor x", {{0, 9}}, (d0 + 1) ^ (d0 + 1), Expr::constant(0)},
      {"floordiv of xor", {{0, 63}, {0, 63}}, div((d0 * 8) ^ d1, 8), d0 ^ div(d1, 8)},
      {"xor scaled and masked", {{0, 63}, {0, 63}}, mod((d0 ^ d1) * 4, 8), mod(d0, 2) * 4 ^ (mod(d1, 2) * 4)},
  };
}

}  // namespace

TEST_CASE("the published examples reach the published answer") {
  for (const Row& r : rows()) {
    const Environment box{r.box, {}};
    const Expr got = simplified(r.from, box);
    INFO(r.name << ": " << print(r.from) << "  ->  " << print(got) << "   wanted " << print(r.to));
    CHECK(got == simplified(r.to, box));
    CHECK(nodeCount(got) <= nodeCount(r.to));
  }
}

TEST_CASE("a step that would overflow is not taken") {
  // (x mod 4)*2^61 fits, x*2^61 does not: mod-of-scaled-mod must leave it alone.
  const Environment box{{{0, i64{1} << 40}, {0, 3}}, {}};
  const Expr exprs[] = {mod(mod(d0, 4) * (i64{1} << 60) + d1, i64{1} << 62), floorDiv(d0, -3),
                        (d0 * (i64{1} << 22) + d1) - d0 * (i64{1} << 22) + d0 * (i64{1} << 22),
                        (mod(d0, 2) ^ mod(d0, 4)) * (i64{1} << 61)};
  for (const Expr& e : exprs) {
    const bool fits = factsOf(e, box).fits;
    const Expr s = simplified(e, box);
    INFO(print(e) << "  ->  " << print(s));
    CHECK((!fits || factsOf(s, box).fits));
    for (const i64 x : {i64{0}, i64{3}, i64{1} << 40, (i64{1} << 39) + 7}) {
      const std::vector<i64> p{x, 2};
      CHECK(evaluate(s, p) == evaluate(e, p));
    }
  }
}
