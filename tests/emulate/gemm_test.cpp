// The family of products accesses shared memory without conflicts and no sector of global memory twice, for all
// parameters.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/graphene/program.h"
#include "core/graphene/reader/parameters.h"
#include "support/emulate.h"

using namespace tessera;
using namespace tessera::graphene;

namespace {

// Runs the family with these parameters on one tile of rows, two of depth.
Run ranWith(Settings settings) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene/gemm.graphene");
  std::stringstream text;
  text << in.rdbuf();
  settings["group"] = "1";
  const auto set = withSettings(text.str(), settings);
  REQUIRE(set.ok());
  const auto program = readProgram(*set);
  REQUIRE(program.ok());
  auto run = emulate(*program, {}, {.sizes = {{"M", 1}, {"N", 1}, {"K", 2}}});
  REQUIRE(run.ok());
  return *std::move(run);
}

}  // namespace

TEST_CASE("the family of products has no bank conflicts, in any tile and order") {
  const std::vector<Settings> corners = {
      {},
      {{"right", "row"}},
      {{"left", "column"}},
      {{"BN", "256"}, {"right", "row"}},
      {{"BM", "256"}, {"left", "column"}},
      {{"BK", "64"}},
      {{"BM", "64"}, {"BN", "64"}, {"WM", "32"}, {"WN", "32"}},
      {{"BM", "64"}, {"BN", "256"}, {"BK", "64"}, {"left", "column"}, {"right", "row"}},
  };
  for (const Settings& settings : corners) {
    INFO((!settings.empty() ? settings.begin()->first + "=" + settings.begin()->second : "as it stands"));
    const auto run = ranWith(settings);
    CHECK(run.findings.empty());
    CHECK(run.total.wavefronts > 0);
    CHECK(run.total.wavefronts == run.total.idealWavefronts);
    CHECK(run.total.sectors == run.total.idealSectors);
  }
}

TEST_CASE("the family stores halves in whole sectors, through a free stage") {
  const std::vector<Settings> corners = {{{"right", "row"}, {"epilogue", "bias_relu"}},
                                         {{"WN", "32"}, {"epilogue", "id"}},
                                         {{"BM", "64"}, {"BN", "64"}, {"BK", "64"}, {"WM", "32"}, {"epilogue", "relu"}},
                                         {{"left", "column"}, {"right", "row"}, {"epilogue", "bias"}}};
  for (const Settings& settings : corners) {
    INFO(settings.at("epilogue"));
    const auto run = ranWith(settings);
    CHECK(run.findings.empty());
    CHECK(run.total.sectors == run.total.idealSectors);
    // The swizzle of 256-byte rows puts chunks of two columns in the same banks.
    if (settings.count("left") == 0) CHECK(run.total.wavefronts == run.total.idealWavefronts);
  }
}
