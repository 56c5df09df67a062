// tabulate against hand-written nested loops for the same layout, in the same run on one core. The counter `ratio` is
// (time of the loops) / (time of tabulate): 1 means as fast as the loops; the limit is 0.9. `one_shot` includes the
// preparation (analysing the formula, building the pattern) in every call. Preparing a swizzle takes about 20 us, which
// is visible on a tile of 8192 elements and negligible on one of 2^20.
//
// The loops are those of a programmer who knows the layout at compile time: constant bounds, constant strides, the
// swizzle as shift, mask and xor.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "core/base/check.h"
#include "core/map/map.h"
#include "core/map/tabulate.h"

namespace {

using namespace tessera;
using Loops = void (*)(i64* out);

Map stridedMap(const std::vector<i64>& extents, const std::vector<i64>& strides, bool swizzle) {
  std::vector<Digit> digits;
  Expr e;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    digits.push_back({"i" + std::to_string(k), extents[k], DigitKind::Index});
    e = e + Expr::digit(static_cast<int>(k)) * strides[k];
  }
  if (swizzle) e = e ^ (mod(floorDiv(e, 64), 8) * 8);
  auto map = Map::create(std::move(digits), {{"offset", e, std::nullopt}});
  LAYOUT_CHECK(map.ok(), "the benchmark's layouts are legal");
  return *std::move(map);
}

// (128,64):(64,1)
void loopsStrided(i64* out) {
  for (i64 j = 0; j < 64; ++j)
    for (i64 i = 0; i < 128; ++i) *out++ = i * 64 + j;
}

// Sw<3,3,3> o (128,64):(64,1) and o (1024,1024):(1024,1)
template <i64 kRows, i64 kCols>
void loopsSwizzled(i64* out) {
  for (i64 j = 0; j < kCols; ++j)
    for (i64 i = 0; i < kRows; ++i) {
      const i64 x = i * kCols + j;
      *out++ = x ^ ((x >> 3) & 0x38);
    }
}

// Sw<3,3,3> o (96,64):(72,1): the padded rows carry, so the swizzle stays a step of its own
void loopsPadded(i64* out) {
  for (i64 j = 0; j < 64; ++j)
    for (i64 i = 0; i < 96; ++i) {
      const i64 x = i * 72 + j;
      *out++ = x ^ ((x >> 3) & 0x38);
    }
}

// ((8,16),(8,8)):((8,512),(1,64)): 8x8 tiles, each contiguous
void loopsTiled(i64* out) {
  for (i64 j1 = 0; j1 < 8; ++j1)
    for (i64 j0 = 0; j0 < 8; ++j0)
      for (i64 i1 = 0; i1 < 16; ++i1)
        for (i64 i0 = 0; i0 < 8; ++i0) *out++ = i0 * 8 + i1 * 512 + j0 + j1 * 64;
}

double secondsOf(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Alternates the two, so that both see the same machine;
// the ratio is that of the fastest rounds, which other processes disturb least.
void compare(benchmark::State& state, const Map& map, Loops loops) {
  const auto count = static_cast<std::size_t>(*map.pointCount());
  std::vector<i64> ours(count), theirs(count);
  const int repeats = count > 100000 ? 1 : 16;
  const auto repeated = [&](const auto& work) {
    return secondsOf([&] {
      for (int k = 0; k < repeats; ++k) {
        work();
        benchmark::ClobberMemory();
      }
    });
  };
  const auto table = Tabulator::create(map, 0, LinearOrder::Colex);
  double bestLoops = 1e9, bestPrepared = 1e9, bestOneShot = 1e9;
  for ([[maybe_unused]] auto step : state) {
    bestLoops = std::min(bestLoops, repeated([&] { loops(theirs.data()); }));
    bestPrepared = std::min(bestPrepared, repeated([&] { table->fill(0, ours); }));
    bestOneShot = std::min(bestOneShot, repeated([&] {
                             if (!tabulate(map, 0, LinearOrder::Colex, ours).ok()) std::abort();
                           }));
  }
  if (ours != theirs) state.SkipWithError("tabulate and the loops disagree");
  state.SetLabel(table->method());
  state.counters["ratio"] = bestLoops / bestPrepared;
  state.counters["one_shot"] = bestLoops / bestOneShot;
  state.counters["ns_per_element"] = bestPrepared * 1e9 / repeats / static_cast<double>(count);
}

void tabulateStrided(benchmark::State& state) { compare(state, stridedMap({128, 64}, {64, 1}, false), loopsStrided); }
void tabulateSwizzled(benchmark::State& state) {
  compare(state, stridedMap({128, 64}, {64, 1}, true), loopsSwizzled<128, 64>);
}
void tabulateSwizzledLarge(benchmark::State& state) {
  compare(state, stridedMap({1024, 1024}, {1024, 1}, true), loopsSwizzled<1024, 1024>);
}
void tabulatePadded(benchmark::State& state) { compare(state, stridedMap({96, 64}, {72, 1}, true), loopsPadded); }
void tabulateTiled(benchmark::State& state) {
  compare(state, stridedMap({8, 16, 8, 8}, {8, 512, 1, 64}, false), loopsTiled);
}

}  // namespace

BENCHMARK(tabulateStrided)->MinTime(0.3);
BENCHMARK(tabulateSwizzled)->MinTime(0.3);
BENCHMARK(tabulateSwizzledLarge)->MinTime(0.3);
BENCHMARK(tabulatePadded)->MinTime(0.3);
BENCHMARK(tabulateTiled)->MinTime(0.3);
