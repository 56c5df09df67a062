// Limits: 5 ms for the whole analysis of a 256x256 tile; 1 s for find swizzle of 128x64 fp16 with an ldmatrix.x4 load
// and a 16-byte cp.async store. BM_BankFloor is the baseline in the same run: the bare arithmetic of the model, one max
// over 32 counters for each phase, without layouts.
#include <benchmark/benchmark.h>

#include <array>

#include "core/analysis/access/access.h"
#include "core/analysis/access/tile.h"
#include "core/analysis/swizzle/find_swizzle.h"
#include "core/notation/cute/notation.h"
#include "solver/prove/prove.h"
#include "solver/prove/synthesize_swizzle.h"

namespace {

using namespace tessera;

std::vector<AccessSpec> specs() { return {*parseAccess("ldmatrix.x4"), *parseAccess("cp.async16")}; }

void BM_AnalyseTile(benchmark::State& state) {
  const Layout layout(*cute::parseComposedLayout("Sw<3,3,3> o 0 o (256,256):(256,1)"));
  const std::vector<AccessSpec> list = specs();
  for (auto _ : state) {
    auto report = bankReport(*tileOf(layout, 16), list);
    benchmark::DoNotOptimize(report->wavefronts);
  }
}
BENCHMARK(BM_AnalyseTile)->Unit(benchmark::kMillisecond);

void BM_BankFloor(benchmark::State& state) {
  constexpr int phases = 512 * 4;  // of a 256x256 fp16 tile: 256 ldmatrix.x4 and 256 stores
  std::array<int, 32> counts{};
  for (auto _ : state) {
    int sum = 0;
    for (int p = 0; p < phases; ++p) {
      counts.fill(0);
      for (int lane = 0; lane < 8; ++lane)
        for (int w = 0; w < 4; ++w) ++counts[static_cast<std::size_t>((lane * 4 + w + p) & 31)];
      int most = 0;
      for (int c : counts) most = std::max(most, c);
      sum += most;
    }
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(BM_BankFloor)->Unit(benchmark::kMillisecond);

void BM_FindSwizzle(benchmark::State& state) {
  const cute::Layout layout = *cute::parseLayout("(128,64):(64,1)");
  const std::vector<AccessSpec> list = specs();
  for (auto _ : state) {
    auto found = findSwizzle(layout, 16, list);
    benchmark::DoNotOptimize(found->swizzles.size());
  }
}
BENCHMARK(BM_FindSwizzle)->Unit(benchmark::kMillisecond);

void BM_FindSwizzleNone(benchmark::State& state) {
  const cute::Layout layout = *cute::parseLayout("(128,128):(128,1)");
  const std::vector<AccessSpec> list = {*parseAccess("ld.shared.v4"), *parseAccess("st.shared.column")};
  for (auto _ : state) {
    auto found = findSwizzle(layout, 32, list);
    benchmark::DoNotOptimize(found->clash.size());
  }
}
BENCHMARK(BM_FindSwizzleNone)->Unit(benchmark::kMillisecond);

// conflict_free by each method on one tile; by rank also on 2^46 elements, where nothing can be enumerated. The ratio
// of the first two is what the F2 argument saves.
void proveConflictFree(benchmark::State& state, const char* layout, Method method) {
  const claims::Memory memory{*toMap(*cute::parseComposedLayout(layout)), 1, 16};
  const Claim claim{claims::ConflictFree{memory, *parseAccess("ldmatrix.x4")}, method};
  for (auto _ : state) {
    const Verdict v = prove(claim);
    if (v.truth != Truth::Proved) state.SkipWithError("not proved");
    benchmark::DoNotOptimize(v.milliseconds);
  }
}
constexpr const char* kTile = "Sw<3,3,3> o 0 o (256,64):(64,1)";
constexpr const char* kHuge = "Sw<3,3,3> o 0 o (1099511627776,64):(64,1)";
BENCHMARK_CAPTURE(proveConflictFree, enumerated, kTile, Method::Exhaustive)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(proveConflictFree, byRank, kTile, Method::F2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(proveConflictFree, byZ3, kTile, Method::Z3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(proveConflictFree, hugeByRank, kHuge, Method::F2)->Unit(benchmark::kMillisecond);

void BM_SynthesizeSwizzle(benchmark::State& state) {
  FindRequest request;
  request.layout = *cute::parseLayout("(128,64):(64,1)");
  request.elementBits = 16;
  request.specs = specs();
  for (auto _ : state) {
    const auto found = synthesizeSwizzle(request);
    benchmark::DoNotOptimize(found.ok());
  }
}
BENCHMARK(BM_SynthesizeSwizzle)->Unit(benchmark::kMillisecond);

}  // namespace
