// XLA's tiled layouts: addresses per second against hand-written loops for the same layout, in the same run (`ratio` =
// loops / tabulate, the limit is 0.9), single addresses by xla::Addressing and by the compiled map, and the time from
// text to the first picture of bf16[8,1,1280,16384] (limit: 0.5 s).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "app/show/show.h"
#include "core/base/check.h"
#include "core/layout/layout.h"
#include "core/map/tabulate.h"
#include "core/notation/axe/notation.h"
#include "core/notation/cute/notation.h"
#include "core/notation/indexing/notation.h"
#include "core/notation/linear/notation.h"
#include "core/notation/triton/notation.h"
#include "core/notation/xla/address.h"
#include "core/notation/xla/notation.h"
#include "core/worksheet/value.h"
#include "render/draw/draw.h"
#include "render/ink/ink.h"

namespace {

using namespace tessera;

xla::Shape shapeOf(const char* text) {
  auto shape = xla::parseShape(text);
  LAYOUT_CHECK(shape.ok(), "the benchmark's shapes are legal");
  return *std::move(shape);
}

double secondsOf(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// bf16[1024,2048]{1,0:T(8,128)(2,1)}, elements in row-major order, with every size known at compile time
void loopsPacked(i64* out) {
  for (i64 i = 0; i < 1024; ++i) {
    for (i64 j = 0; j < 2048; ++j)
      *out++ = i / 8 * (16 * 1024) + j / 128 * 1024 + i % 8 / 2 * 256 + j % 128 * 2 + i % 2;
  }
}
// f32[1000,2000]{1,0:T(8,128)}: 125 x 16 tiles, the last column of tiles padded
void loopsPadded(i64* out) {
  for (i64 i = 0; i < 1000; ++i) {
    for (i64 j = 0; j < 2000; ++j) *out++ = i / 8 * (16 * 1024) + j / 128 * 1024 + i % 8 * 128 + j % 128;
  }
}

void compare(benchmark::State& state, const char* text, void (*loops)(i64*)) {
  const Map map = *toMap(shapeOf(text));
  const auto count = static_cast<std::size_t>(*map.pointCount());
  std::vector<i64> ours(count), theirs(count);
  const auto table = Tabulator::create(map, 0, LinearOrder::Lex);
  double bestLoops = 1e9, bestOurs = 1e9;
  for ([[maybe_unused]] auto step : state) {
    bestLoops = std::min(bestLoops, secondsOf([&] {
                           loops(theirs.data());
                           benchmark::ClobberMemory();
                         }));
    bestOurs = std::min(bestOurs, secondsOf([&] {
                          table->fill(0, ours);
                          benchmark::ClobberMemory();
                        }));
  }
  if (ours != theirs) state.SkipWithError("the table and the loops disagree");
  state.SetLabel(table->method());
  state.counters["ratio"] = bestLoops / bestOurs;
  state.counters["addresses_per_s"] = static_cast<double>(count) / bestOurs;
}
void xlaPacked(benchmark::State& state) { compare(state, "bf16[1024,2048]{1,0:T(8,128)(2,1)}", loopsPacked); }
void xlaPadded(benchmark::State& state) { compare(state, "f32[1000,2000]{1,0:T(8,128)}", loopsPadded); }

constexpr const char* kSeed = "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}";

void xlaOneAddress(benchmark::State& state) {
  const xla::Addressing addressing = *xla::Addressing::create(shapeOf(kSeed));
  std::vector<i64> index{0, 0, 0, 0};
  for ([[maybe_unused]] auto step : state) {
    index[3] = (index[3] + 9973) % 16384;
    benchmark::DoNotOptimize(addressing.linear(index));
  }
}
void xlaOneAddressCompiled(benchmark::State& state) {
  const PointEvaluator evaluator(*toMap(shapeOf(kSeed)));
  std::vector<i64> index{0, 0, 0, 0};
  for ([[maybe_unused]] auto step : state) {
    index[3] = (index[3] + 9973) % 16384;
    benchmark::DoNotOptimize(evaluator.value(index));
  }
}

// Parse, figure, picture.
void xlaFirstPicture(benchmark::State& state, const char* view) {
  for ([[maybe_unused]] auto step : state) {
    const auto figure = draw(Value(shapeOf(kSeed)), view, {});
    if (!figure) std::abort();
    const auto picture = ink(*figure, "png", {});
    if (!picture) std::abort();
    benchmark::DoNotOptimize(picture->size());
  }
}

}  // namespace

BENCHMARK(xlaPacked)->MinTime(0.3);
BENCHMARK(xlaPadded)->MinTime(0.3);
BENCHMARK(xlaOneAddress);
BENCHMARK(xlaOneAddressCompiled);
BENCHMARK_CAPTURE(xlaFirstPicture, tensor, "tensor")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(xlaFirstPicture, physical, "physical")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(xlaFirstPicture, tiles, "tiles")->Unit(benchmark::kMillisecond);
