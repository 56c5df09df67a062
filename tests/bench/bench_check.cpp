// Limits: 10 s to prove the 128x128x32 tensor-core product with a 3-stage cp.async pipeline and swizzled shared memory,
// M = N = K = 1024; 1 s for figure 8 with symbolic M, N and K.
#include <benchmark/benchmark.h>

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../check/programs.h"
#include "solver/graphene/check.h"

namespace {

using namespace tessera;
namespace gr = tessera::graphene;

std::string textOf(const std::string& path) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// Every program of the library, and as a baseline the same bytes cut into words and marks by hand.
std::vector<std::string> library() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/assets/graphene"))
    out.push_back(textOf("/assets/graphene/" + entry.path().filename().string()));
  return out;
}

void BM_ReadPrograms(benchmark::State& state) {
  const auto texts = library();
  std::int64_t bytes = 0;
  for (auto _ : state) {
    for (const std::string& text : texts) {
      const auto program = gr::readProgram(text);
      if (!program) state.SkipWithError("not read");
      bytes += static_cast<std::int64_t>(text.size());
    }
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK(BM_ReadPrograms)->Unit(benchmark::kMillisecond);

void BM_ReadProgramsBaseline(benchmark::State& state) {
  const auto texts = library();
  std::int64_t bytes = 0;
  for (auto _ : state) {
    for (const std::string& text : texts) {
      std::vector<std::string> tokens;
      for (std::size_t k = 0; k < text.size();) {
        const std::size_t begin = k++;
        const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
        while (word(text[begin]) && k < text.size() && word(text[k])) ++k;
        tokens.push_back(text.substr(begin, k - begin));
      }
      benchmark::DoNotOptimize(tokens.data());
      bytes += static_cast<std::int64_t>(text.size());
    }
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK(BM_ReadProgramsBaseline)->Unit(benchmark::kMillisecond);

void prove(benchmark::State& state, const std::string& text, bool proved, const std::string& architecture = "sm_80") {
  const auto program = gr::readProgram(text);
  if (!program) return state.SkipWithError("not read");
  for (auto _ : state)
    if (gr::checkProgram(*program, {.architecture = architecture, .budgetSeconds = 100}).holds() != proved)
      state.SkipWithError("another verdict");
}

void BM_ProvePipelinedGemm(benchmark::State& state) {
  prove(state, textOf("/assets/graphene/gemm_pipelined.graphene"), true);
}
BENCHMARK(BM_ProvePipelinedGemm)->Unit(benchmark::kMillisecond);

void BM_ProveTmaGemm(benchmark::State& state) {
  prove(state, textOf("/assets/graphene/hopper/gemm_wgmma_tma.graphene"), true, "sm_90a");
}
BENCHMARK(BM_ProveTmaGemm)->Unit(benchmark::kMillisecond);

// The same program for every M, K and N.
void BM_ProveTmaGemmSizes(benchmark::State& state) {
  prove(state, textOf("/assets/graphene/hopper/gemm_wgmma_sizes.graphene"), true, "sm_90a");
}
BENCHMARK(BM_ProveTmaGemmSizes)->Unit(benchmark::kMillisecond);

void BM_ProveWarpsGemm(benchmark::State& state) {
  prove(state, textOf("/assets/graphene/gemm_warps_64.graphene"), true);
}
BENCHMARK(BM_ProveWarpsGemm)->Unit(benchmark::kMillisecond);

void BM_ProveFigure8(benchmark::State& state) { prove(state, programs::kC2, true); }
BENCHMARK(BM_ProveFigure8)->Unit(benchmark::kMillisecond);

void BM_ProveFigure8Symbolic(benchmark::State& state) { prove(state, programs::kC2Symbolic, true); }
BENCHMARK(BM_ProveFigure8Symbolic)->Unit(benchmark::kMillisecond);

void BM_ProveSmall(benchmark::State& state) {
  for (auto _ : state)
    for (const std::string& text :
         {programs::kC1, programs::kC3, programs::kC4, programs::kC5, programs::kC6, programs::kC7, programs::kC8})
      if (!gr::checkProgram(*gr::readProgram(text), {.budgetSeconds = 100}).holds()) state.SkipWithError("not proved");
}
BENCHMARK(BM_ProveSmall)->Unit(benchmark::kMillisecond);

}  // namespace
