// Code of ptxas for the programs of the gallery has no uncovered read.
// Needs nvcc and nvdisasm; without them nothing is checked and a warning says so.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/files/tool.h"
#include "process.h"

using namespace tessera;
namespace fs = std::filesystem;

namespace {

bool haveTools() {
  if (!toolPath("nvcc").empty() && !toolPath("nvdisasm").empty()) return true;
  WARN("nvcc or nvdisasm is missing; TESSERA_NVDISASM names one that is not on PATH");
  return false;
}

// The objects that tessera sass prints for a program.
std::vector<nlohmann::json> reportsOf(const fs::path& program, const std::string& architecture) {
  const std::string source = scratchFolder() + "/" + program.stem().string() + "." + architecture + ".cu";
  const Finished generated = run({"codegen", program.string(), "--arch", architecture, "-o", source});
  INFO(program.string() << " for " << architecture << ": " << generated.err);
  REQUIRE(generated.exit == 0);
  const Finished ran = run({"sass", source, "--arch", architecture, "--json"});
  INFO(ran.out.substr(0, 3000) << ran.err);
  REQUIRE(ran.exit == 0);
  std::vector<nlohmann::json> out;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) out.push_back(nlohmann::json::parse(line));
  REQUIRE_FALSE(out.empty());
  return out;
}

const fs::path kGallery = fs::path(TESSERA_SOURCE_DIR) / "assets/graphene";

}  // namespace

TEST_CASE("machine code of a few programs: no uncovered read, the loops of docs/machine_code.md") {
  if (!haveTools()) return;
  const auto gemm = reportsOf(kGallery / "gemm_pipelined.graphene", "sm_80");
  REQUIRE(gemm.size() == 1);
  CHECK(gemm[0]["shared_bytes"] == 49152);
  CHECK(gemm[0]["loops"][0]["products"] == 96);
  CHECK(gemm[0]["loops"][0]["instructions_per_product"].get<double>() <= 2.0);
  const auto hopper = reportsOf(kGallery / "hopper/gemm_wgmma_pipelined.graphene", "sm_90a");
  CHECK(hopper[0]["uncovered"].empty());
  CHECK(hopper[0]["cycles_known"] == true);
}

TEST_CASE("every program of the gallery: the machine code of ptxas has no uncovered read") {
  if (!haveTools()) return;
  std::size_t reads = 0, unchecked = 0, kernels = 0;
  for (const char* folder : {"", "hopper"})
    for (const auto& entry : fs::directory_iterator(kGallery / folder)) {
      if (entry.path().extension() != ".graphene") continue;
      const bool hopper = std::string(folder) == "hopper";
      for (const char* architecture : {"sm_80", "sm_90a"}) {
        if (hopper && std::string(architecture) == "sm_80") continue;
        for (const auto& report : reportsOf(entry.path(), architecture)) {
          CHECK(report["uncovered"].empty());
          reads += report["reads"].get<std::size_t>();
          unchecked += report["unchecked"].get<std::size_t>();
          ++kernels;
        }
      }
    }
  CHECK(kernels >= 60);
  CHECK(reads > 10000);
  CHECK(unchecked * 20 < reads);
}
