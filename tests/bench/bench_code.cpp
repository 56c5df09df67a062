// Index code: reading and opening 200 lines of a kernel, and tabulating a function against the same function compiled by the C++
// compiler, in one run on one core. `ratio` is (time of the compiled loops) / (time of tabulate); the limit is 0.9.
//
// The compiled loops are the function, inlined into loops over its domain with constant bounds.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/engine/engine.h"
#include "core/base/check.h"
#include "core/code/index_code.h"
#include "core/map/tabulate.h"

namespace {

using namespace tessera;

constexpr int kRows = 1024, kColumns = 512;

// The same text is compiled and read.
#define INDEX_FUNCTION(name, ...)               \
  inline int name(int r, int c) { __VA_ARGS__ } \
  constexpr const char* kText_##name = "int at(int r, int c) { " #__VA_ARGS__ " }";

INDEX_FUNCTION(swizzled, return r * 512 + (c ^ ((r & 7) << 3));)
INDEX_FUNCTION(chunked, int chunk = c / 8; int within = c % 8; return r * 512 + (chunk ^ (r % 8)) * 8 + within;)
INDEX_FUNCTION(rotated, return r * 512 + (c + r * 8) % 512;)
INDEX_FUNCTION(halves,
               return (c < 256 ? 0 : 262144) + r * 256 + ((((c < 256 ? c : c - 256) / 8) ^ (r % 8)) * 8) + c % 8;)
INDEX_FUNCTION(padded, return (r / 16) * 8448 + (r % 16) * 528 + c + (c >> 5);)

template <int (*F)(int, int)>
[[gnu::noinline]] void loops(i64* out) {
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kColumns; ++c) *out++ = F(r, c);
}

double secondsOf(const auto& work) {
  double best = 1e9;
  for (int k = 0; k < 7; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

void against(benchmark::State& state, const char* text, void (*compiled)(i64*)) {
  code::Given given;
  given.over = {{"", kRows}, {"", kColumns}};
  const auto read = code::indexCode("cuda", text, given);
  LAYOUT_CHECK(read.ok(), "the benchmark's functions are index code");
  const auto map = code::toMap(*read);
  LAYOUT_CHECK(map.ok(), "the benchmark's functions have maps");
  const auto tabulator = Tabulator::create(*map, 0, LinearOrder::Lex);
  std::vector<i64> ours(static_cast<std::size_t>(kRows) * kColumns), theirs(ours.size());
  tabulator->fill(0, ours);
  compiled(theirs.data());
  LAYOUT_CHECK(ours == theirs, "both tables are the function's");
  for (auto _ : state) {
    tabulator->fill(0, ours);
    benchmark::DoNotOptimize(ours.data());
  }
  state.counters["ratio"] = secondsOf([&] { compiled(theirs.data()); }) / secondsOf([&] { tabulator->fill(0, ours); });
  state.SetLabel(tabulator->method());
}

std::string kernelOf200Lines() {
  std::string text =
      "__global__ void kernel(const float *A, const float *B, float *C, int K, int N) {\n"
      "  __shared__ float As[BM * BK];\n  __shared__ float Bs[32][33];\n  float sum[4] = {0};\n";
  for (int k = 0; k < 16; ++k) {
    const std::string n = std::to_string(k);
    text += "  int row" + n + " = (threadIdx.x + " + n + " * 256) / (BK / 4);\n";
    text += "  int col" + n + " = (threadIdx.x + " + n + " * 256) % (BK / 4) * 4;\n";
    text += "  uint32_t off" + n + " = (row" + n + " % BM) * BK + col" + n + ";\n";
    text += "  off" + n + " ^= (off" + n + " & 0x380) >> 4;\n";
    text += "  As[off" + n + "] = A[(blockIdx.x * BM + row" + n + " % BM) * K + col" + n + "];\n";
    text += "  if (threadIdx.x < 32) {\n    Bs[threadIdx.x][" + n + "] = B[threadIdx.x * N + " + n + "];\n  }\n";
    text += "  for (int i = 0; i < 4; ++i) {\n    sum[i] += As[(threadIdx.x % 16 + i) * BK + " + n +
            "] * Bs[threadIdx.x % 32][i];\n  }\n";
    text += "  __syncthreads();\n";
  }
  return text + "  C[blockIdx.x * 1024 + threadIdx.x] = sum[0];\n}\n";
}

void readKernel(benchmark::State& state) {
  const std::string text = kernelOf200Lines();
  code::Given given;
  given.over = {{"blockIdx.x", 4}, {"threadIdx.x", 256}};
  for (const char* name : {"BM", "BK", "K", "N"})
    given.constants.push_back({name, {name[1] == 'K' ? 32 : 256}, false, {}});
  for (auto _ : state) {
    const auto read = code::indexCode("cuda", text, given);
    LAYOUT_CHECK(read.ok(), "the benchmark's kernel is index code");
    benchmark::DoNotOptimize(read);
  }
  state.counters["lines"] = static_cast<double>(std::count(text.begin(), text.end(), '\n'));
}
BENCHMARK(readKernel)->Unit(benchmark::kMillisecond);

// The same kernel as a block of a worksheet: read, every access analysed, and drawn with the cost of
// each line. `ratio` is (this time) / (time of reading the text alone, in the same run); the limit is 50 ms.
void openKernel(benchmark::State& state) {
  const std::string text = kernelOf200Lines();
  const std::string sheet = "K = cuda {\n" + text +
                            "} over (blockIdx.x = 4, threadIdx.x = 256) with BM = 256, BK = 32, K = 32, N = 256\n"
                            "show K as source\n";
  const std::vector<Statement> statements = splitStatements(sheet);
  const auto open = [&] {
    Scope scope;
    for (const Statement& s : statements) {
      Outcome outcome = runStatement(s, scope);
      LAYOUT_CHECK(!outcome.diag, "the benchmark's worksheet has no error");
      LAYOUT_CHECK(s.kind != StatementKind::Show || outcome.figure.has_value(), "a show has its picture");
      benchmark::DoNotOptimize(outcome);
    }
  };
  for (auto _ : state) open();
  code::Given given;
  given.over = {{"blockIdx.x", 4}, {"threadIdx.x", 256}};
  for (const auto& [name, value] : {std::pair{"BM", 256}, {"BK", 32}, {"K", 32}, {"N", 256}})
    given.constants.push_back({name, {value}, false, {}});
  state.counters["ratio"] =
      secondsOf(open) / secondsOf([&] { benchmark::DoNotOptimize(code::indexCode("cuda", text, given)); });
  state.counters["lines"] = static_cast<double>(std::count(text.begin(), text.end(), '\n'));
}
BENCHMARK(openKernel)->Unit(benchmark::kMillisecond);

#define AGAINST(name)                                                                      \
  void name##Table(benchmark::State& state) { against(state, kText_##name, loops<name>); } \
  BENCHMARK(name##Table)->Unit(benchmark::kMicrosecond)
AGAINST(swizzled);
AGAINST(chunked);
AGAINST(rotated);
AGAINST(halves);
AGAINST(padded);

}  // namespace
