// Proof times of gallery-like claims, and the gain of the ladder over enumeration on claims that both can decide.
#include <benchmark/benchmark.h>

#include "solver/prove/prove.h"

using namespace tessera;

namespace {

std::vector<Digit> box(const std::vector<i64>& extents) {
  std::vector<Digit> digits;
  for (std::size_t k = 0; k < extents.size(); ++k)
    digits.push_back({"d" + std::to_string(k), extents[k], DigitKind::Index});
  return digits;
}

Expr dot(const std::vector<i64>& strides) {
  Expr e;
  for (std::size_t k = 0; k < strides.size(); ++k) e = e + Expr::digit(static_cast<int>(k)) * strides[k];
  return e;
}

Expr swizzle(const Expr& x) { return x ^ (mod(floorDiv(x, 64), 8) * 8); }

Map strided(const std::vector<i64>& extents, const std::vector<i64>& strides, std::optional<i64> extent = {}) {
  return *Map::create(box(extents), {{"offset", dot(strides), extent}});
}

Map swizzled(const std::vector<i64>& extents, const std::vector<i64>& strides) {
  return *Map::create(box(extents), {{"offset", swizzle(dot(strides)), std::nullopt}});
}

// The flat index of a padded, permuted tensor: division and modulus of one digit.
Map flat(i64 a, i64 b, i64 c) {
  const Expr x = Expr::digit(0);
  return *Map::create(box({a * b * c}),
                      {{"offset", mod(x, a) * (b * c) + floorDiv(x, a * b) * b + mod(floorDiv(x, a), b), a * b * c}});
}

void run(benchmark::State& state, const Claim& claim, Truth expected) {
  for (auto _ : state) {
    const Verdict v = prove(claim);
    if (v.truth != expected) state.SkipWithError(("wrong verdict: " + v.detail).c_str());
  }
}

Claim claimOf(ClaimKind kind, std::vector<Map> maps, Method method = Method::Auto) {
  return {claimAbout(kind, std::move(maps)), method};
}

void proveRowMajor(benchmark::State& s) {
  run(s, claimOf(ClaimKind::Injective, {strided({4, 8}, {8, 1})}), Truth::Proved);
}
void proveAliased(benchmark::State& s) {
  run(s, claimOf(ClaimKind::Injective, {strided({4, 2}, {1, 2})}), Truth::Refuted);
}
void proveSwizzle2To40(benchmark::State& s) {
  const i64 n = i64{1} << 20;
  run(s, claimOf(ClaimKind::Injective, {swizzled({n, n}, {n, 1})}), Truth::Proved);
}
void proveSwizzlePadded(benchmark::State& s) {
  run(s, claimOf(ClaimKind::Injective, {swizzled({128, 64}, {72, 1})}), Truth::Proved);
}
void proveBijectiveFlat(benchmark::State& s) {
  run(s, claimOf(ClaimKind::Bijective, {flat(150, 20, 50)}), Truth::Proved);
}
void proveSwizzleTwice(benchmark::State& s) {
  const i64 n = i64{1} << 24;
  const Map once = *Map::create(box({n}), {{"offset", swizzle(Expr::digit(0)), n}});
  run(s, claimOf(ClaimKind::Roundtrip, {once, once}), Truth::Proved);
}
void proveOddByZ3(benchmark::State& s) {  // 15.5 million points, four odd digits, permuted; forced to the solver
  run(s, claimOf(ClaimKind::Injective, {strided({96, 40, 56, 72}, {2240 * 72, 1, 40, 2240})}, Method::Z3),
      Truth::Proved);
}
void proveAlmostByZ3(benchmark::State& s) {  // one stride off by one: the solver finds the pair
  run(s, claimOf(ClaimKind::Injective, {strided({96, 40, 56, 72}, {2240 * 72, 1, 39, 2240})}, Method::Z3),
      Truth::Refuted);
}
void proveSymbolicRowMajor(benchmark::State& s) {
  const i64 top = 1 << 20;
  const Expr i = Expr::digit(0), j = Expr::digit(1), n = Expr::param(0), ld = Expr::param(1);
  const Map m = *Map::create(box({top, top}), {{"offset", i * ld + j, std::nullopt}},
                             {{n - j - 1, 0, top}, {ld - n, 0, top}}, {{"N", 1, top}, {"ld", 1, top}});
  run(s, claimOf(ClaimKind::Injective, {m}), Truth::Proved);
}

// The same claim, 2^22 points, by the ladder and by enumeration: the ratio of the two is the ladder's gain.
void ladderOn2To22(benchmark::State& s) {
  run(s, claimOf(ClaimKind::Injective, {swizzled({2048, 2048}, {2048, 1})}), Truth::Proved);
}
void exhaustiveOn2To22(benchmark::State& s) {
  run(s, claimOf(ClaimKind::Injective, {swizzled({2048, 2048}, {2048, 1})}, Method::Exhaustive), Truth::Proved);
}
void z3On2To22(benchmark::State& s) {
  run(s, claimOf(ClaimKind::Injective, {swizzled({2048, 2048}, {2048, 1})}, Method::Z3), Truth::Proved);
}
void exhaustiveEqualOn2To20(benchmark::State& s) {
  run(s, claimOf(ClaimKind::Equal, {strided({1024, 1024}, {1, 1024}), strided({1 << 20}, {1})}, Method::Exhaustive),
      Truth::Proved);
}

}  // namespace

BENCHMARK(proveRowMajor)->Unit(benchmark::kMicrosecond);
BENCHMARK(proveAliased)->Unit(benchmark::kMicrosecond);
BENCHMARK(proveSwizzle2To40)->Unit(benchmark::kMicrosecond);
BENCHMARK(proveSwizzlePadded)->Unit(benchmark::kMicrosecond);
BENCHMARK(proveBijectiveFlat)->Unit(benchmark::kMicrosecond);
BENCHMARK(proveSwizzleTwice)->Unit(benchmark::kMicrosecond);
BENCHMARK(proveOddByZ3)->Unit(benchmark::kMillisecond);
BENCHMARK(proveAlmostByZ3)->Unit(benchmark::kMillisecond);
BENCHMARK(proveSymbolicRowMajor)->Unit(benchmark::kMillisecond);
BENCHMARK(ladderOn2To22)->Unit(benchmark::kMillisecond);
BENCHMARK(exhaustiveOn2To22)->Unit(benchmark::kMillisecond);
BENCHMARK(z3On2To22)->Unit(benchmark::kMillisecond);
BENCHMARK(exhaustiveEqualOn2To20)->Unit(benchmark::kMillisecond);
