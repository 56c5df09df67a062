// Indexing maps: parsing and printing, and simplified and compose against enumeration of the domain.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "core/notation/indexing/map.h"

using namespace tessera;

namespace {

indexing::IndexingMap read(const std::string& text) {
  auto map = indexing::parse(text);
  INFO(text);
  if (!map) FAIL(map.error().message);
  return *map;
}

using Ints = std::vector<i64>;

// Every point of the domain, in coordinates, with its image: the obvious meaning.
std::map<Ints, Ints> table(const indexing::IndexingMap& indexing) {
  const Map& map = indexing.map;
  std::map<Ints, Ints> out;
  Ints extents;
  for (const Digit& d : map.digits()) extents.push_back(d.extent);
  for (const Param& p : map.params()) extents.push_back(p.hi - p.lo + 1);
  i64 points = 1;
  for (const i64 n : extents) points *= n;
  for (i64 n = 0; n < points; ++n) {
    Ints point = delinearize(n, extents, LinearOrder::Colex);
    const auto digits = static_cast<std::ptrdiff_t>(map.digits().size());
    Ints params(point.begin() + digits, point.end());
    for (std::size_t k = 0; k < params.size(); ++k) params[k] += map.params()[k].lo;
    const Ints d(point.begin(), point.begin() + digits);
    if (!map.isReal(d, params)) continue;
    std::copy(params.begin(), params.end(), point.begin() + digits);
    for (std::size_t k = 0; k < d.size(); ++k) point[k] += map.digits()[k].lo;
    out[point] = map.at(d, params);
  }
  return out;
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
  switch (pick(9)) {
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
    case 7:
      return "max(" + a + ", " + n + ")";
    case 8:
      return "(" + a + ") xor (" + expression(rng, names, depth - 1) + ")";
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
           "(d0) -> (min(d0, 5), max(d0 - 2, 0)), domain: d0 in [-3, 9]",
           "(d0, d1) -> ((d0 + d1 * 8) xor (d1 floordiv 4)), domain: d0 in [1, 9], d1 in [2, 9]",
           "(d0) -> (lane: d0 * 4, d0 mod 4), domain: d0 in [3, 9], (d0) in [3, 7]",
           "(d0, d1) -> ((d0 - 1) * 8 + d1), domain: d0 in [1, 2], d1 in [-9223372036854775807, -9223372036854775801]",
           "KNOWN EMPTY",
           "UNDEFINED",
       }) {
    INFO(text);
    CHECK(print(read(text)) == text);
  }
  CHECK(print(read("(d0) -> (d0 / 4), domain: d0 in [0, 3], is_simplified: true")) ==
        "(d0) -> (d0 floordiv 4), domain: d0 in [0, 3]");
  CHECK(print(read("(d0) -> (d0), domain: d0 in [0, 3],")) == "(d0) -> (d0), domain: d0 in [0, 3]");
  CHECK(print(read("(d0) -> (d0), domain: d0 in [0, -1]")) == "KNOWN EMPTY");
  CHECK(print(read("(d0) -> (d0), domain: d0 in [0, 9], d0 in [3, 12]")) == "(d0) -> (d0), domain: d0 in [3, 9]");
}

TEST_CASE("what is no indexing map is refused with its place") {
  for (const char* text :
       {"(d0) -> (d0)", "(d0) -> (d0), domain: d1 in [0, 3]", "(d0) -> (2d0), domain: d0 in [0, 3]",
        "(d0, d0) -> (d0), domain: d0 in [0, 3]", "(d0) -> (d0 mod 0), domain: d0 in [0, 3]",
        "(d0) -> (d0, domain: d0 in [0, 3]", "(d0) -> (x), domain: d0 in [0, 3]", "(d0) -> (d0), domain: d0 in [0]",
        "(d0) -> (d0 << d0), domain: d0 in [0, 3]", "(d0) -> (4 / d0), domain: d0 in [0, 3]",
        "(d0) -> (d0 && 1), domain: d0 in [0, 3]", "(d0) -> (d0 << 63), domain: d0 in [0, 3]",
        "(d0) -> (sin(d0)), domain: d0 in [0, 3]", "(d0) -> (d0), domain: d0 in [0, 3] x"}) {
    INFO(text);
    const auto map = indexing::parse(text);
    REQUIRE_FALSE(map.ok());
    CHECK_FALSE(map.error().span.empty());
    CHECK(map.error().span.end <= std::string_view(text).size() + 1);
  }
}

TEST_CASE("min, max and ceildiv have their values") {
  const auto at = [](const std::string& e, i64 x, i64 y) {
    const indexing::IndexingMap map = read("(a, b) -> (" + e + "), domain: a in [-9, 9], b in [-9, 9]");
    return map.map.at(Ints{x + 9, y + 9})[0];
  };
  for (i64 x = -9; x <= 9; ++x) {
    for (i64 y = -9; y <= 9; ++y) {
      CHECK(at("min(a, b)", x, y) == std::min(x, y));
      CHECK(at("max(a, b, 2)", x, y) == std::max({x, y, i64{2}}));
      CHECK(at("a ceildiv 4", x, y) == (x > 0 ? (x + 3) / 4 : -(-x / 4)));
      CHECK(at("a mod -4", x, y) == -(((-x % 4) + 4) % 4));
    }
  }
}

TEST_CASE("simplified keeps every point and its image") {
  std::mt19937 rng(11);
  int emptyFound = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string text = randomMap(rng, 1 + static_cast<int>(rng() % 2), 2);
    INFO(text);
    const indexing::IndexingMap map = read(text);
    CHECK(print(read(print(map))) == print(map));
    CHECK(table(read(print(map))) == table(map));
    const indexing::IndexingMap simple = simplified(map);
    INFO(print(simple));
    CHECK(table(simple) == table(map));
    CHECK(simple.map.isEmpty() == table(map).empty());  // small boxes are looked at point by point
    emptyFound += simple.map.isEmpty() ? 1 : 0;
    if (simple.map.isEmpty()) continue;
    CHECK(simplified(simple) == simple);
    const auto lowered = toMap(map);
    REQUIRE(lowered.ok());
    CHECK(table(indexing::toIndexingMap(*lowered)).size() == table(map).size());
  }
  CHECK(emptyFound > 20);
}

TEST_CASE("compose is second after first, and only where first stays in second's box") {
  std::mt19937 rng(5);
  int points = 0;
  for (int round = 0; round < 600; ++round) {
    const indexing::IndexingMap first = read(randomMap(rng, 2, 2)), second = read(randomMap(rng, 2, 1));
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
