// composition(A, B) is right, or is refused exactly when no layout of B's refined shape is right.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "core/map/compose.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/notation.h"
#include "core/notation/cute/text/text.h"
#include "laws/generate.h"

using namespace tessera;
using namespace tessera::laws;

namespace {

// A at any integer, the obvious way: C++ evaluation with the last digit unreduced, past trailing extent-1 modes too.
i64 valueAt(const cute::Layout& a, i64 y) { return a(y); }

// All ways to write n as an ordered product of factors >= 2 (n = 1: the empty product).
std::vector<std::vector<i64>> factorisations(i64 n) {
  if (n == 1) return {{}};
  std::vector<std::vector<i64>> out;
  for (i64 f = 2; f <= n; ++f) {
    if (n % f != 0) continue;
    for (auto& rest : factorisations(n / f)) {
      rest.insert(rest.begin(), f);
      out.push_back(std::move(rest));
    }
  }
  return out;
}

// Does any layout whose shape splits each leaf of B equal A o B? The strides of such a layout are A(B) at its unit
// coordinates, so a choice of factors leaves nothing open. Leaves are split one after another, all choices tried.
bool exists(const cute::Layout& b, const std::vector<i64>& want, std::size_t leaf, std::vector<i64>& shape) {
  const std::vector<cute::LayoutLeaf> leaves = flatLeaves(b);
  if (leaf < leaves.size()) {
    for (const auto& factors : factorisations(leaves[leaf].extent)) {
      const std::size_t before = shape.size();
      shape.insert(shape.end(), factors.begin(), factors.end());
      const bool found = exists(b, want, leaf + 1, shape);
      shape.resize(before);
      if (found) return true;
    }
    return false;
  }
  for (std::size_t i = 0; i < want.size(); ++i) {
    i64 sum = 0;
    i64 rest = static_cast<i64>(i);
    i64 unit = 1;
    for (const i64 s : shape) {
      sum += rest % s * want[static_cast<std::size_t>(unit)];
      rest /= s;
      unit *= s;
    }
    if (sum != want[i]) return false;
  }
  return true;
}

struct Tally {
  i64 answered = 0;
  i64 refused = 0;
};

void check(const cute::Layout& a, const cute::Layout& b, Tally& tally) {
  std::vector<i64> want;
  for (i64 i = 0; i < b.size(); ++i) want.push_back(valueAt(a, b(i)));
  const Result<cute::Layout> r = composition(a, b);
  if (r) {
    ++tally.answered;
    if (tableOf(*r) != want) FAIL(print(a) << " o " << print(b) << " = " << print(*r) << " is wrong");
    if (!compatible(b.shape(), r->shape())) FAIL(print(a) << " o " << print(b) << " = " << print(*r) << ": shape");
    return;
  }
  ++tally.refused;
  std::vector<i64> shape;
  if (exists(b, want, 0, shape)) FAIL(print(a) << " o " << print(b) << " has an answer: " << r.error().message);
  // The witness: its numbers are A's and B's, and no earlier index of the named strides differs.
  const auto numberAfter = [&](const char* words) -> std::optional<i64> {
    const std::size_t at = r.error().message.rfind(words);
    if (at == std::string::npos) return std::nullopt;
    return std::strtoll(r.error().message.c_str() + at + std::strlen(words), nullptr, 10);
  };
  const auto i = numberAfter("at i = ");
  const auto y = numberAfter(" = A(");
  const auto given = numberAfter(" give ");
  const auto claimed = numberAfter(") = ");
  if (!i || !y || !given || !claimed) FAIL(r.error().message);
  const bool truthful =
      *i < b.size() && *y == b(*i) && *claimed == want[static_cast<std::size_t>(*i)] && *claimed != *given;
  if (!truthful) FAIL(print(a) << " o " << print(b) << ": " << r.error().message);
}

}  // namespace

TEST_CASE("composition is right or impossible, for all small layouts") {
  std::vector<cute::Layout> bs;
  forEachLayout(1, {1, 2, 3, 4, 6, 8, 12}, {0, 1, 2, 3, 4, 5, 6, 7, 9, 10},
                [&](const cute::Layout& b) { bs.push_back(b); });
  forEachLayout(2, {2, 3, 4}, {0, 1, 2, 3, 4, 6, 8}, [&](const cute::Layout& b) { bs.push_back(b); });
  forEachLayout(3, {2, 3}, {1, 2, 4, 5}, [&](const cute::Layout& b) { bs.push_back(b); });
  Tally tally;
  std::size_t next = 0;
  const auto against = [&](const cute::Layout& a, std::size_t count) {
    // Steps through all B in turn (a prime stride), so that every B meets many A.
    for (std::size_t k = 0; k < count; ++k) check(a, bs[(next += 37) % bs.size()], tally);
  };
  forEachLayout(1, {1, 2, 3, 4, 5}, {0, 1, 2, 3}, [&](const cute::Layout& a) { against(a, bs.size()); });
  forEachLayout(2, {1, 2, 3, 4, 6}, {0, 1, 2, 3, 5, 7}, [&](const cute::Layout& a) { against(a, 120); });
  forEachLayout(3, {2, 3, 4}, {0, 1, 2, 3, 4, 6}, [&](const cute::Layout& a) { against(a, 20); });
  CHECK(tally.answered > 20'000);
  CHECK(tally.refused > 20'000);
}

TEST_CASE("composition with negative strides is right or impossible") {
  Tally tally;
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 40'000; ++trial) {
    const cute::Layout a = randomLayout(random, 3, 4, -4, 8);
    const cute::Layout b = randomLayout(random, 3, 4, -5, 7);
    check(a, b, tally);
  }
  CHECK(tally.answered > 3'000);
  CHECK(tally.refused > 3'000);
}

TEST_CASE("the known wrong answers are refused with their witness") {
  const auto refusal = [](const char* a, const char* b) {
    const Result<cute::Layout> r = composition(*cute::parseLayout(a), *cute::parseLayout(b));
    return r ? "= " + print(*r) : r.error().message;
  };
  CHECK(refusal("(6,2):(1,7)", "(3,2):(2,3)") ==
        "no layout of this shape satisfies R(i) = A(B(i)): at i = 5, A(B(5)) = A(7) = 8, but strides 2, 3 give 7");
  // A(0) A(3) A(6) A(9) = 0 6 7 8: the tangent ends at 2, and 6 + 7 is not 8. CuTe's (2,3):(6,3) is wrong at 2 already.
  CHECK(refusal("(4,6,8):(2,3,5)", "6:3") ==
        "no layout of this shape satisfies R(i) = A(B(i)): at i = 3, A(B(3)) = A(9) = 8, but strides 6, 7 give 13");
  // A(0) A(4) A(8) A(12) = 0 4 9 14.
  CHECK(refusal("(6,2):(1,7)", "4:4") ==
        "no layout of this shape satisfies R(i) = A(B(i)): at i = 3, A(B(3)) = A(12) = 14, but strides 4, 9 give 13");
}

TEST_CASE("where CuTe refuses or is wrong, an exact answer of another form is found") {
  const auto text = [](const char* a, const char* b) {
    const Result<cute::Layout> r = composition(*cute::parseLayout(a), *cute::parseLayout(b));
    return r ? print(*r) : r.error().message;
  };
  // CuTe: stride 3 is neither a multiple of 2 nor below it. The carries out of places 0 and 1 cancel.
  CHECK(text("(2,3,8):(1,5,12)", "6:3") == "6:6");
  // CuTe: ceil(5/3) = 2 does not divide 3. A(0) A(3) A(6) = 0 3 6: Delta of place 1 is 5 - 5 * 1 = 0 after coalescing.
  CHECK(text("(5,4):(1,5)", "3:3") == "3:3");
  // 0 3 | 16 19 over extent 4, although 3 does not divide 5: floor(3x/5) = floor(x/2) for x < 4.
  CHECK(text("(5,4):(1,15)", "4:3") == "(2,2):(3,16)");
}

TEST_CASE("huge compositions are decided without walking them") {
  const auto text = [](const char* a, const char* b) {
    const Result<cute::Layout> r = composition(*cute::parseLayout(a), *cute::parseLayout(b));
    return r ? print(*r) : r.error().message;
  };
  CHECK(text("(1048576,1048576):(1048576,1)", "(1048576,1048576):(1048576,1)") == "(1048576,1048576):(1,1048576)");
  CHECK(text("(1000000,1000000):(1,1000001)", "1000000000000:1") == "(1000000,1000000):(1,1000001)");
  CHECK(text("(1000000,1000000):(1,1000001)", "(999999,2):(1,999999)") ==
        "no layout of this shape satisfies R(i) = A(B(i)): at i = 1000000, A(B(1000000)) = A(1000000) = 1000001, but "
        "strides 1, 999999 give 1000000");
}

TEST_CASE("carries that cancel for ever are recognised") {
  // (2,3,n):(D0,D1,D2) at 3z: digits (z mod 2, z mod 2, z div 2); both carries are floor(z/2). Linear iff their deltas
  // cancel: D1 - 2 D0 + D2 - 3 D1 = 0, here 5 - 2 + D2 - 15 with D2 = 12.
  const cute::Layout a = *cute::parseLayout("(2,3,1000000000000):(1,5,12)");
  const Result<cute::Layout> r = composition(a, *cute::parseLayout("1000000000000:3"));
  REQUIRE(r.ok());
  CHECK(print(*r) == "1000000000000:6");
  for (i64 i = 0; i < 1000; ++i) CHECK((*r)(i) == a(3 * i));
}

TEST_CASE("random large compositions hold at random places") {
  std::mt19937_64 random(5);
  int answered = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::vector<i64> s;
    std::vector<i64> d;
    for (i64 k = pick(random, 1, 4); k > 0; --k) {
      s.push_back(i64{1} << pick(random, 0, 12));
      if (random() % 4 == 0) s.back() *= 3;
      d.push_back(pick(random, 0, 1) == 0 ? i64{1} << pick(random, 0, 20) : pick(random, -1000, 1000));
    }
    const cute::Layout a = layoutOf(s, d);
    s.clear();
    d.clear();
    for (i64 k = pick(random, 1, 3); k > 0; --k) {
      s.push_back(i64{1} << pick(random, 0, 10));
      d.push_back(i64{1} << pick(random, 0, 14));
    }
    const cute::Layout b = layoutOf(s, d);
    const Result<cute::Layout> r = composition(a, b);
    if (!r) continue;
    ++answered;
    for (int sample = 0; sample < 20; ++sample) {
      const i64 i = pick(random, 0, b.size() - 1);
      if ((*r)(i) != a(b(i))) FAIL(print(a) << " o " << print(b) << " = " << print(*r) << " at " << i);
    }
  }
  CHECK(answered > 5'000);
}

TEST_CASE("composition through scaled bases") {
  const auto text = [](const char* a, const char* b) {
    const Result<cute::Layout> r = composition(*cute::parseLayout(a), *cute::parseLayout(b));
    return r ? print(*r) : r.error().message;
  };
  CHECK(text("(4,4):(4,1)", "(4,4):(1@1,1@0)") == "(4,4):(1,4)");
  CHECK(text("(8,(2,4)):(1,(8,16))", "(2,4):(1@0@1,2@0)") == "(2,4):(8,2)");
  CHECK(text("(4,5):(1@0,1@1)", "20:1") == "(4,5):(1@0,1@1)");
  CHECK(text("(4,5):(1@0,1@1)", "2:5") == "a stride of the result would be (1,1), a sum of two bases");
  CHECK(text("(4,4):(4,1)", "2:1@2") == "B steps in mode 2, but A's part (4,4):(4,1) has 2 modes");
}

// toMap(composition(a, b)) == toMap(b).then(toMap(a)), as tables.
TEST_CASE("lowering commutes with composition") {
  std::mt19937_64 random(3);
  int checked = 0;
  for (int trial = 0; trial < 3'000; ++trial) {
    const cute::Layout a = randomLayout(random, 3, 4, 0, 9);
    const cute::Layout b = randomLayout(random, 2, 4, 0, 3);
    const Result<cute::Layout> r = composition(a, b);
    if (!r || b.cosize() > a.size()) continue;
    const Result<Map> chained = then(*toMap(b), *toMap(a));
    REQUIRE(chained.ok());
    const Map whole = *toMap(*r);
    const auto extents = [](const Map& m) {
      std::vector<i64> out;
      for (const Digit& d : m.digits()) out.push_back(d.extent);
      return out;
    };
    for (i64 i = 0; i < b.size(); ++i) {
      const i64 direct = whole.at(delinearize(i, extents(whole), LinearOrder::Colex))[0];
      REQUIRE(direct == chained->at(delinearize(i, extents(*chained), LinearOrder::Colex))[0]);
    }
    ++checked;
  }
  CHECK(checked > 300);
}
