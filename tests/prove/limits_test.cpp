// Depth, and budgets without a clock: a proof ends after the given number of steps, for a claim of any size, and no
// text that a user can type is deeper than the provers can traverse.
#include <array>
#include <atomic>
#include <catch2/catch.hpp>

#include "core/base/work_budget.h"
#include "core/map/compose.h"
#include "solver/prove/obligation.h"
#include "solver/prove/prove.h"
#include "solver/prove/structure/bits.h"
#include "solver/prove/structure/normal.h"

using namespace tessera;

namespace {

Map mapOf(Expr value, i64 extent, std::vector<Param> params = {}) {
  auto map = Map::create({{"i", extent, DigitKind::Index}}, {{"offset", std::move(value), {}}}, {}, std::move(params));
  REQUIRE(map.ok());
  return *std::move(map);
}

Verdict injective(const Map& map, Method method, std::int64_t steps) {
  const WorkBudget limit({.steps = steps});
  ProveOptions options;
  options.budgetSeconds = 1e6;
  return prove({claims::Injective{map}, method}, options);
}

// i ^ 5 ^ i ^ 5 ...: without brackets.
Expr xorChain(int operations) {
  const Expr i = Expr::digit(0);
  Expr e = i;
  for (int k = 0; k < operations; ++k) e = k % 2 == 0 ? (e ^ Expr::constant(5 + k)) : (e ^ (i + k));
  return e;
}

// ((i * 3 floordiv 2 + 1) mod 1021 ...: no operation falls into another.
Expr mixedChain(int operations) {
  Expr e = Expr::digit(0);
  for (int k = 0; k < operations; ++k) {
    switch (k % 4) {
      case 0:
        e = e * 3;
        break;
      case 1:
        e = floorDiv(e, 2);
        break;
      case 2:
        e = e ^ Expr::constant(k);
        break;
      default:
        e = mod(e, 1021);
    }
  }
  return e;
}

Expr fieldSum(int terms) {
  Expr e;
  for (int k = 2; k < terms + 2; ++k) e = e + mod(floorDiv(Expr::digit(0), k), k + 1);
  return e;
}

constexpr std::array<Method, 6> kMethods = {Method::Auto, Method::Simplify,   Method::Strided,
                                            Method::F2,   Method::Exhaustive, Method::Z3};

}  // namespace

TEST_CASE("a chain of tens of thousands of operations is walked without recursion") {
  for (const Expr& e : {xorChain(20'000), mixedChain(20'000)}) {
    const Map map = mapOf(e, 1 << 10);
    for (const Method method : kMethods) {
      const Verdict v = injective(map, method, 1'000'000);
      INFO(name(method) << ": " << v.detail);
      CHECK((v.truth != Truth::Unknown || !v.detail.empty()));
    }
    (void)prover::peelInjective(map);
    (void)prover::bitMatrix(e, std::vector<int>{10});
  }
}

TEST_CASE("a sum of tens of thousands of symbolic sizes is walked without recursion") {
  Expr e = Expr::digit(0);
  std::vector<Param> params;
  for (int k = 0; k < 22'000; ++k) {
    e = e + Expr::param(k);
    params.push_back({"s" + std::to_string(k), 0, 3});
  }
  for (const Method method : {Method::Strided, Method::F2})
    CHECK(injective(mapOf(e, 8, params), method, 5'000'000).truth != Truth::Refuted);
}

TEST_CASE("a short chain is still decided") {
  // Every second operand cancels: i xor constants is injective on a power of two.
  Expr e = Expr::digit(0);
  for (int k = 0; k < 1000; ++k) e = e ^ Expr::constant(k % 8);
  CHECK(injective(mapOf(e, 64), Method::F2, INT64_MAX).truth == Truth::Proved);
  CHECK(injective(mapOf(e, 64), Method::Exhaustive, INT64_MAX).truth == Truth::Proved);
  CHECK(injective(mapOf(floorDiv(e, 2), 64), Method::Auto, INT64_MAX).truth == Truth::Refuted);
}

TEST_CASE("a proof takes no more steps than it was given, whatever the claim") {
  for (const int terms : {3, 30, 300, 3000}) {
    const Map map = mapOf(fieldSum(terms), i64{1} << 40);
    for (const std::int64_t steps : {0, 1000, 100'000}) {
      for (const Method method : kMethods) {
        ProveOptions options;
        options.budgetSeconds = 1e6;
        const WorkBudget limit({.steps = steps});
        const Verdict v = prove({claims::Injective{map}, method}, options);
        // One loop may charge what it does in one go: at most the size of a form, or a block of points.
        CHECK(limit.used() <= steps + 2'000'000);
        if (v.truth == Truth::Refuted) CHECK(v.counterexample.has_value());
      }
    }
  }
}

TEST_CASE("a cancelled proof of a large sum stops at once and says so") {
  const std::atomic<bool> cancel = true;
  const Map map = mapOf(fieldSum(3000), i64{1} << 40);
  for (const Method method : kMethods) {
    ProveOptions options;
    options.cancel = &cancel;
    const WorkBudget around({});
    const Verdict v = prove({claims::Injective{map}, method}, options);
    CHECK(v.truth == Truth::Unknown);
    CHECK(v.detail == "cancelled");
    CHECK(around.used() <= WorkBudget::kStepsPerLook + 2'000'000);
  }
}

TEST_CASE("enumeration refuses an expression whose columns would not fit") {
  // 40'000 sums, remainders and constants over 4 points: 480 MiB of columns.
  Expr e = Expr::digit(0);
  for (int k = 0; k < 40'000; ++k) e = mod(e + (k + 1), 1'000 + k);
  const Verdict v = injective(mapOf(mod(e, 4), 4), Method::Exhaustive, INT64_MAX);
  CHECK(v.truth == Truth::Unknown);
  CHECK(v.detail.find("65536 nodes") != std::string::npos);
}
