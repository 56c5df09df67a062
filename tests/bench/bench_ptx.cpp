// PTX: reading a text of 10,000 lines and one of 1 MB of initial values (`ms`; the limits are 50 and 100 ms), relative to
// counting its lines in the same run (`ratio` = reading / counting).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "core/ptx/read.h"

namespace {

using namespace tessera;

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

std::string instructions() {
  std::string text = kHead +
                     ".visible .entry f(.param .u64 p)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<4000>;\n"
                     ".reg .b64 %rd<900>;\n";
  for (int k = 0; k < 2000; ++k) {
    text += fmt::format("\t.loc 1 {} 5\n", k);
    text += fmt::format("\tmad.wide.s32 \t%rd{}, %r{}, 4, %rd1;\n", k % 900, k);
    text += fmt::format("\tld.global.nc.v4.b32 \t{{%r{}, %r{}, %r{}, %r{}}}, [%rd{}+{}];\n", k, k + 1, k + 2, k + 3,
                        k % 900, 16 * k);
    text += fmt::format("\t@%p1 bra \t$L__BB0_{};\n$L__BB0_{}:\n", k, k);
  }
  return text + "ret;\n}\n";
}

std::string values() {
  std::string text = kHead + ".global .align 4 .b32 table[100000] = {1";
  for (int k = 1; k < 100'000; ++k) text += fmt::format(", {}", k * 2654435761u);
  return text + "};\n";
}

void readPtx(benchmark::State& state, const std::string& text) {
  double reading = 1e9, counting = 1e9;
  const auto secondsOf = [](const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for ([[maybe_unused]] auto step : state) {
    counting =
        std::min(counting, secondsOf([&] { benchmark::DoNotOptimize(std::count(text.begin(), text.end(), '\n')); }));
    reading = std::min(reading, secondsOf([&] { benchmark::DoNotOptimize(ptx::read(text).ok()); }));
  }
  state.counters["MB"] = static_cast<double>(text.size()) / 1e6;
  state.counters["ms"] = reading * 1e3;
  state.counters["ratio"] = reading / counting;
}
void readPtxInstructions(benchmark::State& state) { readPtx(state, instructions()); }
void readPtxValues(benchmark::State& state) { readPtx(state, values()); }
BENCHMARK(readPtxInstructions)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK(readPtxValues)->Unit(benchmark::kMillisecond)->Iterations(10);

}  // namespace
