// The bank and sector models: the published cases, a slow obvious simulator, and the messages.
#include "core/analysis/banks.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "core/analysis/coalescing.h"

using namespace tessera;
using nlohmann::json;

namespace {

std::vector<std::optional<i64>> addressesOf(const json& list) {
  std::vector<std::optional<i64>> out;
  for (const json& a : list) out.push_back(a.is_null() ? std::nullopt : std::optional<i64>(a.get<i64>()));
  return out;
}

std::vector<json> cases(const std::string& file, const std::string& kind) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/" + file);
  REQUIRE(in);
  std::vector<json> out;
  for (std::string line; std::getline(in, line);) {
    json row = json::parse(line);
    if (kind.empty() || row["kind"] == kind) out.push_back(row);
  }
  REQUIRE(!out.empty());
  return out;
}

// The second opinion: deliver words wavefront by wavefront until every lane of the phase is served. Each wavefront
// opens at most one word a bank; every byte of every lane is a request of its own.
int simulatePhase(const std::vector<std::optional<i64>>& addresses, int width, int first, int count) {
  std::set<i64> pendingBytes;
  for (int lane = first; lane < first + count; ++lane)
    if (addresses[static_cast<std::size_t>(lane)])
      for (int b = 0; b < width; ++b) pendingBytes.insert(*addresses[static_cast<std::size_t>(lane)] + b);
  int steps = 0;
  for (; !pendingBytes.empty(); ++steps) {
    std::map<i64, i64> open;  // bank -> word
    for (i64 byte : pendingBytes) open.emplace((byte / 4) % 32, byte / 4);
    for (auto it = pendingBytes.begin(); it != pendingBytes.end();)
      it = open[(*it / 4) % 32] == *it / 4 ? pendingBytes.erase(it) : std::next(it);
  }
  return steps;
}

}  // namespace

TEST_CASE("every published bank case has the model's wavefronts") {
  for (const json& row : cases("bank.jsonl", "")) {
    INFO(row["id"].get<std::string>() << " " << row["desc"].get<std::string>());
    auto addresses = addressesOf(row["addrs"]);
    auto access = warpAccess(row["kind"].get<std::string>(), row["width"].get<int>(), addresses);
    const json& expected = row["expected"];
    if (expected.contains("error")) {
      CHECK(!access.ok());
      continue;
    }
    REQUIRE(access.ok());
    auto report = bankReport(*access);
    REQUIRE(report.ok());
    CHECK(report->phaseWavefronts == expected["phase_wavefronts"].get<std::vector<int>>());
    CHECK(report->wavefronts == expected["wavefronts"].get<int>());
    CHECK(report->ideal == expected["ideal"].get<int>());
    CHECK(report->excess == expected["extra"].get<int>());
    CHECK(report->conflictDegree == expected["conflict_degree"].get<int>());
    CHECK(report->uniqueWords == expected["unique_words"].get<int>());
    CHECK(report->mergedPhases.has_value() == expected.contains("merged_phase_wavefronts"));
    if (report->mergedPhases)
      CHECK(*report->mergedPhases == expected["merged_phase_wavefronts"].get<std::vector<int>>());
    CHECK(wavefronts(*access) == report->wavefronts);
    CHECK(conflictFree(*access) == (report->excess == 0));
  }
}

TEST_CASE("the bank model agrees with a byte-by-byte simulator on random accesses") {
  std::mt19937_64 random(20261120);
  auto below = [&](i64 n) { return static_cast<i64>(random() % static_cast<u64>(n)); };
  for (int round = 0; round < 4000; ++round) {
    const int width = 1 << below(5);
    const i64 span = i64{1} << (5 + below(9));
    std::vector<std::optional<i64>> addresses(32);
    for (auto& a : addresses)
      if (below(8) != 0) a = below(std::max<i64>(1, span / width)) * width;
    const bool matrix = width == 16 && below(2) == 0;
    const int matrices = matrix ? 1 << below(3) : 0;
    auto access = warpAccess(matrix ? AccessKind::Ldmatrix : AccessKind::Load, width, matrices, addresses);
    REQUIRE(access.ok());
    PhaseShape shape = phaseShape(*access);
    std::vector<int> slow;
    for (int p = 0; p < shape.phases; ++p)
      slow.push_back(simulatePhase(addresses, width, p * shape.lanesPerPhase, shape.lanesPerPhase));
    INFO("round " << round << " width " << width << " matrices " << matrices);
    auto report = bankReport(*access);
    REQUIRE(report.ok());
    CHECK(report->phaseWavefronts == slow);
    CHECK(conflictFree(*access) == (report->excess == 0));
    CHECK(worstConflict(*access).has_value() == (report->excess > 0));
    for (int p = 0; p < shape.phases; ++p) {
      std::size_t most = 0;
      for (const BankLoad& load : bankLoads(*access, p)) most = std::max(most, load.words.size());
      CHECK(static_cast<int>(most) == slow[static_cast<std::size_t>(p)]);
    }
  }
}

TEST_CASE("a contiguous vector per lane has no excess at any width") {
  for (int width : {1, 2, 4, 8, 16}) {
    std::vector<std::optional<i64>> addresses;
    for (int lane = 0; lane < 32; ++lane) addresses.push_back(lane * width);
    auto report = bankReport(*warpAccess(AccessKind::Load, width, 0, addresses));
    REQUIRE(report.ok());
    CHECK(report->excess == 0);
    CHECK(report->wavefronts == (width <= 4 ? 1 : width / 4));
  }
}

TEST_CASE("a stride of s words costs gcd(s, 32) wavefronts") {
  for (i64 s = 1; s <= 130; ++s) {
    std::vector<std::optional<i64>> addresses;
    for (int lane = 0; lane < 32; ++lane) addresses.push_back(lane * s * 4);
    CHECK(wavefronts(*warpAccess(AccessKind::Load, 4, 0, addresses)) == std::gcd(s, i64{32}));
  }
}

TEST_CASE("the worst conflict names the colliding lanes") {
  std::vector<std::optional<i64>> addresses;
  for (int lane = 0; lane < 32; ++lane) addresses.push_back(lane < 2 ? lane * 128 : lane * 4);
  auto conflict = worstConflict(*warpAccess(AccessKind::Load, 4, 0, addresses));
  REQUIRE(conflict);
  CHECK(conflict->load.bank == 0);
  CHECK(conflict->text == "phase 0: bank 0 must deliver 2 words: lane 0 byte 0, lane 1 byte 128");
}

TEST_CASE("bad accesses are refused with the lane and what would fit") {
  std::vector<std::optional<i64>> misaligned = {0, 16, 40};
  auto a = warpAccess(AccessKind::Load, 16, 0, misaligned);
  REQUIRE(!a.ok());
  CHECK(a.error().message == "lane 2: address 40 is not a multiple of 16 bytes; the hardware faults");
  std::vector<std::optional<i64>> tooMany(33, 0);
  CHECK(!warpAccess(AccessKind::Load, 4, 0, tooMany).ok());
  CHECK(!warpAccess(AccessKind::Load, 3, 0, misaligned).ok());
  CHECK(!warpAccess("ldmatrix.x3", 16, misaligned).ok());
  CHECK(!warpAccess("prefetch", 4, misaligned).ok());
  std::vector<std::optional<i64>> negative = {-4};
  CHECK(!warpAccess(AccessKind::Load, 4, 0, negative).ok());
}

TEST_CASE("every published coalescing case has the model's sectors and lines") {
  for (const json& row : cases("atlas.jsonl", "coalescing")) {
    INFO(row["id"].get<std::string>() << " " << row["inputs"]["name"].get<std::string>());
    auto report = sectorReport(addressesOf(row["inputs"]["addrs"]), row["inputs"]["width"].get<int>());
    REQUIRE(report.ok());
    const json& expected = row["expected"];
    CHECK(report->requestedBytes == expected["requested_bytes"].get<i64>());
    CHECK(report->uniqueBytes == expected["unique_bytes"].get<i64>());
    CHECK(report->sectors == expected["sectors"].get<i64>());
    CHECK(report->lines == expected["lines"].get<i64>());
    CHECK(report->efficiency == Approx(expected["efficiency_unique"].get<double>()).margin(1e-6));
  }
}

TEST_CASE("sectors agree with a set of bytes on random accesses, in any order of lanes") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 1000; ++round) {
    const int width = 1 << (random() % 6);
    std::vector<std::optional<i64>> addresses(32);
    std::set<i64> bytes;
    for (auto& a : addresses) {
      if (random() % 8 == 0) continue;
      a = static_cast<i64>(random() % 2048);
      for (int b = 0; b < width; ++b) bytes.insert(*a + b);
    }
    std::set<i64> sectors, lines;
    for (i64 b : bytes) {
      sectors.insert(b / 32);
      lines.insert(b / 128);
    }
    auto report = sectorReport(addresses, width);
    REQUIRE(report.ok());
    CHECK(report->sectors == static_cast<i64>(sectors.size()));
    CHECK(report->lines == static_cast<i64>(lines.size()));
    CHECK(report->uniqueBytes == static_cast<i64>(bytes.size()));
    std::shuffle(addresses.begin(), addresses.end(), random);
    CHECK(*sectorReport(addresses, width) == *report);
  }
}
