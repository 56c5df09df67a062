// The main loops of the family of products and of the fused kernels, as printed and as compiled: the number of
// instructions per product, no spills, and as many concurrent blocks as CUTLASS's kernels of the same tile.
#include <catch2/catch.hpp>
#include <regex>

#include "core/codegen/kernel/multiprocessor.h"
#include "core/graphene/reader/parameters.h"
#include "machine_code.h"
#include "programs.h"
#include "solver/measure/device/nvrtc.h"

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
  CHECK(count(text, "A_round[3] = tessera::kept_global(A_round[3] + 96);") == 1);  // k is contiguous: a number a round
  const CudaSource rows = emitted("gemm", {{"right", "row"}}, "sm_80");
  const std::string other = std::regex_replace(rows.text, std::regex("\\s+"), " ");
  CHECK(count(other, "B_round[3] = tessera::kept_global(B_round[3] + (long long)N * 4096);") ==
        2);  // 32 rows of 128 * N a stage, also of those left
  CHECK(count(other, "A_round[3] = tessera::kept_global(A_round[3] + 96);") == 1);
}

namespace {

// The main loops of docs/machine_code.md, as nvcc 13.0 makes them; NVRTC's have up to three instructions more or less.
struct Row {
  const char* file;
  graphene::Settings settings;
  double ofProduct[3];  // on each of kArchitectures
  int registers;        // of CUTLASS's kernel of that tile and those warps; 0: none was measured
  i64 shared;           // and its shared memory
  double most = 1.9;    // instructions; more where copies and loads alone are 1.6
};
constexpr const char* kArchitectures[] = {"sm_80", "sm_86", "sm_90a"};

const std::vector<Row>& rows() {
  const graphene::Settings small = {{"BM", "64"}, {"BN", "64"}, {"BK", "64"}, {"WM", "32"}, {"WN", "64"}};
  const auto with = [&](const char* name, const char* value) {
    graphene::Settings out = small;
    out[name] = value;
    return out;
  };
  static const std::vector<Row> all = {
      {"../../tests/codegen/data/gemm_64x64", {}, {1.61, 1.61, 1.61}, 230, 49152},
      {"gemm_pipelined", {}, {1.89, 1.89, 1.90}, 230, 49152},
      {"gemm_bias_relu", {}, {1.79, 1.79, 1.79}, 228, 49152},
      {"gemm", {}, {1.59, 1.59, 1.60}, 230, 49152},
      {"gemm", {{"right", "row"}}, {1.69, 1.69, 1.71}, 228, 49152},
      {"gemm", {{"left", "column"}, {"right", "row"}}, {1.79, 1.79, 1.79}, 228, 49152},
      {"gemm", {{"BK", "64"}}, {1.53, 1.53, 1.53}, 242, 98304},
      {"gemm", {{"BN", "256"}}, {1.54, 1.54, 1.55}, 226, 73728},
      {"gemm", {{"BN", "256"}, {"right", "row"}}, {1.64, 1.64, 1.66}, 226, 73728},
      {"gemm", {{"BM", "256"}, {"left", "column"}}, {1.62, 1.62, 1.63}, 226, 73728},
      {"gemm", small, {1.92, 1.92, 1.92}, 152, 49152, 1.93},
      {"gemm", with("right", "row"), {2.11, 2.11, 2.12}, 152, 49152, 2.13},
      {"gemm_partial", {}, {1.74, 1.74, 1.77}, 230, 49152},
      {"gemm_partial", {{"right", "row"}}, {1.79, 1.79, 1.82}, 228, 49152},
      {"mlp", {}, {1.70, 1.70, 1.78}, 228, 49152},  // nvcc on sm_90a: 1.70
      {"lstm", {}, {1.77, 1.77, 1.78}, 228, 49152},
  };
  return all;
}

void checkRow(const measure::Nvrtc& nvrtc, const Row& row, int which) {
  const std::string architecture = kArchitectures[which];
  const CudaSource source = emitted(row.file, row.settings, architecture);
  const auto compiled = nvrtc.compile(source.text, architecture, source.lines);
  std::string settings;
  for (const auto& [name, value] : row.settings) settings += " " + name + "=" + value;
  INFO(row.file << settings << ", " << architecture);
  REQUIRE(compiled.ok());
  REQUIRE(compiled->resources.size() == 1);
  const measure::Resources& r = compiled->resources[0];
  const MainLoop loop = mainLoop(compiled->image, architecture);
  INFO(r.registers << " registers; " << loop.instructions << " instructions, " << loop.products << " HMMA, "
                   << loop.matrixLoads << " LDSM, " << loop.copies << " LDGSTS");
  REQUIRE(loop.instructions > 0);
  CHECK(loop.ofProduct() <= row.most + 0.01);            // CUTLASS: 2.3 to 4.1
  if (which == 0) CHECK(loop.cyclesOfProduct() <= 9.0);  // the tensor core takes one in 8 cycles
  if (nvrtc.version() == "13.0") CHECK(loop.ofProduct() == Approx(row.ofProduct[which]).margin(0.015));
  CHECK(r.spillStores + r.spillLoads + r.stackBytes == 0);
  const auto m = multiprocessorOf(architecture);
  REQUIRE(m.has_value());
  const Kernel& k = source.kernels[0];
  CHECK(blocksThatFit(*m, k.threads, r.registers, k.sharedBytes) >=
        blocksThatFit(*m, k.threads, row.registers, row.shared));
}

}  // namespace

TEST_CASE("the main loops of the tuned kernels, sm_80: instructions for each HMMA, registers, blocks at once") {
  const auto nvrtc = measure::Nvrtc::open();
  if (!nvrtc) {
    WARN("skipped: " + nvrtc.error().message);
    return;
  }
  for (const Row& row : rows()) checkRow(*nvrtc, row, 0);
}

TEST_CASE("every other architecture: the main loops of the tuned kernels") {
  const auto nvrtc = measure::Nvrtc::open();
  if (!nvrtc) {
    WARN("skipped: " + nvrtc.error().message);
    return;
  }
  for (const int which : {1, 2})
    for (const Row& row : rows()) checkRow(*nvrtc, row, which);
}

TEST_CASE("the compiler spills nothing of the rest of the family") {
  const auto nvrtc = measure::Nvrtc::open();
  if (!nvrtc) {
    WARN("skipped: " + nvrtc.error().message);
    return;
  }
  struct Other {
    graphene::Settings settings;
    const char* architecture;
  };
  const std::vector<Other> others = {
      {{{"BM", "256"}, {"left", "column"}, {"epilogue", "id"}}, "sm_90a"},
      {{{"BM", "64"}, {"BN", "64"}, {"BK", "64"}, {"WM", "32"}, {"WN", "32"}}, "sm_86"},
      {{{"left", "column"}, {"right", "row"}, {"epilogue", "bias_relu"}}, "sm_100a"},
  };
  for (const Other& one : others) {
    const CudaSource source = emitted("gemm", one.settings, one.architecture);
    const auto compiled = nvrtc->compile(source.text, one.architecture, source.lines);
    std::string settings;
    for (const auto& [name, value] : one.settings) settings += " " + name + "=" + value;
    INFO(settings << ", " << one.architecture);
    REQUIRE(compiled.ok());
    REQUIRE(compiled->resources.size() == 1);
    const measure::Resources& r = compiled->resources[0];
    INFO(r.registers << " registers");
    CHECK(r.spillStores + r.spillLoads + r.stackBytes == 0);
  }
}

}  // namespace tessera::codegen
