// The laws of operations on indexing maps, on random maps, against enumeration of the domain.
#include <set>

#include "core/base/arith.h"
#include "core/map/compose.h"
#include "core/map/domain/domain_size.h"
#include "core/map/domain/narrow.h"
#include "core/map/domain/variables.h"
#include "tests/support/indexing_maps.h"

using namespace tessera;

namespace {

// The sets of values by what is at `kept` of each point.
std::map<Ints, std::set<Ints>> imagesBy(const Map& map, const std::vector<std::size_t>& kept) {
  std::map<Ints, std::set<Ints>> out;
  for (const auto& [at, value] : tableOf(map)) {
    Ints key;
    for (const std::size_t k : kept) key.push_back(at[k]);
    out[key].insert(value);
  }
  return out;
}

std::vector<std::size_t> places(std::size_t from, std::size_t to) {
  std::vector<std::size_t> out;
  for (; from < to; ++from) out.push_back(from);
  return out;
}

}  // namespace

TEST_CASE("simplified keeps the points, is done at once, is never larger") {
  RandomMaps random(23);
  int narrower = 0, empty = 0;
  for (int round = 0; round < 800; ++round) {
    const std::string text = random.text(true);
    INFO(text);
    const Map map = indexingMap(text).map, simple = simplified(map);
    INFO(print(simple));
    REQUIRE(tableOf(simple) == tableOf(map));
    empty += simple.isEmpty() ? 1 : 0;
    if (simple.isEmpty()) continue;
    CHECK(simplified(simple) == simple);
    CHECK(print(simplified(indexingMap(print(simple)).map)) == print(simple));
    CHECK(sizeOfMap(simple) <= sizeOfMap(map));
    CHECK(simple.guards().size() <= map.guards().size());
    narrower += rangesOf(simple) != rangesOf(map) ? 1 : 0;
  }
  CHECK(narrower > 120);
  CHECK(empty > 300);
}

TEST_CASE("what is printed as a difference is read as the same sum, and is simplified no further") {
  for (const char* text : {"(d0) -> (d0 floordiv (-3) - d0 * 2), domain: d0 in [7, 19]",
                           "(d0, d1) -> (d1 floordiv (-2) - d0 * 2 * 3), domain: d0 in [0, 4], d1 in [-9, 9]"}) {
    const Map map = indexingMap(text).map, simple = simplified(map);
    CHECK(print(map) == text);
    CHECK(sizeOfMap(simple) <= sizeOfMap(map));
    CHECK(print(simplified(indexingMap(print(simple)).map)) == print(simple));
  }
}

TEST_CASE("a congruence holds exactly where its constraint does") {
  const Expr x = Expr::digit(0);
  for (i64 m = 1; m <= 9; ++m)
    for (i64 c = -7; c <= 7; ++c)
      for (i64 k = -3; k <= 3; ++k)
        for (i64 r = -1; r <= m; ++r) {
          const Guard g{mod(x * c + k, m), r, r};
          const auto found = congruenceOf(g);
          if (!found) continue;  // nothing of x is left
          for (i64 at = -12; at <= 12; ++at) {
            const bool meets = evaluate(g.value, Ints{at}) == r;
            REQUIRE(meets == (found->possible() && floorMod(at - found->remainder, found->modulus) == 0));
          }
        }
}

TEST_CASE("two congruences hold where both do") {
  const Expr x = Expr::digit(0);
  for (i64 m = 1; m <= 12; ++m)
    for (i64 n = 1; n <= 12; ++n)
      for (i64 r = 0; r < m; ++r)
        for (i64 s = 0; s < n; ++s) {
          const Congruence a{x, m, r}, b{x, n, s};
          const auto one = both(a, b);
          REQUIRE(one);
          for (i64 at = 0; at < m * n; ++at) {
            const bool meets = at % m == r && at % n == s;
            REQUIRE(meets == (one->possible() && floorMod(at - one->remainder, one->modulus) == 0));
          }
        }
  CHECK_FALSE(both(Congruence{x, INT64_MAX, 1}, Congruence{x, INT64_MAX - 1, 1}));
  CHECK(both(Congruence{x, INT64_MAX, 7}, Congruence{x, INT64_MAX, 7})->modulus == INT64_MAX);
}

TEST_CASE("rescaled keeps the sets at every index") {
  RandomMaps random(31);
  int other = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::string text = random.text();
    INFO(text);
    const Map map = indexingMap(text).map, scaled = rescaled(map);
    INFO(print(scaled));
    const auto dims = places(0, map.indexDigits().size());
    REQUIRE(imagesBy(scaled, dims) == imagesBy(map, dims));
    CHECK(tableOf(scaled).size() == tableOf(map).size());
    other += !scaled.isEmpty() && rangesOf(scaled) != rangesOf(map) ? 1 : 0;
  }
  CHECK(other > 60);
}

TEST_CASE("the size of a domain is the number of its points") {
  RandomMaps random(37);
  for (int round = 0; round < 800; ++round) {
    const std::string text = random.text();
    INFO(text);
    const Map map = indexingMap(text).map;
    const auto size = domainSize(map);
    REQUIRE(size.ok());
    REQUIRE(*size == static_cast<i64>(tableOf(map).size()));
  }
}

TEST_CASE("the size of a wide domain") {
  const auto sizeOf = [](const std::string& text) { return domainSize(indexingMap(text).map); };
  CHECK(*sizeOf("(d0) -> (d0), domain: d0 in [0, 1000000000000], d0 mod 3 in [1, 1]") == 333333333334);
  CHECK(*sizeOf("(d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 1000000000000000]") == 10000000000000010);
  CHECK(*sizeOf("(a, b) -> (a), domain: a in [0, 999999999999], b in [0, 99], a * 3 + b * 7 in [0, 999999999999], "
                "(a + b) mod 5 in [2, 2]") > 0);
  CHECK(*sizeOf("(d0) -> (d0), domain: d0 in [5, 3]") == 0);
  CHECK_FALSE(sizeOf("(d0){rt0} -> (d0), domain: d0 in [0, 9], rt0 in [0, 3], d0 + rt0 in [0, 5]").ok());
  CHECK_FALSE(sizeOf("(a, b) -> (a), domain: a in [0, 9999999999999], b in [0, 9999999999999]").ok());
  CHECK_FALSE(sizeOf("(a, b) -> (a), domain: a in [0, 99999999], b in [0, 99999999], (a xor b) mod 3 in [1, 1]").ok());
}

TEST_CASE("what nothing needs is taken away, and what is left has the same sets") {
  RandomMaps random(41);
  int fewer = 0;
  for (int round = 0; round < 800; ++round) {
    const std::string text = random.text(true);
    const bool dims = round % 2 == 0;
    INFO(text);
    const Map map = indexingMap(text).map, less = withoutUnneeded(map, dims);
    INFO(print(less));
    if (less.isEmpty()) {
      CHECK(tableOf(map).empty());
      continue;
    }
    // Every point of the remaining dimensions has an old point, and the other way round.
    std::set<Ints> all, now;
    for (const auto& [at, value] : tableOf(map)) all.insert(value);
    for (const auto& [at, value] : tableOf(less)) now.insert(value);
    CHECK(all == now);
    if (!dims) {
      const auto asked = places(0, map.indexDigits().size());
      CHECK(imagesBy(less, asked) == imagesBy(map, asked));
    }
    fewer += rangesOf(less).size() < rangesOf(map).size() ? 1 : 0;
  }
  CHECK(fewer > 300);
}

TEST_CASE("symbols as dimensions are the same points") {
  RandomMaps random(43);
  for (int round = 0; round < 500; ++round) {
    const std::string text = random.text(true);
    INFO(text);
    const Map map = indexingMap(text).map;
    const auto all = symbolsAsDims(map);
    REQUIRE(all.ok());
    CHECK(tableOf(*all) == tableOf(map));
    CHECK(all->params().empty());
    CHECK(all->fanDigits().empty());
    CHECK(print(indexingMap(print(*all)).map) == print(*all));
    if (map.fanDigits().empty()) continue;
    const auto one = rangesAsDims(map, Ints{static_cast<i64>(map.fanDigits().size()) - 1});
    REQUIRE(one.ok());
    CHECK(tableOf(*one).size() == tableOf(map).size());
    CHECK(one->fanDigits().size() + 1 == map.fanDigits().size());
  }
  CHECK_FALSE(rangesAsDims(indexingMap("(d0) -> (d0), domain: d0 in [0, 3]").map, Ints{0}).ok());
  CHECK_FALSE(rangesAsDims(indexingMap("(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3]").map, Ints{0, 0}).ok());
}
