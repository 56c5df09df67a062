// Axe layouts: forward of 10^7 coordinates, canonicalize and tile of 64-iter layouts. Each has a baseline in the same
// run: plain div and mod on the same numbers, or a copy of the same iters.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/map/tabulate.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/eval.h"

using namespace tessera;

namespace {

constexpr i64 kCoordinates = 10'000'000;

axe::Layout fragment() { return *axe::parse("S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp"); }

// 64 iters on three axes, none of which merge.
axe::Layout wide(int iters) {
  std::vector<axe::Iter> shard;
  i64 stride[3] = {1, 1, 1};
  for (int k = 0; k < iters; ++k) {
    const int axis = k % 3;
    const char* const names[] = {"m", "lane", "reg"};
    shard.insert(shard.begin(), axe::Iter{k % 64 < 40 ? 2 : 1, stride[axis], names[axis]});
    stride[axis] *= k % 64 < 40 ? 2 : 1;
  }
  return *axe::Layout::create(std::move(shard));
}

double seconds(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// Every place of ten million elements, axis by axis, as tables; `times_hand` is the time against nested loops that a
// person would write for this one layout.
static void ForwardTenMillion(benchmark::State& state) {
  constexpr i64 kTiles = 78125;
  static_assert(kTiles * 128 == kCoordinates);
  const axe::Layout layout = *axe::parse("S[(78125,8,2,4,2):(4@m,4@lane,1@warp,1@lane,1@m)] + 5@warp");
  const Map map = *toMap(layout);  // axes lane, m, warp
  std::vector<i64> lane(kCoordinates), m(kCoordinates), warp(kCoordinates), handLane(lane), handM(m), handWarp(warp);
  double mine = 0, hand = 0;
  for (auto _ : state) {
    auto start = std::chrono::steady_clock::now();
    if (!tabulate(map, 0, LinearOrder::Lex, lane).ok() || !tabulate(map, 1, LinearOrder::Lex, m).ok() ||
        !tabulate(map, 2, LinearOrder::Lex, warp).ok()) {
      state.SkipWithError("the map is no table");
    }
    benchmark::ClobberMemory();
    mine += seconds(start);
    start = std::chrono::steady_clock::now();
    std::size_t n = 0;
    for (i64 tile = 0; tile < kTiles; ++tile) {
      for (i64 row = 0; row < 8; ++row) {
        for (i64 w = 0; w < 2; ++w) {
          for (i64 column = 0; column < 4; ++column) {
            for (i64 e = 0; e < 2; ++e, ++n) {
              handLane[n] = row * 4 + column;
              handM[n] = tile * 4 + e;
              handWarp[n] = w + 5;
            }
          }
        }
      }
    }
    benchmark::ClobberMemory();
    hand += seconds(start);
    if (lane != handLane || m != handM || warp != handWarp) state.SkipWithError("the tables differ");
  }
  state.counters["times_hand"] = mine / hand;
  state.counters["Mcoord_per_s"] =
      static_cast<double>(kCoordinates) / 1e6 * static_cast<double>(state.iterations()) / mine;
}
BENCHMARK(ForwardTenMillion)->Unit(benchmark::kMillisecond)->Iterations(3);

// The whole answer for one element: named places, replicas, range checks.
static void ForwardNamedPlaces(benchmark::State& state) {
  const axe::Layout layout = fragment();
  i64 n = 0;
  for (auto _ : state) {
    auto places = forward(layout, {8, 16}, {n / 16 % 8, n % 16});
    benchmark::DoNotOptimize(places);
    ++n;
  }
}
BENCHMARK(ForwardNamedPlaces);

static void CanonicalizeIters(benchmark::State& state) {
  const axe::Layout layout = wide(static_cast<int>(state.range(0)));
  double mine = 0, copy = 0;
  for (auto _ : state) {
    auto start = std::chrono::steady_clock::now();
    axe::Layout canonical = canonicalize(layout);
    benchmark::DoNotOptimize(canonical);
    mine += seconds(start);
    start = std::chrono::steady_clock::now();
    axe::Layout same = layout;
    benchmark::DoNotOptimize(same);
    copy += seconds(start);
  }
  state.counters["times_copy"] = mine / copy;
}
BENCHMARK(CanonicalizeIters)->Arg(8)->Arg(64);

static void TileIters(benchmark::State& state) {
  const int iters = static_cast<int>(state.range(0));
  const axe::Layout outer = *axe::parse("S[(4,4):(4,1)]"), inner = wide(iters);
  double mine = 0, copy = 0;
  for (auto _ : state) {
    auto start = std::chrono::steady_clock::now();
    auto tiled = tile(outer, {4, 4}, inner, {1, inner.size()});
    if (!tiled.ok()) state.SkipWithError("the tile was refused");
    benchmark::DoNotOptimize(tiled);
    mine += seconds(start);
    start = std::chrono::steady_clock::now();
    axe::Layout same = inner;
    benchmark::DoNotOptimize(same);
    copy += seconds(start);
  }
  state.counters["times_copy"] = mine / copy;
}
BENCHMARK(TileIters)->Arg(8)->Arg(64);
