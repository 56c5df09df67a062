// The laws of the other operations, as their headers state them, over all small layouts.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <set>

#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/complement.h"
#include "core/notation/cute/algebra/composed.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/make.h"
#include "core/notation/cute/algebra/recast.h"
#include "core/notation/cute/algebra/slice.h"
#include "core/notation/cute/algebra/vector.h"
#include "core/notation/cute/lower.h"
#include "core/notation/cute/text.h"
#include "laws/generate.h"

using namespace tessera;
using namespace tessera::laws;

namespace {

template <typename F>
void forSmall(const F& f) {
  forEachLayout(1, {1, 2, 3, 4}, {-2, -1, 0, 1, 2, 3, 4, 5}, f);
  forEachLayout(2, {1, 2, 3, 4}, {-1, 0, 1, 2, 3, 4, 6, 8}, f);
  forEachLayout(3, {1, 2, 4}, {0, 1, 2, 3, 4, 8}, f);
  forEachLayout(3, {2, 3}, {1, 2, 3, 4, 6, 9}, f);
}

std::multiset<i64> sums(const cute::Layout& a, const cute::Layout& r) {
  std::multiset<i64> out;
  for (const i64 x : tableOf(a)) {
    for (const i64 y : tableOf(r)) out.insert(x + y);
  }
  return out;
}

// The moving leaves (stride, extent), sorted by stride.
std::vector<std::pair<i64, i64>> chainOf(const cute::Layout& l) {
  std::vector<std::pair<i64, i64>> runs;
  for (const cute::LayoutLeaf& leaf : flatLeaves(l)) {
    if (leaf.extent > 1 && leaf.stride.value() != 0) runs.emplace_back(leaf.stride.value(), leaf.extent);
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

bool allDiffer(const std::multiset<i64>& values) {
  return std::adjacent_find(values.begin(), values.end()) == values.end();
}

}  // namespace

TEST_CASE("coalesce keeps the function, and its form is unique") {
  forSmall([](const cute::Layout& l) {
    const cute::Layout c = *coalesce(l);
    if (tableOf(c) != tableOf(l) || c.depth() > 1) FAIL(print(l) << " -> " << print(c));
    if (!(*coalesce(c) == c)) FAIL("not idempotent: " << print(l));
  });
  std::map<std::vector<i64>, cute::Layout> forms;
  forEachLayout(3, {1, 2, 4}, {0, 1, 2, 4}, [&](const cute::Layout& l) {
    const auto [it, fresh] = forms.emplace(tableOf(l), *coalesce(l));
    if (!fresh && !(it->second == *coalesce(l))) FAIL("two forms of one function: " << print(it->second) << print(l));
  });
  CHECK(forms.size() > 50);
}

TEST_CASE("filter, nullspace and the unbounded coalesce") {
  forSmall([](const cute::Layout& l) {
    const cute::Layout f = *filter(l);
    const std::vector<i64> t = tableOf(l);
    const std::vector<i64> u = tableOf(f);
    if (std::set<i64>(t.begin(), t.end()) != std::set<i64>(u.begin(), u.end())) FAIL("filter " << print(l));
    const cute::Layout kernel = *nullspace(l);
    for (const i64 i : tableOf(kernel)) {
      if (l(i) != 0) FAIL("nullspace " << print(l));
    }
    if (kernel.size() * f.size() != l.size()) FAIL("filter and nullspace of " << print(l));
    const cute::Layout wide = *coalesceUnbounded(l);
    for (i64 i = -2 * l.size(); i < 3 * l.size(); ++i) {
      if (wide(i) != l(i)) FAIL("unbounded " << print(l) << " at " << i);
    }
  });
}

TEST_CASE("complement is ordered, disjoint and covers; it is refused only where modes overlap") {
  i64 answered = 0;
  i64 refused = 0;
  forSmall([&](const cute::Layout& l) {
    for (const i64 cotarget : {i64{1}, i64{8}, i64{19}, i64{24}}) {
      const Result<cute::Layout> r = complement(l, cotarget);
      const cute::Layout f = *filter(l);
      if (!r) {
        ++refused;
        // A chain of modes (each stride at least the span below, none negative) must have an answer.
        i64 span = 1;
        bool chain = true;
        for (const auto& [d, s] : chainOf(l)) {
          chain = chain && d >= span;
          span = d * s;
        }
        if (chain) FAIL("complement(" << print(l) << ", " << cotarget << ") refused: " << r.error().message);
        continue;
      }
      ++answered;
      const std::vector<i64> t = tableOf(*r);
      if (t[0] != 0 || !std::is_sorted(t.begin(), t.end()) || std::adjacent_find(t.begin(), t.end()) != t.end()) {
        FAIL("not increasing: complement(" << print(l) << ", " << cotarget << ") = " << print(*r));
      }
      const std::multiset<i64> all = sums(f, *r);
      if (!allDiffer(all)) FAIL("not disjoint: complement(" << print(l) << ", " << cotarget << ") = " << print(*r));
      i64 reach = 1;
      i64 span = 1;
      bool gapless = true;
      std::vector<std::pair<i64, i64>> runs;
      for (const cute::Layout& part : {f, *r}) {
        for (const cute::LayoutLeaf& leaf : flatLeaves(part)) {
          reach = std::max(reach, leaf.extent * leaf.stride.value());
          if (leaf.extent > 1) runs.emplace_back(leaf.stride.value(), leaf.extent);
        }
      }
      std::sort(runs.begin(), runs.end());
      for (const auto& [d, s] : runs) {
        gapless = gapless && d == span;
        span = d * s;
      }
      if (reach < cotarget) FAIL("does not cover: " << print(l) << " with " << print(*r));
      if (gapless && *all.rbegin() + 1 != static_cast<i64>(all.size()))
        FAIL("gaps: " << print(l) << " with " << print(*r));
      i64 below = 1;
      bool divides = true;
      for (const auto& [d, s] : chainOf(f)) {
        divides = divides && d % below == 0;
        below = d * s;
      }
      if (divides != gapless) FAIL("a gap that divides stays open: " << print(l) << " with " << print(*r));
    }
  });
  CHECK(answered > 3'000);
  CHECK(refused > 3'000);
  const auto message = [](const char* l) { return complement(*cute::parseLayout(l), 8).error().message; };
  CHECK(message("(4,2):(1,2)") ==
        "complement needs a layout that repeats no value: at i = 2 and i = 4, A(2) = A(4) = 2");
  CHECK(message("(2,2):(2,3)") ==
        "complement needs modes that do not interleave: stride 3 lies inside the span 4 of the modes below it");
  CHECK(message("4:-1") == "complement needs values of at least 0: A(1) = -1");
}

TEST_CASE("right_inverse gives back every index it promises, and left_inverse every value") {
  i64 left = 0;
  forSmall([&](const cute::Layout& l) {
    const cute::Layout r = *rightInverse(l);
    for (i64 i = 0; i < r.size(); ++i) {
      if (l(r(i)) != i) FAIL("right_inverse(" << print(l) << ") = " << print(r) << " at " << i);
    }
    const Result<cute::Layout> g = leftInverse(l);
    if (!g) return;
    ++left;
    std::set<i64> seen;
    for (i64 i = 0; i < l.size(); ++i) {
      seen.insert(l(i));
      if (l((*g)(l(i))) != l(i)) FAIL("left_inverse(" << print(l) << ") = " << print(*g) << " at " << i);
    }
    if (static_cast<i64>(seen.size()) != l.size()) return;
    for (i64 i = 0; i < l.size(); ++i) {
      if ((*g)(l(i)) != i) FAIL("left_inverse(" << print(l) << ") = " << print(*g) << " is no identity at " << i);
    }
  });
  CHECK(left > 1'000);
  CHECK(leftInverse(*cute::parseLayout("(2,2):(2,3)")).error().message ==
        "left_inverse: stride 3 is no multiple of the stride 2 below it, so the digits of an offset cannot be read off "
        "one "
        "by one");
}

TEST_CASE("a bijective layout has a two-sided inverse") {
  forEachLayout(3, {1, 2, 3, 4}, {0, 1, 2, 3, 4, 6, 8}, [](const cute::Layout& l) {
    std::vector<i64> t = tableOf(l);
    std::sort(t.begin(), t.end());
    for (std::size_t i = 0; i < t.size(); ++i) {
      if (t[i] != static_cast<i64>(i)) return;
    }
    const cute::Layout r = *rightInverse(l);
    if (r.size() != l.size()) FAIL("right_inverse(" << print(l) << ") is short");
    for (i64 i = 0; i < l.size(); ++i) {
      if (r(l(i)) != i) FAIL(print(l));
    }
  });
}

TEST_CASE("divides read A through the tile and its complement; products repeat it") {
  i64 divided = 0;
  i64 multiplied = 0;
  std::mt19937_64 random(9);
  for (int trial = 0; trial < 20'000; ++trial) {
    const cute::Layout a = randomLayout(random, 3, 4, 0, 8);
    const cute::Layout b = randomLayout(random, 2, 4, 0, 6);
    if (const Result<cute::Layout> r = logicalDivide(a, b)) {
      ++divided;
      const cute::Layout both = *cute::makeLayout({b, *complement(b, a.size())});
      if (r->rank() != 2 || r->size() != both.size()) FAIL("divide " << print(a) << " by " << print(b));
      for (i64 i = 0; i < both.size(); ++i) {
        if ((*r)(i) != a(both(i)))
          FAIL("logical_divide(" << print(a) << ", " << print(b) << ") = " << print(*r) << " at " << i);
      }
      const auto leaves = [](const cute::Layout& l) { return tableOf(l); };
      if (leaves(*zippedDivide(a, b)) != tableOf(*r)) FAIL("zipped");
      if (leaves(*tiledDivide(a, b)) != tableOf(*r) || leaves(*flatDivide(a, b)) != tableOf(*r)) FAIL("tiled, flat");
    }
    if (const Result<cute::Layout> r = logicalProduct(a, b)) {
      ++multiplied;
      const cute::Layout rest = *complement(a, a.size() * b.cosize());
      for (i64 j = 0; j < b.size(); ++j) {
        for (i64 i = 0; i < a.size(); ++i) {
          if ((*r)(i + a.size() * j) != a(i) + rest(b(j)))
            FAIL("logical_product(" << print(a) << ", " << print(b) << ")");
        }
      }
      if (flatLeaves(*flatProduct(a, b)).size() != flatLeaves(*r).size()) FAIL("flat_product");
      const cute::Layout blocked = *blockedProduct(a, b);
      const cute::Layout raked = *rakedProduct(a, b);
      std::vector<i64> x = tableOf(blocked);
      std::vector<i64> y = tableOf(raked);
      std::vector<i64> z = tableOf(*r);
      std::sort(x.begin(), x.end());
      std::sort(y.begin(), y.end());
      std::sort(z.begin(), z.end());
      if (x != z || y != z) FAIL("blocked and raked place the same elements");
    }
  }
  CHECK(divided > 2'000);
  CHECK(multiplied > 2'000);
}

TEST_CASE("by-mode divides tile each mode") {
  const cute::Layout a = *cute::parseLayout("(12,(4,8)):(59,(13,1))");
  for (const char* text : {"<3:4,8:2>", "<3,8>", "<_,4>", "<4>", "<6:2,(2,2):(1,4)>"}) {
    const cute::Tiler tiler = *cute::parseTiler(text);
    const Result<cute::Layout> divided = logicalDivide(a, tiler);
    INFO(text);
    REQUIRE(divided.ok());
    std::vector<i64> x = tableOf(*divided);
    std::vector<i64> y = tableOf(a);
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    CHECK(x == y);
    std::vector<i64> z = tableOf(*zippedDivide(a, tiler));
    std::sort(z.begin(), z.end());
    CHECK(z == y);
    CHECK(zippedDivide(a, tiler)->rank() == 2);
  }
  CHECK(logicalDivide(a, *cute::parseTiler("<3,8,2>")).error().message ==
        "the tiler <3,8,2> has 3 modes, layout (12,(4,8)):(59,(13,1)) has 2");
}

TEST_CASE("max_common_layout reads both layouts in order") {
  std::mt19937_64 random(4);
  i64 beyondOne = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    const cute::Layout a = randomLayout(random, 3, 4, 0, 8);
    const cute::Layout b = random() % 2 == 0 ? a : randomLayout(random, 3, 4, 0, 8);
    const cute::Layout v = *maxCommonLayout(a, b);
    const i64 n = *maxCommonVector(a, b);
    if (n > 1) ++beyondOne;
    if (v.size() != n) FAIL(print(a) << " " << print(b));
    for (i64 i = 0; i < n; ++i) {
      if (a(v(i)) != i || b(v(i)) != i)
        FAIL("max_common_layout(" << print(a) << ", " << print(b) << ") = " << print(v));
    }
  }
  CHECK(beyondOne > 1'500);
}

TEST_CASE("upcast divides offsets, downcast multiplies them") {
  i64 up = 0;
  i64 down = 0;
  forSmall([&](const cute::Layout& l) {
    for (const i64 n : {2, 3, 4, 8}) {
      if (const Result<cute::Layout> r = upcast(l, n)) {
        ++up;
        const auto leaves = flatLeaves(l);
        std::vector<i64> share;
        for (const cute::LayoutLeaf& leaf : leaves) {
          const i64 w = std::abs(leaf.stride.value());
          share.push_back(w == 0 || w >= n ? 1 : n / w);
        }
        for (i64 i = 0; i < l.size(); ++i) {
          std::vector<i64> c;
          i64 rest = i;
          for (std::size_t k = 0; k < leaves.size(); ++k) {
            c.push_back(rest % leaves[k].extent / share[k]);
            rest /= leaves[k].extent;
          }
          if (r->at(c) != l(i) / n) FAIL("upcast(" << print(l) << ", " << n << ") = " << print(*r) << " at " << i);
        }
      }
      if (const Result<cute::Layout> r = downcast(l, n)) {
        ++down;
        std::multiset<i64> want;
        for (const i64 v : tableOf(l)) {
          for (i64 part = 0; part < n; ++part) want.insert(v * n + part);
        }
        const std::vector<i64> t = tableOf(*r);
        if (std::multiset<i64>(t.begin(), t.end()) != want)
          FAIL("downcast(" << print(l) << ", " << n << ") = " << print(*r));
        if (l.minOffset() >= 0 && !(*coalesce(*upcast(*r, n)) == *coalesce(l))) FAIL("back up: " << print(l));
      }
    }
  });
  CHECK(up > 2'000);
  CHECK(down > 1'000);
}

TEST_CASE("slice and offset together are the layout on the slice") {
  const cute::Layout l = *cute::parseLayout("((2,3),4,(5,2)):((1,40),2,(8,100))");
  for (const char* text : {"(_,1,_)", "((1,_),_,3)", "((_,2),3,(_,1))", "(5,3,_)", "_", "(_,_,_)"}) {
    const cute::IntTuple c = *cute::parseIntTuple(text);
    const auto part = sliceAndOffset(c, l);
    INFO(text);
    REQUIRE(part.ok());
    std::multiset<i64> want;
    for (i64 i = 0; i < l.size(); ++i) {
      const cute::IntTuple full = *idx2crd(i, l.shape());
      // full agrees with c where c is an integer (an integer over a nested mode is its linear index).
      const std::function<bool(const cute::IntTuple&, const cute::IntTuple&, const cute::IntTuple&)> agrees =
          [&](const cute::IntTuple& pattern, const cute::IntTuple& at, const cute::IntTuple& shape) -> bool {
        if (pattern.isWildcard()) return true;
        if (pattern.isLeaf()) return shape.isLeaf() ? pattern == at : *idx2crd(pattern, shape) == at;
        for (int k = 0; k < pattern.rank(); ++k) {
          if (!agrees(pattern.mode(k), at.mode(k), shape.mode(k))) return false;
        }
        return true;
      };
      if (agrees(c, full, l.shape())) want.insert(l(i));
    }
    std::multiset<i64> got;
    for (const i64 v : tableOf(part->first)) got.insert(v + part->second);
    CHECK(got == want);
  }
}

TEST_CASE("a swizzle is its own inverse, permutes its period, and composes as functions do") {
  std::vector<cute::Swizzle> all;
  for (i64 b = 0; b <= 3; ++b) {
    for (i64 m = 0; m <= 3; ++m) {
      for (i64 s = -3; s <= 3; ++s) {
        if (const Result<cute::Swizzle> sw = cute::Swizzle::make(b, m, s)) all.push_back(*sw);
      }
    }
  }
  for (const cute::Swizzle& s : all) {
    std::set<i64> image;
    for (i64 x = 0; x < s.period(); ++x) {
      image.insert(s(x));
      if (s(s(x)) != x) FAIL(print(s));
    }
    if (*image.rbegin() != s.period() - 1) FAIL(print(s) << " leaves its period");
    for (const i64 n : {2, 4, 8}) {
      const cute::Swizzle d = *downcast(s, n);
      for (i64 x = 0; x < 512; ++x) {
        if (d(x * n + n - 1) != s(x) * n + n - 1) FAIL("downcast " << print(s));
      }
      const Result<cute::Swizzle> u = upcast(s, n);
      bool possible = true;  // s(x) / n depends on x / n only, and by the swizzle found
      for (i64 x = 0; x < 1024; ++x) {
        if (s(x) / n != s(x / n * n) / n) possible = false;
        if (u && (*u)(x / n) != s(x) / n) FAIL("upcast " << print(s) << " by " << n);
      }
      if (!u && possible) FAIL("upcast " << print(s) << " by " << n << " refused");
    }
  }
  const auto sameFunction = [](const cute::Swizzle& c, const cute::Swizzle& a, const cute::Swizzle& b) {
    for (i64 x = 0; x < 2048; ++x) {
      if (c(x) != a(b(x))) return false;
    }
    return true;
  };
  for (const cute::Swizzle& a : all) {
    for (const cute::Swizzle& b : all) {
      const Result<cute::Swizzle> c = compose(a, b);
      if (c && !sameFunction(*c, a, b)) FAIL(print(a) << " o " << print(b));
      if (c) continue;
      for (const cute::Swizzle& other : all) {
        if (sameFunction(other, a, b)) FAIL(print(a) << " o " << print(b) << " is " << print(other));
      }
    }
  }
}

TEST_CASE("maps of composed layouts are the composed layouts") {
  for (const char* text : {"Sw<3,3,3> o (8,64):(64,1)", "Sw<1,0,2> o 4 o (2,4):(4,1)", "Sw<2,0,-3> o 0 o (4,8):(8,1)",
                           "(4,5):(1,4) o 2 o (2,3):(1,2)", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)",
                           "Sw<3,4,3>_smem_ptr[16b](0x400) o (8,64):(64,1)", "counting_iter(42) o (4,5):(1,4)",
                           "smem_ptr[32b](0x80) o (4,8):(8,1)", "Sw<2,3,-3> o 8 o (4,4):(4,-1)"}) {
    const cute::ComposedLayout l = *cute::parseComposedLayout(text);
    const Result<Map> m = toMap(l);
    INFO(text);
    REQUIRE(m.ok());
    std::vector<i64> extents;
    for (const Digit& d : m->digits()) extents.push_back(d.extent);
    for (i64 i = 0; i < l.inner().size(); ++i) {
      const i64 value = m->at(delinearize(i, extents, LinearOrder::Colex))[0];
      CHECK(value == l.crd2idx(i)->value());
      if (m->axes()[0].extent) CHECK((value >= 0 && value < *m->axes()[0].extent));
    }
  }
}

TEST_CASE("slices of swizzled layouts are the swizzled layout on the slice") {
  for (const char* text : {"Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<2,0,3> o 0 o (8,8):(8,1)",
                           "Sw<2,1,-3> o 4 o (8,8):(1,8)", "Sw<1,2,3> o 0 o (4,4,4):(16,1,4)"}) {
    const cute::ComposedLayout l = *cute::parseComposedLayout(text);
    const cute::Layout& b = l.inner();
    for (i64 row = 0; row < b.mode(0).size(); ++row) {
      std::vector<cute::IntTuple> c(static_cast<std::size_t>(b.rank()), cute::IntTuple::wildcard());
      c[0] = cute::IntTuple(row);
      const auto part = sliceAndOffset(cute::IntTuple::tuple(c), l);
      REQUIRE(part.ok());
      for (i64 x = 0; x < b.size() / b.mode(0).size(); ++x) {
        const i64 want = l.crd2idx(row + x * b.mode(0).size())->value();
        const cute::IntTuple got = std::visit([&](const auto& p) { return *p.crd2idx(x); }, part->layout);
        if (got.value() + part->offset != want) FAIL(text << " row " << row << " at " << x);
      }
    }
  }
}
