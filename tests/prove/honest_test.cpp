// Honesty: guards, fans, symbolic sizes, budgets, cancellation, overflow. Unknown always has a reason.
#include <chrono>
#include <thread>

#include "prove/maps.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

// A subset-sum that no structural rung decides: many coprime strides over a large box.
Map hard() {
  return strided({1 << 16, 1 << 16, 1 << 16, 1 << 10},
                 {1000003 * 7919LL, 1299709 * 104729LL, 15485863 * 7907LL, 32452843 * 6007LL});
}

}  // namespace

TEST_CASE("guards take points away from every claim") {
  // (4,2):(1,2) collides at (2,0) and (0,1); with i < 2 it does not.
  const Expr i = Expr::digit(0), j = Expr::digit(1);
  const Map m = made(Map::create(box({4, 2}), {{"offset", i + j * 2, 4}}, {{i, 0, 1}}));
  for (Method method : {Method::Auto, Method::Exhaustive, Method::Z3}) {
    if (method == Method::Z3 && !haveZ3()) continue;
    INFO(name(method));
    CHECK(ask(ClaimKind::Injective, {m}, method).truth == Truth::Proved);
    CHECK(ask(ClaimKind::InBounds, {m}, method).truth == Truth::Proved);
  }
  CHECK(ask(ClaimKind::Bijective, {m}).truth == Truth::Proved);
  // Equal: the same values, but the other one is real where this one is not.
  const Map whole = made(Map::create(box({4, 2}), {{"offset", i + j * 2, 4}}));
  const Verdict v = ask(ClaimKind::Equal, {m, whole});
  REQUIRE(v.truth == Truth::Refuted);
  CHECK(v.counterexample->text == "at (2,0) the first gives nothing and the second 2");
  CHECK(ask(ClaimKind::Equal, {whole, m}).truth == Truth::Refuted);
  CHECK(ask(ClaimKind::Equal, {m, m}).truth == Truth::Proved);
}

TEST_CASE("fan digits: injective on Index x Fan, equal as sets") {
  const Expr x = Expr::digit(0), r = Expr::digit(1);
  const auto fan = [](i64 n) { return Digit{"r", n, DigitKind::Fan}; };
  const Map apart = made(Map::create({{"x", 4, DigitKind::Index}, fan(2)}, {{"lane", x + r * 4, 8}}));
  const Map aliased = made(Map::create({{"x", 4, DigitKind::Index}, fan(2)}, {{"lane", x + r, 8}}));
  CHECK(ask(ClaimKind::Bijective, {apart}).truth == Truth::Proved);
  const Verdict v = ask(ClaimKind::Injective, {aliased});
  REQUIRE(v.truth == Truth::Refuted);
  CHECK(v.counterexample->text == "1 with r=0 and 0 with r=1 both give 1");
  // {x, x+4} ranged upwards or downwards is the same set; {x, x+5} is not.
  const Map down = made(Map::create({{"x", 4, DigitKind::Index}, fan(2)}, {{"lane", x + (r * -4) + 4, 8}}));
  const Map other = made(Map::create({{"x", 4, DigitKind::Index}, fan(2)}, {{"lane", x + r * 5, 9}}));
  const Map tripled = made(Map::create({{"x", 4, DigitKind::Index}, fan(4)}, {{"lane", x + floorDiv(r, 2) * 4, 8}}));
  CHECK(ask(ClaimKind::Equal, {apart, apart}).truth == Truth::Proved);
  CHECK(ask(ClaimKind::Equal, {apart, down}).truth == Truth::Proved);
  CHECK(ask(ClaimKind::Equal, {apart, tripled}).truth == Truth::Proved);
  const Verdict differs = ask(ClaimKind::Equal, {apart, other});
  REQUIRE(differs.truth == Truth::Refuted);
  CHECK(differs.counterexample->text == "at 0 the first gives {0, 4} and the second {0, 5}");
}

TEST_CASE("set equality of fans that nobody enumerates") {
  const i64 half = 1 << 15, many = half * half;
  const auto fanned = [](std::vector<i64> extents, std::vector<i64> strides, i64 offset) {
    std::vector<Digit> digits = {{"x", 4, DigitKind::Index}};
    Expr e = Expr::digit(0) + offset;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      digits.push_back({"r" + std::to_string(k), extents[k], DigitKind::Fan});
      e = e + Expr::digit(static_cast<int>(k) + 1) * strides[k];
    }
    return made(Map::create(digits, {{"lane", e, std::nullopt}}));
  };
  const Map whole = fanned({many}, {4}, 0);
  CHECK(ask(ClaimKind::Equal, {whole, fanned({half, half}, {4 * half, 4}, 0)}).truth == Truth::Proved);
  CHECK(ask(ClaimKind::Equal, {whole, fanned({half, half}, {-4 * half, 4}, 4 * half * (half - 1))}).truth ==
        Truth::Proved);
  CHECK(ask(ClaimKind::Equal, {fanned({3, 2}, {4, 8}, 0), fanned({5}, {4}, 0)}).truth == Truth::Proved);
  CHECK(ask(ClaimKind::Equal, {fanned({3, 2}, {4, 16}, 0), fanned({5}, {4}, 0)}).truth == Truth::Refuted);
  CHECK(ask(ClaimKind::Equal, {whole, fanned({many}, {5}, 0)}).truth == Truth::Unknown);
}

TEST_CASE("symbolic sizes: row-major with stride >= N is injective for every M, N, stride") {
  if (!haveZ3()) return;
  const i64 top = 1 << 20;
  const Expr i = Expr::digit(0), j = Expr::digit(1), m = Expr::param(0), n = Expr::param(1), s = Expr::param(2);
  const std::vector<Param> params = {{"M", 1, top}, {"N", 1, top}, {"ld", 1, top}};
  const std::vector<Guard> inside = {{m - i - 1, 0, top}, {n - j - 1, 0, top}};
  std::vector<Guard> wide = inside;
  wide.push_back({s - n, 0, top});
  const Verdict v = ask(ClaimKind::Injective,
                        {made(Map::create(box({top, top}), {{"offset", i * s + j, std::nullopt}}, wide, params))});
  INFO(v.detail);
  CHECK(v.truth == Truth::Proved);
  CHECK(v.method == "Z3 QF_NIA");
  const Verdict narrow =
      ask(ClaimKind::Injective,
          {made(Map::create(box({top, top}), {{"offset", i * s + j, std::nullopt}}, inside, params))});
  INFO(narrow.detail);
  REQUIRE(narrow.truth == Truth::Refuted);
  CHECK_THAT(narrow.counterexample->text, Catch::StartsWith("for M="));
}

TEST_CASE("symbolic sizes small enough to enumerate are enumerated, for every value") {
  const Expr i = Expr::digit(0), j = Expr::digit(1), s = Expr::param(0);
  const auto layout = [&](i64 lo) {
    return made(Map::create(box({4, 4}), {{"offset", i * s + j, 100}}, {}, {{"ld", lo, 6}}));
  };
  CHECK(ask(ClaimKind::Injective, {layout(4)}, Method::Exhaustive).truth == Truth::Proved);
  const Verdict v = ask(ClaimKind::Injective, {layout(3)}, Method::Exhaustive);
  REQUIRE(v.truth == Truth::Refuted);
  CHECK(v.counterexample->text == "for ld=3: (1,0) and (0,3) both give 3");
}

TEST_CASE("the same formula in symbolic sizes is the same map") {
  const Expr i = Expr::digit(0), j = Expr::digit(1), s = Expr::param(0);
  const std::vector<Param> params = {{"ld", 1, 1 << 20}};
  const Map a = made(Map::create(box({64, 64}), {{"offset", (i + j * 2) * s + j, std::nullopt}}, {}, params));
  const Map b = made(Map::create(box({64, 64}), {{"offset", i * s + j * (s * 2 + 1), std::nullopt}}, {}, params));
  const Verdict v = ask(ClaimKind::Equal, {a, b});
  CHECK(v.truth == Truth::Proved);
  CHECK(v.method == "simplify");
}

TEST_CASE("sizes near 2^60 neither overflow nor enumerate") {
  const i64 n = i64{1} << 30;
  CHECK(ask(ClaimKind::Injective, {strided({n, n}, {n, 1})}).truth == Truth::Proved);
  const Verdict v = ask(ClaimKind::Injective, {strided({n, n}, {n - 1, 1})});
  REQUIRE(v.truth == Truth::Refuted);
  CHECK(v.counterexample->text == "(1,0) and (0,1073741823) both give 1073741823");
  const Verdict many = ask(ClaimKind::Injective, {strided({n, n}, {n, 1})}, Method::Exhaustive);
  CHECK(many.truth == Truth::Unknown);
  CHECK_THAT(many.detail, Catch::Contains("1152921504606846976 points"));
}

TEST_CASE("out of time is unknown, with the reason") {
  ProveOptions options;
  options.budgetSeconds = 0.3;
  const Verdict v = ask(ClaimKind::Injective, {hard()}, Method::Auto, options);
  if (v.truth == Truth::Unknown) CHECK_FALSE(v.detail.empty());
  options.budgetSeconds = 0;
  const Verdict none = ask(ClaimKind::Injective, {hard()}, Method::Auto, options);
  CHECK(none.truth == Truth::Unknown);
  CHECK(none.detail == "out of budget (0 s of work)");
}

namespace {

// Cancelled from another thread, a moment after its rung was asked. Whenever that comes, the verdict is the same; a
// proof that does not look at the flag ends with its budget, or by ctest's limit.
Verdict cancelledOnItsWay(const Map& map, Method method) {
  std::atomic<bool> asked{false}, cancel{false};
  ProveOptions options;
  options.budgetSeconds = 1e4;
  options.cancel = &cancel;
  options.onRung = [&asked](Method) { asked = true; };
  std::thread other([&] {
    while (!asked) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    cancel = true;
  });
  const Verdict verdict = prove({claims::Injective{map}, method}, options);
  asked = true;  // where no rung was
  other.join();
  return verdict;
}

}  // namespace

TEST_CASE("a cancelled proof is unknown: cancelled") {
  const Expr i = Expr::digit(0), j = Expr::digit(1);
  const Map big = made(Map::create(box({1 << 15, 1 << 15}), {{"offset", i * 32771 + j * 32769, std::nullopt}}));
  for (const auto& [map, method] : {std::pair{big, Method::Exhaustive}, std::pair{hard(), Method::Z3}}) {
    if (method == Method::Z3 && !haveZ3()) continue;
    const Verdict v = cancelledOnItsWay(map, method);
    INFO(name(method));
    REQUIRE(v.truth == Truth::Unknown);
    CHECK(v.detail == "cancelled");
  }
}

TEST_CASE("a claim with the wrong number of maps says so") {
  CHECK(ask(ClaimKind::Equal, {strided({4}, {1})}).detail == "equal takes two maps and got 1");
}

TEST_CASE("a forced method that does not apply says why") {
  for (Method method : everyMethod()) {
    const Verdict v = ask(ClaimKind::Injective, {strided({3, 2}, {2, 3})}, method);
    CHECK(v.truth != Truth::Refuted);
    if (v.truth == Truth::Unknown) CHECK_FALSE(v.detail.empty());
  }
  if (!haveZ3()) {
    CHECK_THAT(ask(ClaimKind::Injective, {strided({3, 2}, {2, 3})}, Method::Z3).detail,
               Catch::Contains("this build has no Z3"));
  }
}
