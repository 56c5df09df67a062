#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/process.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

const std::string kBefore = TESSERA_SOURCE_DIR "/tests/cases/ttgir/stage.before.ttgir";
const std::string kAfter = TESSERA_SOURCE_DIR "/tests/cases/ttgir/stage.after.ttgir";

std::vector<Json> conversions(const std::string& text) {
  std::vector<Json> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line));
  return out;
}

std::string ttgirFile(const std::string& text) {
  static const std::string folder = scratchFolder();
  writeText(folder + "/module.ttgir", text);
  return folder + "/module.ttgir";
}

}  // namespace

TEST_CASE("tessera ttgir tells what each conversion needs") {
  const Finished text = run({"ttgir", kBefore});
  CHECK(text.exit == 0);
  CHECK(text.out.find("%near = ttg.convert_layout %x") != std::string::npos);
  CHECK(text.out.find("needs a shuffle: every element is in a lane of its warp (proved)") != std::string::npos);
  CHECK(text.out.find("from %x through %buffer, it needs nothing") != std::string::npos);
  CHECK(text.out.find("3 conversions (1 by shuffle, 1 for nothing), 2 loads, 2 stores") != std::string::npos);
  const auto rows = conversions(run({"ttgir", kBefore, "--json"}).out);
  REQUIRE(rows.size() == 7);
  CHECK(rows[0]["kind"] == "allocate");
  CHECK(rows[0]["bytes"] == 8192);
  CHECK(rows[0]["write"]["wavefronts"] == rows[0]["write"]["ideal"]);
  CHECK(rows[2]["needs"] == "nothing");
  CHECK(rows[2]["of"] == "%x");
  CHECK(rows[4]["needs"] == "shuffle");
  CHECK(rows[5]["needs"] == "shared memory");
  CHECK(rows[5]["read"]["wavefronts"] == 64);
  CHECK(rows[6]["movement"] == "same registers");
}

TEST_CASE("tessera ttgir --against lists what a pass added and removed") {
  const Finished text = run({"ttgir", kBefore, "--against", kAfter});
  CHECK(text.exit == 0);
  CHECK(text.out.find("removed 20: %back = ttg.convert_layout") != std::string::npos);
  CHECK(text.out.find("added 19: %wide = ttg.convert_layout") != std::string::npos);
  CHECK(text.out.find("1 removed, 1 added, 6 kept") != std::string::npos);
  const auto rows = conversions(run({"ttgir", kBefore, "--against", kAfter, "--json"}).out);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["change"] == "removed");
  CHECK(rows[1]["change"] == "added");
  CHECK(run({"ttgir", kBefore, "--against", kBefore}).out.find("0 removed, 0 added, 7 kept") != std::string::npos);
}

TEST_CASE("tessera ttgir reports what it does not understand and goes on") {
  const std::string file = ttgirFile(
      "#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n"
      "%1 = ttg.convert_layout %0 : tensor<128xf32, #nowhere> -> tensor<128xf32, #a>\n"
      "%2 = ttg.convert_layout %1 : tensor<128xf32, #a> -> tensor<128xf32, #a>\n");
  const Finished text = run({"ttgir", file});
  CHECK(text.exit == 1);
  CHECK(text.out.find("unknown: the alias #nowhere is not defined") != std::string::npos);
  CHECK(text.out.find("needs nothing") != std::string::npos);
  CHECK(run({"ttgir", ttgirFile("no module\n")}).exit == 2);
  CHECK(run({"ttgir", "/nowhere/at/all.ttgir"}).exit == 2);
  CHECK(run({"ttgir"}).exit == 2);
}
