// Unions of maps: equality against enumeration, symbolic sizes, and the decision that merges the maps of a fusion.
#include "solver/prove/unions.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "core/hlo/compose/fusion.h"
#include "core/notation/indexing/map.h"
#include "prove/maps.h"
#include "solver/prove/structure/same_maps.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

using Numbers = std::vector<i64>;
using Relation = std::set<std::pair<Numbers, Numbers>>;  // coordinates that people see, elements

Map mapOf(const std::string& text) {
  auto map = indexing::parse(text);
  INFO(text);
  if (!map) FAIL(map.error().message);
  return map->map;
}

void add(const Map& map, Relation& to, const Numbers& params = {}) {
  Numbers extents;
  for (const Digit& d : map.digits()) extents.push_back(d.extent);
  for (i64 n = 0; n < *map.pointCount(); ++n) {
    const Numbers point = delinearize(n, extents, LinearOrder::Colex);
    if (!map.isReal(point, params)) continue;
    Numbers coordinates;
    for (const int k : map.indexDigits())
      coordinates.push_back(point[static_cast<std::size_t>(k)] + map.digits()[static_cast<std::size_t>(k)].lo);
    to.insert({coordinates, map.at(point, params)});
  }
}

Relation relationOf(const std::vector<Map>& maps, const Numbers& params = {}) {
  Relation all;
  for (const Map& m : maps) add(m, all, params);
  return all;
}

Verdict equal(const std::vector<Map>& f, const std::vector<Map>& g, Method method = Method::Auto) {
  const Claim claim{.says = claims::Equal{}, .method = method, .unions = {{"0 (%x)", f, g}}};
  ProveOptions options;
  if (method == Method::Auto) options.budgetSeconds = 1000;  // it answers, however slow the machine is
  return prove(claim, options);
}

// Maps with ranges whose strides may or may not nest, a guard now and then, boxes from 0 or elsewhere.
class Writer {
 public:
  explicit Writer(unsigned seed) : rng_(seed) {}
  Map map() {
    const int ranges = pick(3);
    std::string text = "(d0, d1)";
    for (int k = 0; k < ranges; ++k) text += (k == 0 ? "[s" : ", s") + std::to_string(k);
    text += ranges > 0 ? "]" : "";
    const std::string first = value(ranges), second = value(ranges);
    text += " -> (" + first + ", " + second + "), domain: ";
    for (const char* d : {"d0", "d1"}) {
      const int lo = pick(2);
      const int hi = lo + pick(3);
      text +=
          (d[1] == '0' ? "" : ", ") + std::string(d) + " in [" + std::to_string(lo) + ", " + std::to_string(hi) + "]";
    }
    for (int k = 0; k < ranges; ++k) text += ", s" + std::to_string(k) + " in [0, " + std::to_string(pick(4)) + "]";
    if (pick(3) == 0) {
      const std::string guarded = value(ranges);
      text += ", " + guarded + " in [0, " + std::to_string(1 + pick(5)) + "]";
    }
    return mapOf(text);
  }
  int pick(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }

 private:
  std::mt19937 rng_;
  std::string value(int ranges) {
    std::string text = pick(2) == 0 ? "d0" : "d1";
    for (int k = 0; k < ranges; ++k)
      if (pick(2) == 0) text += " + s" + std::to_string(k) + " * " + std::to_string(pick(6) - 2);
    if (pick(6) == 0) text = "(" + text + ") floordiv 2";
    if (pick(4) == 0) text += " + " + std::to_string(pick(3));
    return text;
  }
};

}  // namespace

TEST_CASE("y in g(x) by conditions is y in g(x) by enumeration") {
  int told = 0, inside = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Map g = Writer(seed).map();
    std::vector<Expr> x{Expr::digit(0), Expr::digit(1)}, y{Expr::digit(2), Expr::digit(3)};
    const std::vector<int> index = g.indexDigits();
    for (std::size_t k = 0; k < 2; ++k) x[k] = x[k] + -g.digits()[static_cast<std::size_t>(index[k])].lo;
    const auto member = prover::membership(g, x, y);
    if (!member) continue;
    ++told;
    const Relation relation = relationOf({g});
    for (i64 a = -1; a < 5; ++a)
      for (i64 b = -1; b < 5; ++b)
        for (i64 u = -4; u < 10; ++u)
          for (i64 v = -4; v < 10; ++v) {
            bool all = true;
            for (const Guard& c : *member) {
              const i64 at = evaluate(c.value, Numbers{a, b, u, v});
              all = all && at >= c.lo && at <= c.hi;
            }
            const bool really = relation.count({{a, b}, {u, v}}) > 0;
            if (all != really) FAIL(print(g) << " at " << a << " " << b << " -> " << u << " " << v);
            inside += really;
          }
  }
  CHECK(told > 30);
  CHECK(inside > 150);
}

TEST_CASE("equality of unions is what enumeration says, by every method that answers") {
  int same = 0, other = 0, byZ3 = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    Writer w(seed + 1000);
    std::vector<Map> f, g;
    for (int k = 1 + w.pick(3); k > 0; --k) f.push_back(w.map());
    const int how = w.pick(3);
    if (how == 0) {  // the same, one of them once more, in another order
      g = f;
      g.push_back(f.front());
      std::reverse(g.begin(), g.end());
    } else if (how == 1) {  // one of them cut in two
      for (const Map& m : f) {
        const Expr d = Expr::digit(m.indexDigits()[0]);
        g.push_back(*Map::create(m.digits(), m.axes(), [&] {
          auto guards = m.guards();
          guards.push_back({d, 0, 0});
          return guards;
        }()));
        g.push_back(*Map::create(m.digits(), m.axes(), [&] {
          auto guards = m.guards();
          guards.push_back({d, 1, 99});
          return guards;
        }()));
      }
    } else {
      for (int k = 1 + w.pick(2); k > 0; --k) g.push_back(w.map());
    }
    const bool really = relationOf(f) == relationOf(g);
    for (const Method method : {Method::Auto, Method::Z3}) {
      if (method == Method::Z3 && seed % 3 != 0) continue;  // the slow one
      const Verdict v = equal(f, g, method);
      INFO(v.detail << (v.counterexample ? v.counterexample->text : ""));
      if (method == Method::Auto) REQUIRE(v.truth != Truth::Unknown);
      if (v.truth == Truth::Unknown) continue;
      REQUIRE((v.truth == Truth::Proved) == really);
      REQUIRE((v.truth == Truth::Refuted) == v.counterexample.has_value());
      byZ3 += method == Method::Z3;
    }
    ++(really ? same : other);
  }
  CHECK(same > 50);
  CHECK(other > 25);
  if (haveZ3()) CHECK(byZ3 > 15);
}

TEST_CASE("ranges too long to go through are told from the elements") {
  const std::string box = ", domain: d0 in [0, 999999], s0 in [0, 99999]";
  const Map up = mapOf("(d0)[s0] -> (d0, s0)" + box), down = mapOf("(d0)[s0] -> (d0, s0 * -1 + 99999)" + box);
  CHECK(equal({up}, {down}).truth == Truth::Proved);
  const Map split =
      mapOf("(d0)[s0, s1] -> (d0, s1 * 1000 + s0), domain: d0 in [0, 999999], s0 in [0, 999], s1 in [0, 99]");
  CHECK(equal({up}, {split}).truth == Truth::Proved);
  // Two halves are the whole; without the middle they are not.
  const Map low = mapOf("(d0)[s0] -> (d0, s0), domain: d0 in [0, 999999], s0 in [0, 49999]");
  const Map high = mapOf("(d0)[s0] -> (d0, s0 + 50000), domain: d0 in [0, 999999], s0 in [0, 49999]");
  const Map gap = mapOf("(d0)[s0] -> (d0, s0 + 50001), domain: d0 in [0, 999999], s0 in [0, 49998]");
  if (haveZ3()) {
    CHECK(equal({low, high}, {up}).truth == Truth::Proved);
    const Verdict missing = equal({up}, {low, gap});
    REQUIRE(missing.truth == Truth::Refuted);
    CHECK(missing.counterexample->witnesses.at(1).values.at(1) == 50000);
    CHECK(missing.counterexample->text.find("50000), the second does not") != std::string::npos);
  }
  // The same as a claim about two maps of a sheet.
  CHECK(prove({claims::Equal{{up, down}}}).truth == Truth::Proved);
  const Verdict off = prove({claims::Equal{{up, mapOf("(d0)[s0] -> (d0, s0 * -1 + 99998)" + box)}}});
  CHECK(off.truth != Truth::Proved);
  if (off.truth == Truth::Refuted) CHECK(off.counterexample.has_value());
}

TEST_CASE("sizes that are symbols: equal for each of them, or the size at which they differ") {
  // A row of n elements, forwards and backwards; n is any of a million numbers.
  const std::string box = ", domain: d0 in [0, 999999], s0 in [0, 999999], n in [1, 1000000], n - s0 in [1, 1000000]";
  const Map up = mapOf("(d0)[s0]{n} -> (d0, s0)" + box), down = mapOf("(d0)[s0]{n} -> (d0, n - s0 - 1)" + box);
  const Verdict same = equal({up}, {down});
  INFO(same.detail);
  if (haveZ3()) CHECK(same.truth == Truth::Proved);
  const Map wrong = mapOf("(d0)[s0]{n} -> (d0, n - s0)" + box);
  const Verdict differ = equal({up}, {wrong});
  INFO(differ.detail);
  CHECK(differ.truth != Truth::Proved);
  if (differ.truth == Truth::Refuted) CHECK(differ.counterexample->text.starts_with("operand 0 (%x): for n="));
  // In bounds of n elements, as a distance from the end that is never negative.
  Map inside = mapOf("(d0)[s0]{n} -> (n - s0 - 1)" + box);
  std::vector<Axis> axes = inside.axes();
  axes[0].extent = 1'000'000;
  inside = *Map::create(inside.digits(), axes, inside.guards(), inside.params());
  if (haveZ3()) CHECK(prove({claims::InBounds{inside}}).truth == Truth::Proved);
  // Different run-time values are not taken for one.
  const Map one = mapOf("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 5]");
  const Map two = mapOf("(d0){rt1} -> (d0 + rt1), domain: d0 in [0, 9], rt1 in [0, 5]");
  CHECK(equal({one}, {two}).truth == Truth::Unknown);
  CHECK(equal({one}, {one}).truth == Truth::Proved);
}

TEST_CASE("maps of a fusion that only a proof shows to be one") {
  // Rows of 1000, summed forwards and backwards: the same elements, and too many to go through one by one for each pair
  // of maps.
  const hlo::Module m = hlo::readModule(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
f {
  p = f32[3000,1000] parameter(0)
  z = f32[] constant(0)
  v = f32[3000,1000] reverse(p), dimensions={1}
  r0 = f32[3000] reduce(p, z), dimensions={1}, to_apply=add
  r1 = f32[3000] reduce(v, z), dimensions={1}, to_apply=add
  ROOT s = f32[3000] add(r0, r1)
}
ENTRY e {
  p = f32[3000,1000] parameter(0)
  ROOT fu = f32[3000] fusion(p), kind=kLoop, calls=f
}
)");
  const auto alone = hlo::readsThrough(m, {m.entry, 1});
  REQUIRE(alone.ok());
  CHECK(alone->at(0).maps.size() == 2);
  CHECK(alone->at(0).undecided == "maps 0 and 1 may name the same elements: neither proved nor refuted");
  const auto proved = hlo::readsThrough(m, {m.entry, 1}, 0, sameByProof(20, 60));
  REQUIRE(proved.ok());
  CHECK(proved->at(0).maps.size() == 1);
  CHECK(proved->at(0).undecided.empty());
  // No time: both stay, and it is said.
  const auto hurried = hlo::readsThrough(m, {m.entry, 1}, 0, sameByProof(20, 0));
  CHECK(hurried->at(0).maps.size() == 2);
  CHECK_FALSE(hurried->at(0).undecided.empty());
}
