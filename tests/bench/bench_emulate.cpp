// Limit: 50 ms for a 64x64x64 tensor-core tile (fp16, ldmatrix and m16n8k16 from shared memory, 4 warps) with all
// checks, wavefronts and sectors. BM_TripleLoop is the baseline in the same run: only the 262144 products. The emulator
// must stay below 100 times the baseline. The terms are those of a whole 128x128x1024 block: 16.7 million products.
#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>

#include "tests/support/emulate.h"

namespace {

using namespace tessera;
namespace gr = tessera::graphene;

std::string textOf(const char* name) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR "/assets/graphene/") + name);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<double> some(std::size_t n) {
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<double>(i % 17) - 8;
  return out;
}

void BM_EmulateTile(benchmark::State& state) {
  const gr::Program program = *gr::readProgram(textOf("gemm_warps_64.graphene"));
  const gr::TensorValues inputs{{"A", some(4096)}, {"B", some(4096)}};
  gr::EmulateOptions options;
  options.count = state.range(0) != 0;
  for (auto _ : state) {
    auto run = gr::emulate(program, inputs, options);
    if (!run || !run->findings.empty()) state.SkipWithError("findings");
    benchmark::DoNotOptimize(run->tensors);
  }
}
BENCHMARK(BM_EmulateTile)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

void BM_TripleLoop(benchmark::State& state) {
  const std::vector<double> a = some(4096), b = some(4096);
  std::vector<double> c(4096);
  for (auto _ : state) {
    for (std::size_t m = 0; m < 64; ++m) {
      for (std::size_t n = 0; n < 64; ++n) {
        double sum = 0;
        for (std::size_t k = 0; k < 64; ++k) sum += a[m * 64 + k] * b[n * 64 + k];
        c[m * 64 + n] = sum;
      }
    }
    benchmark::DoNotOptimize(c.data());
  }
}
BENCHMARK(BM_TripleLoop)->Unit(benchmark::kMillisecond);

void BM_TermsOfBlock(benchmark::State& state) {
  const gr::Program program = *gr::readProgram(textOf("gemm_pipelined.graphene"));
  const gr::Plan plan = *gr::makePlan(program);
  for (auto _ : state) {
    gr::Terms terms;
    gr::MachineOptions options;
    options.count = false;
    gr::Machine<gr::Terms> machine(plan, terms, options);
    machine.runBlock(0, 0);
    if (!machine.findings().empty()) state.SkipWithError("findings");
  }
}
BENCHMARK(BM_TermsOfBlock)->Unit(benchmark::kMillisecond);

}  // namespace
