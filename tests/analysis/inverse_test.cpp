// Inverse questions: swizzles, linear maps and permutations that are known, and tables that have none.
#include "core/notation/inverse.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "core/analysis/inverse/inverse_search.h"
#include "core/notation/cute/notation.h"

using namespace tessera;

namespace {

using Ints = std::vector<i64>;
using What = InverseQuestion::What;

cute::Layout stridedRows(i64 rows, i64 columns, i64 pitch) {
  return *cute::ofLeaves({{rows, pitch}, {columns, 1}}, false);
}

Table knownTable(const Layout& layout) {
  const auto table = valueTable(*layout.arrow());
  if (!table) FAIL(table.error().message);
  return *table;
}

InverseAnswer asked(What what, Table target, std::optional<Layout> over = std::nullopt) {
  InverseQuestion q;
  q.what = what;
  q.target = std::move(target);
  q.over = over;
  if (over) q.overTable = knownTable(*over);
  return answerOf(q);
}

}  // namespace

TEST_CASE("a swizzle for a layout is found, with the values of the table") {
  const Layout inner = stridedRows(8, 64, 64);
  const Table in = knownTable(inner);
  for (int b = 0; b <= 3; ++b)
    for (int m = 0; m <= 4; ++m)
      for (int s = -4; s <= 4; ++s) {
        if (std::abs(s) < b || b + m + std::abs(s) > 9) continue;
        const auto swizzle = *cute::Swizzle::make(b, m, s);
        Table out = in;
        for (i64& v : out.values) v = swizzle(v);
        const InverseAnswer answer = asked(What::Swizzle, out, inner);
        REQUIRE(answer.layout);
        CHECK(knownTable(*answer.layout).values == out.values);
      }
}

TEST_CASE("a linear map of the offset's bits is found where no swizzle exists, and its absence is proved") {
  const Layout inner = stridedRows(8, 8, 8);
  Table two = knownTable(inner);
  for (i64& v : two.values) v ^= (v >> 5 & 1) ^ (v >> 3 & 2);
  const InverseAnswer linear = asked(What::Swizzle, two, inner);
  CHECK_FALSE(linear.layout);
  CHECK(linear.text == "offset bits: a0 ^= a5, a1 ^= a4");
  Table carried = knownTable(inner);
  for (i64& v : carried.values) v = (v + 8 * (v % 8)) % 64;
  const InverseAnswer none = asked(What::Swizzle, carried, inner);
  CHECK_FALSE(none.found());
  CHECK(none.none.find("no Sw<B,M,S> maps (8,8):(8,1)") == 0);
  CHECK(none.none.find("no linear map") != std::string::npos);
  CHECK(none.none.find("first at") != std::string::npos);
}

TEST_CASE("a permutation takes the layout to the table, or its absence has a reason") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    const Layout over = stridedRows(4, 4, 5);
    const Table in = knownTable(over);
    Ints order(16);
    std::iota(order.begin(), order.end(), i64{0});
    if (round % 2 == 0) std::shuffle(order.begin(), order.end(), random);
    Table out = in;
    for (std::size_t n = 0; n < 16; ++n) out.values[n] = in.values[static_cast<std::size_t>(order[n])];
    const InverseAnswer answer = asked(What::Permutation, out, over);
    REQUIRE(answer.found());
    if (answer.layout) {
      const Table p = knownTable(*answer.layout);
      CHECK(p.values == order);
    } else {
      std::string list = "[";
      for (const i64 n : order) list += (list.size() > 1 ? ", " : "") + std::to_string(n);
      CHECK(answer.text == list + "]");
    }
  }
  CHECK(asked(What::Permutation, {{4}, {2, 0, 1, 2}}).none == "no permutation exists: 0 and 3 both give 2");
  CHECK(asked(What::Permutation, {{4}, {2, 0, 1, 4}}).none ==
        "no permutation exists: 4 at 3 is not a value of the numbers below 4");
  const Layout twice = *cute::ofLeaves({{2, 1}, {2, 0}}, false);
  CHECK(asked(What::Permutation, {{2, 2}, {0, 1, 0, 1}}, twice).none.find("are not determined") != std::string::npos);
}

TEST_CASE("the layout of a table is found, or none is proved") {
  CHECK(print(*asked(What::Layout, {{8}, {0, 8, 1, 9, 2, 10, 3, 11}}).layout) == "(2,4):(8,1)");
  CHECK(print(*asked(What::Swizzle, {{2, 2}, {0, 3, 1, 2}}).layout) == "Sw<1,0,1> o 0 o (2,2):(2,1)");
  const InverseAnswer none = asked(What::Layout, {{5}, {0, 1, 2, 3, 9}});
  CHECK_FALSE(none.found());
  CHECK(none.none.find("no Sw<B,M,S> o offset o shape:stride gives these 5 values") == 0);
  CHECK(none.none.find("first at 4: 4 instead of 9") != std::string::npos);
}
