// The laws of the other operations, as their headers state them, over all small layouts.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <set>

#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/algebra/vector.h"
#include "core/notation/cute/text/text.h"
#include "laws/generate.h"
#include "tests/support/parse_tiler.h"

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

TEST_CASE("complement is ordered, disjoint and covers; it is refused only where a value repeats or is negative") {
  i64 answered = 0;
  i64 refused = 0;
  forSmall([&](const cute::Layout& l) {
    for (const i64 cotarget : {i64{1}, i64{8}, i64{19}, i64{24}}) {
      const Result<cute::Layout> r = complement(l, cotarget);
      const cute::Layout f = *filter(l);
      if (!r) {
        ++refused;
        const std::vector<i64> values = tableOf(f);
        const bool apart = allDiffer(std::multiset<i64>(values.begin(), values.end()));
        if (apart && f.minOffset() >= 0)
          FAIL("complement(" << print(l) << ", " << cotarget << ") refused: " << r.error().message);
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
  const auto of = [](const char* l, i64 n) { return print(*complement(*cute::parseLayout(l), n)); };
  CHECK(of("(3,2):(2,3)", 8) == "2:6");            // 0 2 3 4 5 7 differ modulo 6
  CHECK(of("(2,2):(2,3)", 8) == "2:4");            // 0 2 3 5 differ modulo 4
  CHECK(of("(3,2):(4,6)", 30) == "(2,3):(1,12)");  // the first once more, in steps of 2
  CHECK(of("2:1", INT64_MAX) == "4611686018427387904:2");
  CHECK(of("4:2", INT64_MAX) == "(2,1152921504606846976):(1,8)");
  CHECK(of("2:4611686018427387904", INT64_MAX) == "4611686018427387904:1");
  const auto message = [](const char* l) { return complement(*cute::parseLayout(l), 8).error().message; };
  CHECK(message("(4,2):(1,2)") ==
        "complement needs a layout that repeats no value: at i = 2 and i = 4, A(2) = A(4) = 2");
  CHECK(message("(3,3):(2,2)") ==
        "complement needs a layout that repeats no value: at i = 1 and i = 3, A(1) = A(3) = 2");
  CHECK(message("(300,300):(2,3)") ==
        "complement: the modes interleave, and more than 65536 values are too many to check");
  CHECK(message("4:-1") == "complement needs values of at least 0: A(1) = -1");
}

TEST_CASE("right_inverse gives back every index it promises, and left_inverse every value") {
  i64 left = 0;
  const auto look = [&](const cute::Layout& l) {
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
      const i64 back = (*g)(l(i));
      if (back < 0 || back >= l.size() || l(back) != l(i))
        FAIL("left_inverse(" << print(l) << ") = " << print(*g) << " at " << i);
    }
    if (static_cast<i64>(seen.size()) != l.size()) return;
    for (i64 i = 0; i < l.size(); ++i) {
      if ((*g)(l(i)) != i) FAIL("left_inverse(" << print(l) << ") = " << print(*g) << " is no identity at " << i);
    }
  };
  forSmall(look);
  forEachLayout(2, {2, 3, 4}, {5, 6, 7, 9, 11}, look);
  forEachLayout(3, {2, 3}, {0, 1, 3, 5, 7}, look);
  CHECK(left > 1'000);
  const auto of = [](const char* l) {
    const Result<cute::Layout> g = leftInverse(*cute::parseLayout(l));
    return g ? print(*g) : g.error().message;
  };
  CHECK(of("(2,2):(2,5)") == "(2,4):(0,1)");
  CHECK(of("(3,2):(2,3)") == "(2,4):(2,1)");
  CHECK(of("(4,2):(1,2)") == "(3,2):(1,5)");
  CHECK(of("(_2,_2):(_2,_5)") == "(_2,_4):(_0,_1)");
  CHECK(of("(2,2,2):(1,3,5)") ==
        "left_inverse: stride 5 is not a multiple of the stride 3 below it, so the digits of an offset cannot be read "
        "one by one; no layout G has L(G(L(i))) = L(i) for every i");
  CHECK(of("(300,300):(2,602)") == "(2,301,300):(0,1,300)");
  CHECK(
      of("(300,300):(2,601)") ==
      "left_inverse: stride 601 is not a multiple of the stride 2 below it, so the digits of an offset cannot be read "
      "one by one; no other G was found in reasonable time");
}

namespace {

// Every layout over the chains of periods up to `most`, at most three modes, small strides: does one lead L back?
bool someLeadsBack(const cute::Layout& l, i64 most) {
  const std::vector<i64> values = tableOf(l);
  const auto leads = [&](const std::vector<i64>& periods, const std::vector<i64>& strides) {
    return std::all_of(values.begin(), values.end(), [&](i64 value) {
      i64 sum = 0;
      i64 rest = value;
      for (std::size_t k = 0; k < strides.size(); ++k) {
        const i64 width = k < periods.size() ? periods[k] / (k == 0 ? 1 : periods[k - 1]) : INT64_MAX;
        sum += rest % width * strides[k];
        rest /= width;
      }
      return sum >= 0 && sum < l.size() && values[static_cast<std::size_t>(sum)] == value;
    });
  };
  std::vector<std::vector<i64>> chains = {{}};
  for (i64 p = 2; p <= most; ++p) {
    chains.push_back({p});
    for (i64 q = 2 * p; q <= most; q += p) chains.push_back({p, q});
  }
  constexpr i64 kLow = -4, kHigh = 6;
  for (const std::vector<i64>& periods : chains) {
    std::vector<i64> strides(periods.size() + 1, kLow);
    while (true) {
      if (leads(periods, strides)) return true;
      std::size_t k = 0;
      while (k < strides.size() && ++strides[k] > kHigh) strides[k++] = kLow;
      if (k == strides.size()) break;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("left_inverse is refused only where no layout leads back") {
  i64 answered = 0, refused = 0;
  const auto look = [&](const cute::Layout& l) {
    if (l.maxOffset() > 12) return;
    const Result<cute::Layout> g = leftInverse(l);
    ++(g ? answered : refused);
    if (g) return;  // right, as the test before shows for every small layout
    if (g.error().message.find("in reasonable time") != std::string::npos && l.size() > 8) return;
    if (g.error().message.find("no layout G has") == std::string::npos) FAIL(print(l) << ": " << g.error().message);
    if (someLeadsBack(l, l.maxOffset())) FAIL("left_inverse(" << print(l) << ") has an answer");
  };
  forEachLayout(2, {2, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, look);
  forEachLayout(3, {2, 3}, {0, 1, 2, 3, 4, 5, 6, 7}, look);
  CHECK(answered > 500);
  CHECK(refused > 50);
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

// What CuTe C++ prints (a host build of its headers, 4.2), the static marks left out.
TEST_CASE("extent-1 modes, nested tilers and units are as CuTe prints them") {
  const auto text = [](const Result<cute::Layout>& r) { return r ? print(*r) : r.error().message; };
  const auto of = [](const char* l) { return *cute::parseLayout(l); };
  struct Row {
    const char *a, *b, *result;
  };
  for (const Row& r : std::vector<Row>{{"2:1", "1:4", "1:4"},
                                       {"(4,8):(8,1)", "1:3", "1:1"},
                                       {"(4,8):(8,1)", "1:32", "1:8"},
                                       {"(4,8):(8,1)", "(1,4):(3,2)", "(1,(2,2)):(1,(16,1))"},
                                       {"(4,8):(8,1)", "1:8", "1:2"},
                                       {"1:0", "1:4", "1:0"},
                                       {"1:3", "1:4", "1:12"},
                                       {"(4,1):(1,9)", "1:4", "1:9"},
                                       {"1:7", "(1,1):(2,3)", "(1,1):(14,21)"},
                                       {"(2,2):(3,5)", "(1,(1,2)):(2,(1,2))", "(1,(1,2)):(5,(5,5))"},
                                       {"(6,2):(1,7)", "1:4", "1:7"},
                                       {"(2,4,8):(3,5,7)", "1:-4", "1:-7"}}) {
    INFO("composition(" << r.a << ", " << r.b << ")");
    CHECK(text(composition(of(r.a), of(r.b))) == r.result);
  }
  for (const Row& r :
       std::vector<Row>{{"4:1", "((3)):((1))", "((4,((3)))):((1,((4))))"},
                        {"4:1", "(3):(1)", "((4,(3))):((1,(4)))"},
                        {"(4):(1)", "(3):(1)", "((4,3)):((1,4))"},
                        {"4:1", "(3,2):(1,3)", "((4,3),(1,2)):((1,4),(0,12))"},
                        {"4:1", "((3,2)):((1,3))", "((4,((3,2)))):((1,((4,12))))"},
                        {"2:2", "(2):(2)", "((2,(2))):((2,(4)))"},
                        {"(2,2):(1,2)", "3:1", "((2,3),(2,1)):((1,4),(2,0))"},
                        {"(2,3):(1,2)", "((2,2),3):((1,2),4)", "((2,(2,2)),(3,3)):((1,(6,12)),(2,24))"}}) {
    INFO("blocked_product(" << r.a << ", " << r.b << ")");
    CHECK(text(blockedProduct(of(r.a), of(r.b))) == r.result);
  }
  for (const Row& r : std::vector<Row>{{"((2)):((1))", "3:1", "((3,((2)))):((2,((1))))"},
                                       {"(4):(1)", "(3):(1)", "((3,4)):((4,1))"},
                                       {"(2,2):(1,2)", "3:1", "((3,2),(1,2)):((4,1),(0,2))"},
                                       {"((2,2)):((1,2))", "3:1", "((3,((2,2)))):((4,((1,2))))"}}) {
    INFO("raked_product(" << r.a << ", " << r.b << ")");
    CHECK(text(rakedProduct(of(r.a), of(r.b))) == r.result);
  }
  CHECK(text(zippedDivide(of("(4,4):(4,1)"), *cute::parseTiler("<_,2>"))) == "((4,2),(1,2)):((4,1),(0,2))");
  CHECK(text(blockedProduct(of("(_2,_2):(_1,_2)"), of("_3:_1"))) == "((_2,_3),(_2,_1)):((_1,_4),(_2,_0))");
}

TEST_CASE("plain operands give plain text") {
  const cute::Tiler tiler = *cute::parseTiler("<2,_>");
  std::mt19937_64 random(17);
  const auto plain = [](const Result<cute::Layout>& r) {
    if (r && print(*r).find('_') != std::string::npos) FAIL(print(*r));
  };
  for (int trial = 0; trial < 2'000; ++trial) {
    const cute::Layout a = randomLayout(random, 3, 4, 0, 8);
    const cute::Layout b = randomLayout(random, 2, 3, 0, 4);
    using Binary = Result<cute::Layout> (*)(const cute::Layout&, const cute::Layout&);
    for (const Binary operation : std::initializer_list<Binary>{
             cute::composition, cute::logicalDivide, cute::zippedDivide, cute::tiledDivide, cute::flatDivide,
             cute::logicalProduct, cute::zippedProduct, cute::tiledProduct, cute::flatProduct})
      plain(operation(a, b));
    plain(blockedProduct(a, b));
    plain(rakedProduct(a, b));
    plain(maxCommonLayout(a, b));
    plain(leftInverse(a));
    plain(rightInverse(a));
    plain(complement(a, 20));
    plain(nullspace(a));
    plain(makeLayoutLike(a));
    plain(tileToShape(a, cute::IntTuple(a.size() * 2)));
    if (a.rank() < 2) continue;
    plain(zippedDivide(a, tiler));
    plain(flatDivide(a, tiler));
    plain(zippedProduct(a, tiler));
  }
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
        "the tiler <3,8,2> has 3 modes, but layout (12,(4,8)):(59,(13,1)) has 2");
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
      if (v(i) >= a.size() || v(i) >= b.size()) FAIL(print(a) << " " << print(b) << ": " << print(v) << " leaves them");
      if (a(v(i)) != i || b(v(i)) != i)
        FAIL("max_common_layout(" << print(a) << ", " << print(b) << ") = " << print(v));
    }
  }
  CHECK(beyondOne > 1'500);
  CHECK(*maxCommonVector(*cute::parseLayout("2:1"), *cute::parseLayout("4:1")) == 2);
  CHECK(*maxCommonVector(*cute::parseLayout("4:1"), *cute::parseLayout("2:1")) == 2);
  CHECK(print(*maxCommonLayout(*cute::parseLayout("2:2"), *cute::parseLayout("4:1"))) == "1:0");
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
