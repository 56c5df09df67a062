// The laws of composed layouts, as algebra/composed.h states them, over all small swizzles and inner layouts: nothing
// wrong is returned, and nothing is refused if a short search finds an answer.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composed.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/algebra/vector.h"
#include "core/notation/cute/notation.h"
#include "core/notation/cute/text/text.h"
#include "laws/generate.h"

using namespace tessera;
using namespace tessera::laws;

namespace {

std::vector<cute::Swizzle> smallSwizzles() {
  std::vector<cute::Swizzle> out;
  for (i64 bits = 0; bits <= 2; ++bits) {
    for (i64 base = 0; base <= 2; ++base) {
      for (i64 shift = -2; shift <= 2; ++shift) {
        if (const Result<cute::Swizzle> s = cute::Swizzle::make(bits, base, shift)) out.push_back(*s);
      }
    }
  }
  return out;
}

// Contiguous and not, powers of two and not.
std::vector<cute::Layout> smallInners() {
  std::vector<cute::Layout> out;
  forEachLayout(1, {1, 2, 3, 4, 5, 6, 7, 8, 12, 16}, {1, 2, 3}, [&](const cute::Layout& l) { out.push_back(l); });
  forEachLayout(2, {2, 3, 4}, {1, 2, 3, 4, 8}, [&](const cute::Layout& l) { out.push_back(l); });
  return out;
}

template <typename F>
void forEachComposed(const std::vector<i64>& offsets, const F& f) {
  for (const cute::Swizzle& s : smallSwizzles()) {
    for (const cute::Layout& inner : smallInners()) {
      for (const i64 offset : offsets) f(*cute::ComposedLayout::make(s, cute::IntTuple(offset), inner));
    }
  }
}

i64 at(const cute::ComposedLayout& l, i64 i) { return l.crd2idx(i)->value(); }
i64 sizeOf(const cute::ComposedLayout& l) { return l.inner().size(); }

std::vector<i64> tableOfComposed(const cute::ComposedLayout& l) {
  std::vector<i64> out;
  for (i64 i = 0; i < sizeOf(l); ++i) out.push_back(at(l, i));
  return out;
}

bool repeats(std::vector<i64> values) {
  std::sort(values.begin(), values.end());
  return std::adjacent_find(values.begin(), values.end()) != values.end();
}

std::string text(const Result<cute::ComposedLayout>& r) { return r ? print(*r) : r.error().message; }
cute::ComposedLayout composed(const char* l) { return *cute::parseComposedLayout(l); }
cute::Layout plain(const char* l) { return *cute::parseLayout(l); }

}  // namespace

TEST_CASE("right_inverse of composed layouts gives back every index, and is as long as the swizzle lets it be") {
  i64 swizzled = 0;
  forEachComposed({0}, [&](const cute::ComposedLayout& l) {
    const Result<cute::ComposedLayout> r = rightInverse(l);
    if (!r) FAIL("right_inverse(" << print(l) << ") refused: " << r.error().message);
    for (i64 i = 0; i < sizeOf(*r); ++i) {
      if (at(*r, i) >= sizeOf(l) || at(l, at(*r, i)) != i) FAIL("right_inverse(" << print(l) << ") = " << print(*r));
    }
    if (!(*r->swizzle()).isIdentity()) ++swizzled;
    // A contiguous inner that the swizzle maps into itself is inverted whole, by the swizzle itself.
    if (l.inner().rank() != 1 || l.inner().stride() != cute::IntTuple(1)) return;
    bool closed = true;
    for (i64 i = 0; i < sizeOf(l); ++i) closed = closed && at(l, i) < sizeOf(l);
    if (closed && sizeOf(*r) != sizeOf(l)) FAIL("short: right_inverse(" << print(l) << ") = " << print(*r));
  });
  CHECK(swizzled > 300);
  CHECK(text(rightInverse(composed("Sw<1,0,1> o 0 o 5:1"))) == "Sw<1,0,1> o 0 o 5:1");
  CHECK(text(rightInverse(composed("Sw<2,0,2> o 0 o 12:1"))) == "Sw<2,0,2> o 0 o 12:1");
  // 6 goes to 7, which is no index of 7:1.
  CHECK(text(rightInverse(composed("Sw<1,0,1> o 0 o 7:1"))) == "Sw<1,0,1> o 0 o 6:1");
}

TEST_CASE("right_inverse of composed layouts is as long as indices of 0, 1, 2 ... are a layout") {
  // What no swizzle of right_inverse(B) reaches, and a layout for the outer function.
  CHECK(text(rightInverse(composed("Sw<2,0,-3> o 0 o 16:3"))) == "Sw<0,0,0> o 0 o 4:3");
  CHECK(text(rightInverse(composed("(4,5):(5,1) o 0 o 20:1"))) == "Sw<0,0,0> o 0 o (5,4):(4,1)");
  CHECK(text(rightInverse(composed("(4,5):(5,1) o 1 o 4:1"))) == "right_inverse: a layout maps 0 to 0, but L(0) is 5");
  i64 longer = 0;
  const auto check = [&](const cute::ComposedLayout& l) {
    const std::vector<i64> values = tableOfComposed(l);
    if (repeats(values)) return;  // then there is more than one way back
    std::vector<i64> index;
    for (i64 v = 0;; ++v) {
      const auto it = std::find(values.begin(), values.end(), v);
      if (it == values.end()) break;
      index.push_back(it - values.begin());
    }
    if (index.empty() || index[0] != 0) return;
    // The longest prefix of the indices that strides of its own digits give, by trying every length.
    const auto isLayout = [](std::vector<i64> g) {
      while (g.size() > 1) {
        std::size_t run = 1;
        while (run < g.size() && g[run] == static_cast<i64>(run) * g[1]) ++run;
        if (g.size() % run != 0) return false;
        std::vector<i64> rest;
        for (std::size_t k = 0; k < g.size(); k += run) {
          rest.push_back(g[k]);
          for (std::size_t r = 0; r < run; ++r)
            if (g[k + r] != g[k] + static_cast<i64>(r) * g[1]) return false;
        }
        g = rest;
      }
      return true;
    };
    i64 longest = 1;
    for (std::size_t n = 2; n <= index.size(); ++n)
      if (isLayout({index.begin(), index.begin() + static_cast<std::ptrdiff_t>(n)})) longest = static_cast<i64>(n);
    const auto r = rightInverse(l);
    if (!r || sizeOf(*r) < longest)
      FAIL("short: right_inverse(" << print(l) << ") = " << text(r) << ", not " << longest);
    for (i64 i = 0; i < sizeOf(*r); ++i)
      if (at(l, at(*r, i)) != i) FAIL("right_inverse(" << print(l) << ") = " << print(*r));
    ++longer;
  };
  forEachComposed({0}, check);
  for (const char* outer : {"(4,5):(5,1)", "(2,3,4):(1,8,2)", "8:1", "(3,4):(4,1)", "(4,4):(-1,4)"})
    for (const char* inner : {"8:1", "(2,4):(4,1)", "6:2", "(4,2):(1,6)", "(3,3):(1,4)"})
      check(composed((std::string(outer) + " o 0 o " + inner).c_str()));
  CHECK(longer > 1000);
}

TEST_CASE("complement, filter, alignment and common layouts of composed layouts") {
  const auto word = [](const auto& r) { return r ? print(*r) : r.error().message; };
  CHECK(word(complement(composed("Sw<3,3,3> o 0 o (8,64):(64,1)"), 1024)) == "2:512");
  CHECK(word(complement(composed("Sw<1,0,1> o 0 o 3:1"), 6)) ==
        "complement: Sw<1,0,1> o 0 o 3:1 and 2:3 have the same value 3");
  CHECK(*maxAlignment(composed("Sw<3,3,3> o 0 o (8,64):(64,1)")) == 8);
  CHECK(*maxAlignment(composed("Sw<3,3,3> o 4 o (8,64):(64,1)")) == 4);
  CHECK(*maxAlignment(composed("Sw<3,4,3> o 0 o (8,12):(12,1)")) == 16);
  CHECK(word(maxCommonLayout(composed("Sw<3,3,3> o 0 o (8,64):(64,1)"), plain("(8,64):(64,1)"))) == "8:8");
  forEachComposed({0, 1, 4}, [&](const cute::ComposedLayout& l) {
    const std::vector<i64> values = tableOfComposed(l);
    // All sums of the layout without copies and its complement differ.
    if (const auto rest = complement(l, 40)) {
      const std::vector<i64> once = tableOfComposed(*withInner(l, filter(l.inner())));
      std::vector<i64> sums;
      for (i64 j = 0; j < rest->size(); ++j)
        for (const i64 v : once) sums.push_back(v + (*rest)(j));
      if (repeats(sums)) FAIL("complement(" << print(l) << ") = " << print(*rest));
    }
    const i64 v = *maxAlignment(l);
    const std::set<i64> places(values.begin(), values.end());
    for (const i64 place : places)  // aligned vectors of v places are there whole, or not at all
      for (i64 k = 0; k < v; ++k)
        if (places.count(place - place % v + k) == 0) FAIL("max_alignment(" << print(l) << ") = " << v);
  });
}

TEST_CASE("left_inverse of composed layouts leads every value back") {
  i64 answered = 0, refused = 0;
  forEachComposed({0, 4}, [&](const cute::ComposedLayout& l) {
    const Result<cute::ComposedLayout> g = leftInverse(l);
    if (!g) {
      ++refused;
      // G is the swizzle itself on a contiguous inner; CuTe answers there.
      if (l.inner().rank() == 1 && l.inner().stride() == cute::IntTuple(1) && l.offset() == cute::IntTuple(0))
        FAIL("left_inverse(" << print(l) << ") refused: " << g.error().message);
      return;
    }
    ++answered;
    const bool injective = !repeats(tableOfComposed(l));
    for (i64 i = 0; i < sizeOf(l); ++i) {
      const i64 back = at(*g, at(l, i));
      if (back < 0 || back >= sizeOf(l) || (injective ? back != i : at(l, back) != at(l, i)))
        FAIL("left_inverse(" << print(l) << ") = " << print(*g) << " at " << i);
    }
  });
  CHECK(answered > 4'000);
  CHECK(refused > 100);
  CHECK(text(leftInverse(composed("Sw<1,0,1> o 0 o 5:1"))) == "Sw<1,0,1> o 0 o 5:1");
  CHECK(text(leftInverse(composed("Sw<1,1,1> o 0 o 4:2"))) == "Sw<1,0,1> o 0 o (2,4):(0,1)");
  CHECK(text(leftInverse(composed("Sw<1,0,1> o 0 o 4:2"))) == "Sw<0,0,0> o 0 o (2,4):(0,1)");
  CHECK(text(leftInverse(composed("(4,4):(4,1) o 0 o 4:1"))) == "Sw<0,0,0> o 0 o (4,4):(0,1)");
}

TEST_CASE("a layout after a composed layout reads through it") {
  i64 answered = 0, refused = 0;
  std::vector<cute::Layout> outers;
  forEachLayout(1, {4, 8}, {1, 2, 3, 4}, [&](const cute::Layout& l) { outers.push_back(l); });
  forEachLayout(2, {2, 4}, {1, 4}, [&](const cute::Layout& l) { outers.push_back(l); });
  for (const cute::Layout& a : outers) {
    forEachComposed({0, 2}, [&](const cute::ComposedLayout& b) {
      const Result<cute::ComposedLayout> r = composition(a, b);
      if (!r) {
        ++refused;
        // A power of two as the only stride moves the swizzle's bits up: CuTe answers.
        if (a.rank() == 1 && a.stride() != cute::IntTuple(3) && b.offset() == cute::IntTuple(0))
          FAIL("composition(" << print(a) << ", " << print(b) << ") refused: " << r.error().message);
        return;
      }
      ++answered;
      for (i64 i = 0; i < sizeOf(b); ++i) {
        if (at(*r, i) != a(at(b, i))) FAIL("composition(" << print(a) << ", " << print(b) << ") = " << print(*r));
      }
      if (!compatible(b.shape(), r->shape())) FAIL("shape: " << print(a) << ", " << print(b) << " = " << print(*r));
    });
  }
  CHECK(answered > 15'000);
  CHECK(refused > 1'000);
  const auto of = [](const char* a, const char* b) { return text(composition(plain(a), composed(b))); };
  CHECK(of("8:2", "Sw<1,0,1> o 0 o 4:1") == "Sw<1,1,1> o 0 o 4:2");
  CHECK(of("(2,4):(4,1)", "Sw<1,0,1> o 0 o 8:1") == "Sw<1,0,-2> o 0 o (2,4):(4,1)");
  CHECK(of("5:3", "Sw<1,0,1> o 0 o 5:1") ==
        "no swizzle Sw o 0 o 5:3 satisfies R(i) = A(L(i)): at i = 2 that is 9, but Sw<0,0,0> gives 6");
  CHECK(of("(4,4):(4,1)", "(4,5):(1,4) o 2 o (2,3):(1,2)") == "(4,5):(4,1) o 2 o (2,3):(1,2)");
  CHECK(text(composition(plain("8:2"), *cute::Swizzle::make(1, 0, 1))) == "Sw<1,1,1> o 0 o 8:2");
  CHECK(text(composition(composed("Sw<1,0,1> o 0 o 4:1"), composed("Sw<1,0,1> o 0 o 4:1"))) == "Sw<0,0,0> o 0 o 4:1");
}

TEST_CASE("copies as a composed tiler has them") {
  i64 answered = 0, refused = 0;
  for (const char* block : {"4:1", "8:2", "3:4", "(2,2):(1,4)", "(4,2):(2,1)", "1:1", "2:3"}) {
    const cute::Layout a = plain(block);
    forEachComposed({0}, [&](const cute::ComposedLayout& b) {
      const Result<cute::ComposedLayout> r = logicalProduct(a, b);
      if (!r) {
        ++refused;
        return;
      }
      ++answered;
      const std::vector<i64> places = tableOfComposed(b);
      const cute::Layout rest = *complement(a, a.size() * (*std::max_element(places.begin(), places.end()) + 1));
      for (i64 j = 0; j < sizeOf(b); ++j) {
        for (i64 i = 0; i < a.size(); ++i) {
          if (at(*r, i + a.size() * j) != a(i) + rest(places[static_cast<std::size_t>(j)]))
            FAIL("logical_product(" << block << ", " << print(b) << ") = " << print(*r));
        }
      }
    });
  }
  CHECK(answered > 8'000);
  CHECK(refused > 100);
  CHECK(text(logicalProduct(plain("8:2"), composed("Sw<1,0,1> o 0 o 4:1"))) == "Sw<1,0,4> o 0 o (8,(2,2)):(2,(1,16))");
  CHECK(text(logicalProduct(plain("4:1"), composed("Sw<1,0,1> o 0 o (2,2):(2,1)"))) ==
        "Sw<1,2,1> o 0 o (4,(2,2)):(1,(8,4))");
}

TEST_CASE("aligned vectors of a swizzled layout stay together") {
  const auto n = [](const char* a, const char* b) { return *maxCommonVector(composed(a), plain(b)); };
  CHECK(n("Sw<3,3,3> o 4 o 128:1", "128:1") == 4);
  CHECK(n("Sw<3,3,3> o 0 o 128:1", "128:1") == 8);
  CHECK(n("Sw<3,3,3> o 64 o 128:1", "128:1") == 8);
  CHECK(n("Sw<3,3,3> o 3 o 128:1", "128:1") == 1);
  for (const cute::Swizzle& s : smallSwizzles()) {
    for (i64 offset = 0; offset < 20; ++offset) {
      const cute::ComposedLayout a = *cute::ComposedLayout::make(s, cute::IntTuple(offset), plain("32:1"));
      const i64 v = *maxCommonVector(a, plain("32:1"));
      for (i64 start = 0; start < 32; start += v) {
        for (i64 k = 0; k < v; ++k) {
          if (at(a, start + k) != at(a, start) + k) FAIL(print(a) << ": " << v);
        }
      }
      if (offset % 4 == 0 && s.base() == 2 && v < 4) FAIL(print(a) << ": only " << v);
    }
  }
  // The same swizzle on both sides moves the same elements.
  CHECK(*maxCommonVector(composed("Sw<3,3,3> o 0 o 128:1"), composed("Sw<3,3,3> o 0 o 128:1")) == 128);
  CHECK(*maxCommonVector(composed("Sw<3,3,3> o 0 o 128:1"), composed("Sw<2,3,3> o 0 o 128:1")) == 8);
}

TEST_CASE("the codomain of a swizzled interval is 1 + its largest value") {
  for (const cute::Swizzle& s : smallSwizzles()) {
    for (i64 n = 1; n <= 70; ++n) {
      i64 most = 0;
      for (i64 x = 0; x < n; ++x) most = std::max(most, s(x));
      if (toMap(s, n)->axes()[0].extent != most + 1) FAIL(print(s) << " on [0, " << n << ")");
    }
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
