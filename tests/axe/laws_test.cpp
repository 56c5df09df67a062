// The laws of core/notation/axe (algebra.h, eval.h, map.h) against tables built from the definition.
#include <catch2/catch.hpp>

#include "core/map/map.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/axes.h"
#include "core/notation/axe/eval.h"
#include "core/notation/axe/notation.h"
#include "tests/axe/axe_model.h"

using namespace tessera;
using namespace tessera::axe_model;

namespace {

// Every D of at most two iters, extents 1..4, strides -2..4, on two axes; every R of at most one iter.
std::vector<axe::Layout> smallLayouts() {
  std::vector<axe::Iter> iters;
  for (i64 e = 1; e <= 3; ++e)
    for (const i64 s : {-2, -1, 1, 2, 3, 4})
      for (const char* axis : {"m", "lane"}) iters.push_back({e, s, axis});
  std::vector<axe::Layout> layouts;
  for (const axe::Iter& a : iters) {
    layouts.push_back(*axe::Layout::create({a}));
    for (const axe::Iter& b : iters) layouts.push_back(*axe::Layout::create({a, b}, {{2, 3, "m"}}));
  }
  return layouts;
}

}  // namespace

TEST_CASE("print and parse are inverse on every small layout") {
  for (const axe::Layout& l : smallLayouts()) {
    INFO(print(l));
    const auto again = axe::parse(print(l));
    REQUIRE(again.ok());
    CHECK(*again == l);
    const auto paper = axe::parse(printPaper(l)), article = axe::parse(printArticle(l));
    REQUIRE(paper.ok());
    REQUIRE(article.ok());
    CHECK(*paper == l);
    CHECK(*article == l);
  }
}

TEST_CASE("canonicalize keeps the function, is idempotent, and has the fewest iters") {
  Random random(1);
  for (int n = 0; n < 3000; ++n) {
    const axe::Layout l = random.layout(4, 3);
    INFO(print(l) << " -> " << print(canonicalize(l)));
    CHECK(tableOf(canonicalize(l)) == tableOf(l));
    CHECK(canonicalize(canonicalize(l)) == canonicalize(l));
    CHECK(canonicalize(l).shard().size() <= l.shard().size());
  }
}

TEST_CASE("equal says exactly when two tables are the same") {
  const std::vector<axe::Layout> layouts = smallLayouts();
  Random random(2);
  int equal = 0;
  for (int n = 0; n < 40000; ++n) {
    const axe::Layout& a = layouts[static_cast<std::size_t>(random.below(static_cast<i64>(layouts.size())))];
    const axe::Layout& b = layouts[static_cast<std::size_t>(random.below(static_cast<i64>(layouts.size())))];
    if (a.size() != b.size()) continue;
    const bool same = tableOf(a) == tableOf(b);
    equal += same ? 1 : 0;
    INFO(print(a) << " and " << print(b));
    CHECK(*axe::equal(a, b) == same);
  }
  CHECK(equal > 20);
  for (int n = 0; n < 4000; ++n) {  // replicas, where forms are not unique
    const axe::Layout a = *axe::Layout::create({{2, 1, "g"}}, random.iters(3));
    const axe::Layout b = *axe::Layout::create({{2, 1, "g"}}, random.iters(3), {{"m", random.below(3)}});
    INFO(print(a) << " and " << print(b));
    CHECK(*axe::equal(a, b) == (tableOf(a) == tableOf(b)));
  }
}

TEST_CASE("forward is the table and backward is its inverse") {
  Random random(3);
  for (int n = 0; n < 400; ++n) {
    const axe::Layout l = random.layout();
    const std::vector<i64> shape = random.shapeOf(l.size());
    const Table table = tableOf(l);
    INFO(print(l) << " over " << axe::printShape(shape));
    std::set<Place> every;
    for (i64 x = 0; x < l.size(); ++x) {
      const auto places = forward(l, shape, coordinateOf(x, shape));
      REQUIRE(places.ok());
      std::set<Place> got;
      for (const axe::Place& p : *places) got.insert(normal(p));
      CHECK(got == table[static_cast<std::size_t>(x)]);
      CHECK(got.size() == places->size());
      every.insert(got.begin(), got.end());
    }
    for (Place p : std::vector<Place>(every.begin(), every.end())) {  // and some places that nothing reaches
      p["m"] += 1;
      every.insert(normal(p));
    }
    for (const Place& p : every) {
      std::vector<std::vector<i64>> want;
      for (i64 x = 0; x < l.size(); ++x)
        if (table[static_cast<std::size_t>(x)].count(p) != 0) want.push_back(coordinateOf(x, shape));
      const auto got = backward(l, shape, p);
      REQUIRE(got.ok());
      CHECK(*got == want);
    }
  }
}

TEST_CASE("injective and its witness agree with the table") {
  Random random(4);
  int collisions = 0;
  for (int n = 0; n < 2000; ++n) {
    const axe::Layout l = random.layout();
    const Table table = tableOf(l);
    bool injective = true;
    for (std::size_t x = 0; x < table.size(); ++x)
      for (std::size_t y = 0; y < x; ++y)
        for (const Place& p : table[x]) injective = injective && table[y].count(p) == 0;
    INFO(print(l));
    const auto collision = findCollision(l);
    REQUIRE(collision.ok());
    CHECK(collision->has_value() == !injective);
    if (!*collision) continue;
    ++collisions;
    CHECK((*collision)->first != (*collision)->second);
    CHECK(table[static_cast<std::size_t>((*collision)->first)].count(normal((*collision)->place)) == 1);
    CHECK(table[static_cast<std::size_t>((*collision)->second)].count(normal((*collision)->place)) == 1);
  }
  CHECK(collisions > 100);
}

TEST_CASE("the gap condition makes replica places distinct, and saturation never breaks it") {
  Random random(5);
  for (int n = 0; n < 2000; ++n) {
    const axe::Layout l = canonicalize(random.layout(1, 3));
    if (!gapCondition(l)) continue;
    INFO(print(l));
    CHECK(static_cast<i64>(tableOf(l)[0].size()) == l.replicaCount());
  }
}

TEST_CASE("span is the largest difference plus one, size the number of shard steps") {
  Random random(6);
  for (int n = 0; n < 1000; ++n) {
    const axe::Layout l = random.layout();
    const Table table = tableOf(l);
    for (const char* axis : {"m", "lane", "warp", "unused"}) {
      i64 least = 0, most = 0;
      bool first = true;
      for (const auto& places : table)
        for (const Place& p : places) {
          const auto it = p.find(axis);
          const i64 v = it == p.end() ? 0 : it->second;
          least = first ? v : std::min(least, v);
          most = first ? v : std::max(most, v);
          first = false;
        }
      INFO(print(l) << " on " << axis);
      CHECK(span(l, axis) == most - least + 1);
    }
  }
}

TEST_CASE("group cuts D into blocks of the shape and keeps the function; permute moves dimensions") {
  Random random(7);
  int grouped = 0;
  for (int n = 0; n < 3000; ++n) {
    const axe::Layout l = random.layout(3, 1);
    const std::vector<i64> shape = random.shapeOf(l.size());
    const auto g = group(l, shape);
    INFO(print(l) << " by " << axe::printShape(shape));
    if (!g) continue;
    ++grouped;
    CHECK(tableOf(g->layout) == tableOf(l));
    REQUIRE(g->separators.size() == shape.size() + 1);
    for (std::size_t j = 0; j < shape.size(); ++j) {
      i64 p = 1;
      for (const axe::Iter& it : g->block(j)) p *= it.extent;
      CHECK(p == shape[j]);
    }
    std::vector<std::size_t> order;
    std::vector<i64> turned;
    for (std::size_t k = shape.size(); k-- > 0;) order.push_back(k), turned.push_back(shape[k]);
    const auto r = permute(l, shape, order);
    REQUIRE(r.ok());
    const Table before = tableOf(l), after = tableOf(*r);
    for (i64 x = 0; x < l.size(); ++x) {
      const std::vector<i64> c = coordinateOf(x, shape);
      const i64 y = linearOf({c.rbegin(), c.rend()}, turned);
      CHECK(after[static_cast<std::size_t>(y)] == before[static_cast<std::size_t>(x)]);
    }
  }
  CHECK(grouped > 1000);
}

TEST_CASE("group refuses only when no split of the canonical iters fits") {
  // The second opinion: all ways to split every canonical iter into two, in order.
  Random random(8);
  for (int n = 0; n < 500; ++n) {
    const axe::Layout l = canonicalize(random.layout(3, 0));
    const std::vector<i64> shape = random.shapeOf(l.size());
    // Boundaries of the shape, as inner products, must be boundaries that some split of an iter can have.
    bool possible = true;
    i64 inner = 1;
    for (std::size_t k = shape.size(); k-- > 0;) {
      inner *= shape[k];
      i64 below = 1;
      bool here = inner == 1;
      for (std::size_t j = l.shard().size(); j-- > 0; below *= l.shard()[j].extent)
        here = here || (inner % below == 0 && l.shard()[j].extent % (inner / below) == 0);
      possible = possible && here;
    }
    // Two cuts in one iter must nest, which products of a shape do only by dividing.
    INFO(print(l) << " by " << axe::printShape(shape));
    if (group(l, shape).ok()) CHECK(possible);
  }
}

namespace {

// The table of A||B with A's steps scaled by W, from the definition.
Table tiledTable(const axe::Layout& a, const std::vector<i64>& sa, const axe::Layout& b, const std::vector<i64>& sb,
                 bool scale) {
  const Table ta = tableOf(a), tb = tableOf(b);
  std::vector<i64> st;
  for (std::size_t j = 0; j < sa.size(); ++j) st.push_back(sa[j] * sb[j]);
  Table t;
  for (i64 x = 0; x < product(st); ++x) {
    const std::vector<i64> c = coordinateOf(x, st);
    std::vector<i64> ca, cb;
    for (std::size_t j = 0; j < st.size(); ++j) ca.push_back(c[j] / sb[j]), cb.push_back(c[j] % sb[j]);
    std::set<Place> places;
    for (const Place& pa : ta[static_cast<std::size_t>(linearOf(ca, sa))])
      for (const Place& pb : tb[static_cast<std::size_t>(linearOf(cb, sb))]) {
        Place p = pb;
        for (const auto& [axis, value] : pa) p[axis] += value * (scale ? span(b, axis) : 1);
        places.insert(normal(p));
      }
    t.push_back(places);
  }
  return t;
}

}  // namespace

TEST_CASE("tile and direct sum are their formulas, and the parts come back") {
  Random random(9);
  int outers = 0, inners = 0, tiles = 0;
  for (int n = 0; n < 1500; ++n) {
    const axe::Layout a = random.layout(2, 1), b = random.layout(2, 1);
    std::vector<i64> sa = random.shapeOf(a.size()), sb = random.shapeOf(b.size());
    while (sa.size() < sb.size()) sa.push_back(1);
    while (sb.size() < sa.size()) sb.insert(sb.begin(), 1);
    if (!group(a, sa) || !group(b, sb)) continue;
    std::vector<i64> st;
    for (std::size_t j = 0; j < sa.size(); ++j) st.push_back(sa[j] * sb[j]);
    const auto t = tile(a, sa, b, sb);
    INFO("tile(" << print(a) << ", " << axe::printShape(sa) << ", " << print(b) << ", " << axe::printShape(sb) << ")");
    REQUIRE(t.ok());
    ++tiles;
    CHECK(tableOf(*t) == tiledTable(a, sa, b, sb, true));
    // C need not be A (two C may tile to one T), but it tiles to T; and there is one, so it must be found.
    const auto outer = tileOuterOf(*t, st, b, sb);
    if (!outer) INFO(outer.error().message);
    if (outer) {
      ++outers;
      CHECK(tableOf(*tile(*outer, sa, b, sb)) == tableOf(*t));
    }
    const auto inner = tileInnerOf(*t, st, a, sa);
    if (inner) {
      ++inners;
      CHECK(tableOf(*tile(a, sa, *inner, sb)) == tableOf(*t));
    }
    const auto sum = directSum(a, sa, b, sb);
    REQUIRE(sum.ok());
    CHECK(tableOf(*sum) == tiledTable(a, sa, b, sb, false));
    const auto right = directSumRightOf(*sum, st, a, sa), left = directSumLeftOf(*sum, st, b, sb);
    if (right) CHECK(tableOf(*directSum(a, sa, *right, sb)) == tableOf(*sum));
    if (left) CHECK(tableOf(*directSum(*left, sa, b, sb)) == tableOf(*sum));
  }
  CHECK(tiles > 1000);
  CHECK(outers >= tiles * 99 / 100);
  CHECK(inners >= tiles * 99 / 100);
}

TEST_CASE("without replicas the parts of a tile always come back, and are the parts") {
  Random random(10);
  for (int n = 0; n < 1500; ++n) {
    const axe::Layout a = random.layout(2, 0), b = random.layout(2, 0);
    const std::vector<i64> sa = {a.size()}, sb = {b.size()}, st = {a.size() * b.size()};
    const auto t = tile(a, sa, b, sb);
    REQUIRE(t.ok());
    INFO("tile(" << print(a) << ", " << print(b) << ") = " << print(*t));
    const auto outer = tileOuterOf(*t, st, b, sb), inner = tileInnerOf(*t, st, a, sa);
    if (!outer) FAIL(outer.error().message);
    if (!inner) FAIL(inner.error().message);
    CHECK(*axe::equal(*outer, a));
    CHECK(*axe::equal(*inner, b));
  }
}

TEST_CASE("slice is the box, and refuses exactly when no list of iters is") {
  Random random(11);
  int sliced = 0, refusedCount = 0;
  for (int n = 0; n < 3000; ++n) {
    const axe::Layout l = random.layout(3, 1);
    const std::vector<i64> shape = random.shapeOf(l.size());
    if (!group(l, shape)) continue;
    axe::Region region;
    std::vector<i64> box;
    for (const i64 e : shape) {
      const i64 begin = random.below(e);
      const i64 end = begin + 1 + random.below(e - begin);
      region.push_back({begin, end});
      box.push_back(end - begin);
    }
    const auto s = slice(l, shape, region);
    const Table table = tableOf(l);
    INFO(print(l) << " over " << axe::printShape(shape));
    if (!s) {
      ++refusedCount;
      continue;
    }
    ++sliced;
    const Table got = tableOf(*s);
    REQUIRE(static_cast<i64>(got.size()) == product(box));
    for (i64 y = 0; y < product(box); ++y) {
      std::vector<i64> c = coordinateOf(y, box);
      for (std::size_t k = 0; k < c.size(); ++k) c[k] += region[k].first;
      CHECK(got[static_cast<std::size_t>(y)] == table[static_cast<std::size_t>(linearOf(c, shape))]);
    }
  }
  CHECK(sliced > 1000);
  CHECK(refusedCount > 20);
}

TEST_CASE("the paper's capacity test is off by one: the wrap that leaves the next digit's range") {
  // Lemma E.2 and TVM accept it and give 12, 13, 20, 21.
  const axe::Layout l = *axe::parse("S[(2,2,4):(100,10,1)]");
  const auto s = slice(l, {16}, {{6, 10}});
  REQUIRE(s.ok());
  const Table t = tableOf(*s);
  const std::vector<i64> want = {12, 13, 100, 101};
  for (std::size_t y = 0; y < 4; ++y) CHECK(t[y] == std::set<Place>{{{"m", want[y]}}});
}

TEST_CASE("unpack puts n neighbours where one element was, and pack undoes it") {
  Random random(12);
  for (int n = 0; n < 1000; ++n) {
    const axe::Layout l = random.layout(3, 1);
    const i64 by = 2 + random.below(3);
    const auto u = unpack(l, by);
    REQUIRE(u.ok());
    INFO(print(l) << " by " << by << " = " << print(*u));
    const Table before = tableOf(l), after = tableOf(*u);
    for (i64 x = 0; x < l.size(); ++x) {
      Place scaled;
      for (i64 j = 0; j < by; ++j) {
        std::set<Place> want;
        for (const Place& p : before[static_cast<std::size_t>(x)]) {
          Place q = p;
          for (auto& [axis, value] : q)
            if (axis == "m") value *= by;
          q["m"] += j;
          want.insert(normal(q));
        }
        CHECK(after[static_cast<std::size_t>(x * by + j)] == want);
      }
    }
    const auto back = pack(*u, by);
    REQUIRE(back.ok());
    CHECK(*axe::equal(*back, l));
  }
}

TEST_CASE("toMap: imageOf is forward, for every shape the layout admits") {
  Random random(13);
  for (int n = 0; n < 600; ++n) {
    const axe::Layout l = random.layout();
    const std::vector<i64> shape = random.shapeOf(l.size());
    const auto map = toMap(l, shape);
    INFO(print(l) << " over " << axe::printShape(shape));
    if (!map) FAIL(map.error().message);
    const Table table = tableOf(l);
    for (i64 x = 0; x < l.size(); ++x) {
      const std::vector<i64> c = coordinateOf(x, shape);
      std::set<Place> got;
      for (const std::vector<i64>& values : map->imageOf(c)) {
        Place p;
        for (std::size_t k = 0; k < values.size(); ++k) p[map->axes()[k].name] = values[k];
        got.insert(normal(p));
      }
      CHECK(got == table[static_cast<std::size_t>(x)]);
    }
    for (std::size_t k = 0; k < map->axes().size(); ++k) {
      if (!map->axes()[k].extent) continue;
      for (const auto& places : table)
        for (const Place& p : places) {
          const auto it = p.find(map->axes()[k].name);
          const i64 v = it == p.end() ? 0 : it->second;
          CHECK((v >= 0 && v < *map->axes()[k].extent));
        }
    }
  }
}

TEST_CASE("fusing and splitting thread axes keeps the thread") {
  const axe::Layout l = *axe::parse("S[(2,8,2,4):(2@warpid,4@laneid,1@warpid,1@laneid)] + 5@warpid + 3@laneid");
  const auto fused = fuseThreads(l);
  REQUIRE(fused.ok());
  const auto back = splitAxis(*axe::parse("S[(2,8,2,4):(64@tx,4@tx,32@tx,1@tx)]"), "tx", 32, "warpid", "laneid");
  REQUIRE(back.ok());
  CHECK(*axe::equal(*back, *axe::parse("S[(2,8,2,4):(2@warpid,4@laneid,1@warpid,1@laneid)]")));
  const Table a = tableOf(l), b = tableOf(*fused);
  for (std::size_t x = 0; x < a.size(); ++x) {
    Place p = *a[x].begin();
    CHECK(b[x] == std::set<Place>{normal({{"tx", p["warpid"] * 32 + p["laneid"]}})});
  }
  CHECK_FALSE(splitAxis(*axe::parse("S[3:24@tx]"), "tx", 32, "warpid", "laneid").ok());
  CHECK_FALSE(splitAxis(*axe::parse("S[4:8@tx] + 16@tx"), "tx", 32, "warpid", "laneid").ok());
}

TEST_CASE("a swizzle is its own inverse and permutes its period, as its expression does") {
  for (i64 m = 0; m <= 3; ++m)
    for (i64 b = 0; b <= 3; ++b)
      for (i64 s = b; s <= 4; ++s)
        for (const bool inner : {true, false}) {
          const axe::Swizzle z = *axe::Swizzle::create(m, b, s, inner);
          const Expr e = z.apply(Expr::digit(0));
          std::set<i64> seen;
          for (i64 a = 0; a < z.period(); ++a) {
            CHECK(z.apply(z.apply(a)) == a);
            CHECK(evaluate(e, std::vector<i64>{a}) == z.apply(a));
            CHECK(z.apply(a) < z.period());
            seen.insert(z.apply(a));
          }
          CHECK(static_cast<i64>(seen.size()) == z.period());
        }
}

TEST_CASE("2^60 elements are as quick as 16") {
  const axe::Layout l =
      *axe::parse("S[(1048576,4,262144,2):(1048576,1@gpuid,1@lane,524288)] + R[1048576:4@gpuid] + 7@gpuid");
  CHECK(l.size() == i64{1} << 41);
  CHECK(!findCollision(l)->has_value());
  CHECK(*axe::equal(l, canonicalize(l)));
  const std::vector<i64> shape = {1048576, 2097152};
  const auto back = backward(l, shape, {{"m", 5 * 1048576 + 524288}, {"lane", 77}, {"gpuid", 7 + 400 + 3}});
  REQUIRE(back.ok());
  REQUIRE(back->size() == 1);
  CHECK((*back)[0] == std::vector<i64>{5, (3 * 262144 + 77) * 2 + 1});
  CHECK(toMap(l, shape).ok());
}
