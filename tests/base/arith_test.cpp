// Floor arithmetic against its definition, and the checked operations against 128-bit arithmetic.
#include "core/base/arith.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/base/result.h"

using namespace tessera;

namespace {
__extension__ using Wide = __int128;

std::vector<i64> edgeValues() {
  std::vector<i64> v;
  for (i64 k = -9; k <= 9; ++k) v.push_back(k);
  for (i64 k = 0; k < 3; ++k) {
    v.push_back(INT64_MAX - k);
    v.push_back(INT64_MIN + k);
    v.push_back((i64{1} << 32) + k);
    v.push_back(-(i64{1} << 31) - k);
  }
  return v;
}
}  // namespace

TEST_CASE("a == floorDiv(a, b) * b + floorMod(a, b) for b > 0, and floorMod lies in [0, |b|) for every b") {
  for (const i64 a : edgeValues())
    for (const i64 b : edgeValues()) {
      if (b == 0) continue;
      CAPTURE(a, b);
      const Wide size = b < 0 ? -Wide{b} : Wide{b};
      const i64 r = floorMod(a, b);
      CHECK(r >= 0);
      CHECK(Wide{r} < size);
      CHECK((Wide{a} - r) % size == 0);
      if (a == INT64_MIN && b == -1) continue;  // the quotient is no i64
      const i64 q = floorDiv(a, b);
      // q <= a/b < q + 1, multiplied out for either sign of b.
      CHECK((b > 0 ? Wide{q} * b <= a : Wide{q} * b >= a));
      CHECK((b > 0 ? (Wide{q} + 1) * b > a : (Wide{q} + 1) * b < a));
    }
}

TEST_CASE("the checked operations fail exactly when the result leaves 64 bits") {
  const auto fits = [](Wide w) { return w >= INT64_MIN && w <= INT64_MAX; };
  for (const i64 a : edgeValues())
    for (const i64 b : edgeValues()) {
      CAPTURE(a, b);
      const Wide results[] = {Wide{a} + b, Wide{a} - b, Wide{a} * b};
      const std::optional<i64> got[] = {checkedAdd(a, b), checkedSub(a, b), checkedMul(a, b)};
      for (int k = 0; k < 3; ++k) {
        CHECK(got[k].has_value() == fits(results[k]));
        if (got[k]) CHECK(Wide{*got[k]} == results[k]);
      }
    }
}

TEST_CASE("ceilDiv, roundUp and isPowerOfTwo") {
  for (i64 a = -20; a <= 20; ++a)
    for (i64 b = 1; b <= 7; ++b) {
      CHECK(ceilDiv(a, b) * b >= a);
      CHECK((ceilDiv(a, b) - 1) * b < a);
      CHECK(roundUp(a, b) == ceilDiv(a, b) * b);
    }
  int powers = 0;
  for (i64 a = -10; a <= 1024; ++a) powers += isPowerOfTwo(a);
  CHECK(powers == 11);
  CHECK(isPowerOfTwo(i64{1} << 62));
  CHECK_FALSE(isPowerOfTwo(INT64_MIN));
}

namespace {
Result<int> half(int x) {
  if (x % 2 != 0) return Diag{"odd", "", "", {3, 5}};
  return x / 2;
}
Result<int> quarter(int x) {
  TESSERA_TRY(const int h, half(x));
  TESSERA_TRY(const int q, half(h));
  return q;
}
Result<void> checkQuarter(int x) {
  TESSERA_CHECKED([&]() -> Result<void> {
    if (auto q = quarter(x); !q.ok()) return q.error();
    return {};
  }());
  return {};
}
}  // namespace

TEST_CASE("TESSERA_TRY hands the value on or the Diag up") {
  CHECK(*quarter(12) == 3);
  REQUIRE_FALSE(quarter(6).ok());
  CHECK(quarter(6).error() == Diag{"odd", "", "", {3, 5}});
  CHECK(checkQuarter(8).ok());
  CHECK(checkQuarter(7).error().span.shifted(10) == Span{13, 15});
}
