// The tables included by tests/gpu/check_atlas.cu equal those of the atlas and the bank model. TESSERA_WRITE=1 writes
// them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "core/analysis/memory/banks.h"
#include "core/atlas/atlas.h"

using namespace tessera;

namespace {

void same(const std::string& file, const std::string& text) {
  const std::string path = std::string(TESSERA_SOURCE_DIR) + "/tests/gpu/" + file;
  if (std::getenv("TESSERA_WRITE") != nullptr) std::ofstream(path) << text;
  std::ifstream in(path);
  std::stringstream stored;
  stored << in.rdbuf();
  INFO(file << " is stale: run this test with TESSERA_WRITE=1");
  CHECK(stored.str() == text);
}

std::string bankRow(const std::string& name, const WarpAccess& access) {
  const BankReport report = *bankReport(access);
  const int kind = access.matrices > 0 ? 2 : access.direction == AccessDirection::Write ? 1 : 0;
  std::string addresses;
  for (i64 a : access.addresses)
    addresses += fmt::format("{}{}", addresses.empty() ? "" : ",", a == kInactive ? -1 : a);
  int merged = 0;
  if (report.mergedPhases)
    for (int n : *report.mergedPhases) merged += n;
  return fmt::format("{{\"{}\", {}, {}, {}, {{{}}}, {}, {}}},\n", name, kind, access.width, access.matrices, addresses,
                     report.wavefronts, merged);
}

}  // namespace

TEST_CASE("the device program's operand table is the atlas") {
  std::string text = "// Written by tests/atlas/gpu_tables_test.cpp; do not edit.\n";
  for (const AtlasRow& family : atlas()) {
    const bool wanted = family.family == AtlasFamily::MmaSync || family.family == AtlasFamily::Ldmatrix ||
                        family.family == AtlasFamily::Stmatrix || family.family == AtlasFamily::Movmatrix ||
                        family.name == "wgmma.m64n{N}k16.f32.f16.f16.ss";
    if (!wanted || family.architecture.find("sm_100a") != std::string::npos ||
        family.architecture.find("sm_120a") != std::string::npos)
      continue;
    const AtlasRow row = bind(family, 64);
    for (const AtlasOperand& o : row.operands)
      text += fmt::format("{{\"{}\", \"{}\", \"{}\", {}, {}, \"{}\", \"{}\"}},\n", row.name, o.name, o.element, o.rows,
                          o.columns, o.layout, row.threadId);
  }
  same("atlas_tables.inc", text);
}

TEST_CASE("the device program's bank table is the model's") {
  std::string text = "// Written by tests/atlas/gpu_tables_test.cpp; do not edit.\n";
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/bank.jsonl");
  REQUIRE(in);
  for (std::string line; std::getline(in, line);) {
    nlohmann::json row = nlohmann::json::parse(line);
    if (row["expected"].contains("error") || row["expected"]["wavefronts"] == 0) continue;
    if (row["kind"].get<std::string>().starts_with("stmatrix")) continue;
    std::vector<std::optional<i64>> addresses;
    for (const auto& a : row["addrs"])
      addresses.push_back(a.is_null() ? std::nullopt : std::optional<i64>(a.get<i64>()));
    auto access = warpAccess(row["kind"].get<std::string>(), row["width"].get<int>(), addresses);
    REQUIRE(access.ok());
    text += bankRow(row["id"].get<std::string>(), *access);
  }
  std::mt19937 random(11);  // its sequence is fixed by the standard
  for (int i = 0; i < 160; ++i) {
    const int width = 4 << (i % 3);
    std::vector<std::optional<i64>> addresses(32);
    const u64 span = u64{1} << (7 + random() % 6);
    for (auto& a : addresses) a = static_cast<i64>(random() % (span / static_cast<u64>(width))) * width;
    const bool matrix = width == 16 && i % 2 == 0;
    auto access = warpAccess(matrix ? fmt::format("ldmatrix.x{}", 1 << (i / 6 % 3)) : "load", width, addresses);
    REQUIRE(access.ok());
    text += bankRow(fmt::format("random-{}", i), *access);
  }
  same("bank_tables.inc", text);
}
