// Indexing maps: text both ways, and simplified and compose against enumeration of the domain.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "core/notation/indexing/map.h"

using namespace tessera;

namespace {

IndexingMap read(const std::string& text) {
  auto map = parseIndexingMap(text);
  INFO(text);
  if (!map) FAIL(map.error().message);
  return *map;
}

using Ints = std::vector<i64>;

// Every point of the box with its image, constraints applied: the obvious meaning.
std::map<Ints, Ints> table(const IndexingMap& map) {
  std::map<Ints, Ints> out;
  std::vector<IndexingVariable> all = map.dims;
  all.insert(all.end(), map.ranges.begin(), map.ranges.end());
  const std::size_t digits = all.size();
  all.insert(all.end(), map.runtimes.begin(), map.runtimes.end());
  if (map.empty) return out;
  Ints point;
  for (const IndexingVariable& v : all) {
    if (v.lo > v.hi) return out;
    point.push_back(v.lo);
  }
  for (;;) {
    const Ints d(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(digits));
    const Ints p(point.begin() + static_cast<std::ptrdiff_t>(digits), point.end());
    if (std::all_of(map.constraints.begin(), map.constraints.end(), [&](const Guard& g) {
          const i64 v = evaluate(g.value, d, p);
          return g.lo <= v && v <= g.hi;
        })) {
      Ints image;
      for (const Expr& e : map.results) image.push_back(evaluate(e, d, p));
      out[point] = image;
    }
    std::size_t k = 0;
    for (; k < all.size(); ++k) {
      if (++point[k] <= all[k].hi) break;
      point[k] = all[k].lo;
    }
    if (k == all.size()) return out;
  }
}

// A random expression over the variables, as text.
std::string expression(std::mt19937& rng, const std::vector<std::string>& names, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  if (depth == 0 || pick(3) == 0) {
    return pick(3) == 0 ? std::to_string(pick(9) - 3)
                        : names[static_cast<std::size_t>(pick(static_cast<int>(names.size())))];
  }
  const std::string a = expression(rng, names, depth - 1);
  const std::string n = std::to_string(pick(5) + 1);
  switch (pick(7)) {
    case 0:
      return "(" + a + ") floordiv " + n;
    case 1:
      return "(" + a + ") mod " + n;
    case 2:
      return "(" + a + ") * " + n;
    case 3:
      return "min(" + a + ", " + expression(rng, names, depth - 1) + ")";
    case 4:
      return "(" + a + ") ceildiv " + n;
    case 5:
      return "(" + a + ") - (" + expression(rng, names, depth - 1) + ")";
    default:
      return a + " + " + expression(rng, names, depth - 1);
  }
}

std::string randomMap(std::mt19937& rng, int dims, int results) {
  const auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  std::vector<std::string> names;
  std::string head, ranges, domain, out;
  for (int k = 0; k < dims; ++k) {
    names.push_back("d" + std::to_string(k));
    head += (k == 0 ? "" : ", ") + names.back();
  }
  if (pick(2) == 0) {
    names.emplace_back("s0");
    ranges = "[s0]";
  }
  for (const std::string& name : names) {
    const int lo = pick(4) - 2;
    domain +=
        (domain.empty() ? "" : ", ") + name + " in [" + std::to_string(lo) + ", " + std::to_string(lo + pick(6)) + "]";
  }
  for (int k = pick(3); k > 0; --k) {
    const int lo = pick(6) - 2;
    domain +=
        ", (" + expression(rng, names, 2) + ") in [" + std::to_string(lo) + ", " + std::to_string(lo + pick(8)) + "]";
  }
  for (int k = 0; k < results; ++k) out += (k == 0 ? "" : ", ") + expression(rng, names, 2);
  return "(" + head + ")" + ranges + " -> (" + out + "), domain: " + domain;
}

}  // namespace

TEST_CASE("the text of indexing maps goes both ways") {
  for (const char* text : {
           "() -> ()",
           "(d0, d1) -> (d0 mod 2 + d1), domain: d0 in [0, 3], d1 in [-4, 4]",
           "(d0, d1)[s0]{rt0} -> (d0, s0 + 3, d1 + rt0), domain: d0 in [0, 9], d1 in [0, 4], s0 in [0, 1], rt0 in [0, "
           "6], "
           "d0 + s0 in [0, 9]",
           "(th_x, bl_x)[s0]{gpu} -> (th_x * gpu + bl_x, s0), domain: th_x in [0, 3], bl_x in [0, 4], s0 in [0, 1], "
           "gpu in "
           "[0, 1], bl_x + s0 in [0, 45]",
           "(bl_x) -> (bl_x floordiv 100663296), domain: bl_x in [0, 2415919103]",
           "(d0) -> (d0), domain: d0 in [0, -1]",
           "KNOWN EMPTY",
           "UNDEFINED",
       }) {
    INFO(text);
    CHECK(print(read(text)) == text);
  }
  CHECK(print(read("(d0) -> (d0 / 4), domain: d0 in [0, 3], is_simplified: true")) ==
        "(d0) -> (d0 floordiv 4), domain: d0 in [0, 3]");
  CHECK(print(read("(d0) -> (d0), domain: d0 in [0, 3],")) == "(d0) -> (d0), domain: d0 in [0, 3]");
  CHECK(print(read("(d0) -> (d0), domain: d0 in [0, 9], d0 in [3, 12]")) == "(d0) -> (d0), domain: d0 in [3, 9]");
}

TEST_CASE("what is no indexing map is refused with its place") {
  for (const char* text : {"(d0) -> (d0)", "(d0) -> (d0), domain: d1 in [0, 3]", "(d0) -> (2d0), domain: d0 in [0, 3]",
                           "(d0, d0) -> (d0), domain: d0 in [0, 3]", "(d0) -> (d0 mod 0), domain: d0 in [0, 3]",
                           "(d0) -> (d0, domain: d0 in [0, 3]", "(d0) -> (x), domain: d0 in [0, 3]",
                           "(d0) -> (d0), domain: d0 in [0]", "(d0) -> (d0), domain: d0 in [0, 3] x"}) {
    INFO(text);
    const auto map = parseIndexingMap(text);
    REQUIRE_FALSE(map.ok());
    CHECK_FALSE(map.error().span.empty());
    CHECK(map.error().span.end <= std::string_view(text).size() + 1);
  }
}

TEST_CASE("min, max and ceildiv have their values") {
  const auto at = [](const std::string& e, i64 x, i64 y) {
    const IndexingMap map = read("(a, b) -> (" + e + "), domain: a in [-9, 9], b in [-9, 9]");
    return evaluate(map.results[0], Ints{x, y});
  };
  for (i64 x = -9; x <= 9; ++x) {
    for (i64 y = -9; y <= 9; ++y) {
      CHECK(at("min(a, b)", x, y) == std::min(x, y));
      CHECK(at("max(a, b, 2)", x, y) == std::max({x, y, i64{2}}));
      CHECK(at("a ceildiv 4", x, y) == (x > 0 ? (x + 3) / 4 : -(-x / 4)));
      CHECK(at("a mod -4", x, y) == ((x % 4) + 4) % 4);
    }
  }
}

TEST_CASE("simplified keeps every point and its image") {
  std::mt19937 rng(11);
  int emptyFound = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string text = randomMap(rng, 1 + static_cast<int>(rng() % 2), 2);
    INFO(text);
    const IndexingMap map = read(text);
    CHECK(print(read(print(map))) == print(map));
    CHECK(table(read(print(map))) == table(map));
    const IndexingMap simple = simplified(map);
    INFO(print(simple));
    CHECK(table(simple) == table(map));
    CHECK(simple.empty == table(map).empty());  // small boxes are looked at point by point
    emptyFound += simple.empty ? 1 : 0;
    if (simple.empty) continue;
    const auto lowered = toMap(map);
    REQUIRE(lowered.ok());
    CHECK(table(toIndexingMap(*lowered)).size() == table(map).size());
  }
  CHECK(emptyFound > 20);
}

TEST_CASE("compose is second after first, and only where first stays in second's box") {
  std::mt19937 rng(5);
  int points = 0;
  for (int round = 0; round < 600; ++round) {
    const IndexingMap first = read(randomMap(rng, 2, 2)), second = read(randomMap(rng, 2, 1));
    const auto both = compose(first, second);
    REQUIRE(both.ok());
    // The law, point by point: dims and ranges of first, ranges of second.
    std::map<Ints, Ints> want;
    const auto f = table(first), g = table(second);
    for (const auto& [x, y] : f) {
      for (const auto& [u, v] : g) {
        if (!std::equal(y.begin(), y.end(), u.begin())) continue;
        Ints point(x.begin(), x.begin() + 2);
        point.insert(point.end(), u.begin() + 2, u.end());
        point.insert(point.end(), x.begin() + 2, x.end());
        want[point] = v;
      }
    }
    INFO(print(first) << "\n" << print(second) << "\n" << print(*both));
    CHECK(table(*both) == want);
    points += static_cast<int>(want.size());
  }
  CHECK(points > 1000);
}
