// The family of products: what its main loop is printed as, and what the compiler makes of it: nothing spilled, and as many blocks
// at once as of CUTLASS's kernels of the same tile.
#include <catch2/catch.hpp>
#include <regex>

#include "core/codegen/multiprocessor.h"
#include "core/graphene/parameters.h"
#include "programs.h"
#include "solver/measure/nvrtc.h"

namespace tessera::codegen {
namespace {

const std::filesystem::path kAssets = std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene";

CudaSource emitted(const std::string& file, const graphene::Settings& settings, const std::string& architecture) {
  const auto text = graphene::withSettings(readAll(kAssets / (file + ".graphene")), settings);
  REQUIRE(text.ok());
  auto source = emitText(*text, architecture);
  INFO((source ? "" : source.error().message));
  REQUIRE(source.ok());
  return *std::move(source);
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("sizes that are symbols: whole rounds of stages, then what is left; pointers step") {
  const CudaSource columns = emitted("gemm", {}, "sm_80");
  const std::string text = std::regex_replace(columns.text, std::regex("\\s+"), " ");
  CHECK(count(text, "for (int stage = 0; stage < 3; ++stage) {") == 1);
  CHECK(count(text, "for (int stage = 0; stage < 2; ++stage) {") == 1);
  CHECK(std::regex_search(text, std::regex("if \\(stage >= K % 3\\) break;")));
  CHECK(count(text, "A_round[3] += 96;") == 1);  // k is contiguous: a number a round
  const CudaSource rows = emitted("gemm", {{"right", "row"}}, "sm_80");
  const std::string other = std::regex_replace(rows.text, std::regex("\\s+"), " ");
  CHECK(count(other, "B_round[3] += (long long)N * 4096;") == 2);  // 32 rows of 128 * N a stage, also of those left
  CHECK(count(other, "A_round[3] += 96;") == 1);
}

TEST_CASE("the compiler spills nothing of the family, and as many blocks fit as of CUTLASS's") {
  const auto nvrtc = measure::Nvrtc::open();
  if (!nvrtc) {
    WARN("skipped: " + nvrtc.error().message);
    return;
  }
  struct Row {
    const char* file;
    graphene::Settings settings;
    const char* architecture;
    int cutlass;  // registers of CUTLASS's kernel of that tile; 0: none was measured
    i64 cutlassShared;
  };
  const std::vector<Row> rows = {
      {"gemm", {}, "sm_80", 230, 49152},
      {"gemm", {{"right", "row"}}, "sm_80", 228, 49152},
      {"gemm", {{"BK", "64"}}, "sm_80", 242, 98304},
      {"gemm", {{"BN", "256"}}, "sm_80", 226, 73728},
      {"gemm", {{"BM", "256"}, {"left", "column"}, {"epilogue", "id"}}, "sm_90a", 0, 0},
      {"gemm", {{"BM", "64"}, {"BN", "64"}, {"BK", "64"}, {"WM", "32"}, {"WN", "32"}}, "sm_86", 0, 0},
      {"gemm", {{"left", "column"}, {"right", "row"}, {"epilogue", "bias_relu"}}, "sm_100a", 0, 0},
      {"gemm_partial", {}, "sm_80", 230, 49152},
      {"gemm_partial", {{"right", "row"}}, "sm_90a", 228, 49152},
  };
  for (const Row& row : rows) {
    const CudaSource source = emitted(row.file, row.settings, row.architecture);
    const auto compiled = nvrtc->compile(source.text, row.architecture, source.lines);
    std::string settings;
    for (const auto& [name, value] : row.settings) settings += " " + name + "=" + value;
    INFO(row.file << settings << ", " << row.architecture);
    REQUIRE(compiled.ok());
    REQUIRE(compiled->resources.size() == 1);
    const measure::Resources& r = compiled->resources[0];
    INFO(r.registers << " registers");
    CHECK(r.spillStores == 0);
    CHECK(r.spillLoads == 0);
    CHECK(r.stackBytes == 0);
    if (row.cutlass == 0) continue;
    const auto m = multiprocessorOf(row.architecture);
    REQUIRE(m.has_value());
    const Kernel& k = source.kernels[0];
    CHECK(blocksThatFit(*m, k.threads, r.registers, k.sharedBytes) >=
          blocksThatFit(*m, k.threads, row.cutlass, row.cutlassShared));
  }
}

}  // namespace tessera::codegen
