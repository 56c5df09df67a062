// The simplifier's steps: each is an equality, and together they give the result of simplified().
#include <catch2/catch.hpp>
#include <random>

#include "core/expr/rules.h"
#include "core/map/compose.h"
#include "core/notation/indexing/map.h"

using namespace tessera;

namespace {

Map mapOfText(const std::string& text) {
  const auto map = indexing::parse(text);
  INFO(text);
  REQUIRE(map.ok());
  return map->map;
}

// A random map of two variables and a range, with constraints.
std::string randomText(std::mt19937_64& rng) {
  const auto pick = [&](u64 n) { return static_cast<int>(rng() % n); };
  const char* names[] = {"d0", "d1", "s0"};
  static constexpr int kConstants[] = {2, 3, 4, 5, 6, 8, 12, 16};
  const auto expression = [&] {
    std::string e = names[pick(3)];
    const int steps = 1 + pick(6);
    for (int k = 0; k < steps; ++k) {
      const std::string d = names[pick(3)];
      const std::string c = std::to_string(kConstants[pick(8)]);
      const int kind = pick(6);
      e = kind == 0   ? "(" + e + ") * " + c + " + " + d
          : kind == 1 ? "(" + e + ") floordiv " + c
          : kind == 2 ? "(" + e + ") mod " + c
          : kind == 3 ? d + " - (" + e + ")"
          : kind == 4 ? "((" + e + ") floordiv " + c + ") * " + c + " + (" + e + ") mod " + c
                      : e + " + " + d + " * " + c;
    }
    return e;
  };
  const std::string first = expression();
  const std::string second = expression();
  std::string text = "(d0, d1)[s0] -> (" + first + ", " + second + "), domain: ";
  text += "d0 in [0, " + std::to_string(pick(9)) + "], d1 in [" + std::to_string(pick(3)) + ", ";
  text += std::to_string(3 + pick(6)) + "], s0 in [0, " + std::to_string(pick(5)) + "]";
  const int constraints = pick(3);
  for (int k = 0; k < constraints; ++k) {
    const std::string e = expression();
    const int lo = pick(4);
    const int hi = lo + pick(30);
    text += ", " + e + " in [" + std::to_string(lo) + ", " + std::to_string(hi) + "]";
  }
  return text;
}

// A point of the ranges; a range of billions is cut.
std::vector<i64> pointIn(const std::vector<Range>& ranges, std::mt19937_64& rng) {
  std::vector<i64> point;
  for (const Range& r : ranges) {
    const u64 width = static_cast<u64>(std::min<i64>(r.hi - r.lo, 1'000'000)) + 1;
    point.push_back(r.lo + static_cast<i64>(rng() % width));
  }
  return point;
}

bool meets(const Guard& g, const std::vector<i64>& point) {
  const i64 value = evaluate(g.value, point);
  return value >= g.lo && value <= g.hi;
}

}  // namespace

TEST_CASE(
    "every step keeps the value at random points; the steps give the map that comes without; then there are none") {
  std::mt19937_64 rng(11);
  int values = 0, constraints = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string text = randomText(rng);
    const auto parsed = indexing::parse(text);
    if (!parsed) continue;  // values that do not fit
    INFO(text);
    const Map& map = parsed->map;
    std::vector<MapRewrite> steps;
    const Map simple = simplified(map, &steps);
    REQUIRE(simple == simplified(map));
    const Environment all = coordinateBox(map);
    std::vector<Guard> guards;
    for (const Guard& g : map.guards()) guards.push_back({inCoordinates(g.value, map.digits()), g.lo, g.hi});
    for (const MapRewrite& s : steps) {
      INFO(s.rule << ": " << print(s.before) << " -> " << print(s.after));
      if (!s.held && !s.kept) {
        ++values;
        REQUIRE_FALSE(lawOf(s.rule).empty());
        for (int k = 0; k < 20; ++k) {
          const std::vector<i64> point = pointIn(s.box.digits, rng);
          REQUIRE(evaluate(s.before, point) == evaluate(s.after, point));
        }
        continue;
      }
      ++constraints;
      REQUIRE_FALSE(lawOfConstraint(s.rule).empty());
      // What is kept holds at every point of the map.
      for (int k = 0; k < 30; ++k) {
        const std::vector<i64> point = pointIn(all.digits, rng);
        const bool real = std::all_of(guards.begin(), guards.end(), [&](const Guard& g) { return meets(g, point); });
        if (real && s.kept) REQUIRE(meets(*s.kept, point));
      }
    }
    std::vector<MapRewrite> again;
    REQUIRE(simplified(simple, &again) == simple);
    CHECK(again.empty());
  }
  CHECK(values > 2000);
  CHECK(constraints > 300);
}

TEST_CASE("the steps of the worked example are those of the header") {
  std::vector<MapRewrite> steps;
  const Map map =
      mapOfText("(d0, d1) -> ((d0 * 4 + d1) floordiv 4), domain: d0 in [0, 15], d1 in [0, 3], d0 * 2 in [0, 20]");
  const Map simple = simplified(map, &steps);
  CHECK(indexing::print(indexing::toIndexingMap(simple)) == "(d0, d1) -> (d0), domain: d0 in [0, 10], d1 in [0, 3]");
  std::vector<std::string> rules;
  for (const MapRewrite& s : steps) rules.push_back(s.of + " " + s.rule);
  CHECK(rules == std::vector<std::string>{"constraint constraint-undone", "constraint constraint-is-a-range",
                                          "result 0 div-of-multiple", "result 0 known-constant"});
  CHECK(print(steps.at(2).before) == "(d0 * 4 + d1) floordiv 4");
}

TEST_CASE("a law is told by its row") {
  CHECK(lawOf("mod-of-multiple") ==
        "(x * a + y) mod b = y mod b, where b > 0, a mod b = 0: multiples of the modulus vanish");
  CHECK(lawOf("no-such-rule").empty());
  for (const Rule& rule : rewriteRules()) CHECK_FALSE(lawOf(rule.name).empty());
}
