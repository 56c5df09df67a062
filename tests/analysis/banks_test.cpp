// The bank and sector models: the published cases, a slow obvious simulator, and the messages.
#include "core/analysis/memory/banks.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "core/atlas/atlas.h"
#include "core/notation/cute/layout.h"

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
int simulatePhase(const std::vector<std::optional<i64>>& addresses, int width, const std::vector<int>& lanes) {
  std::set<i64> pendingBytes;
  for (const int lane : lanes)
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

// Which lanes go together, read from the row of the atlas as a layout (phase, lane in phase) -> lane.
std::vector<std::vector<int>> phasesOf(const std::string& instruction) {
  const AtlasRow row = *findInstruction(instruction);
  const cute::Layout layout = *cute::parseLayout(print(accessOf(row, MemorySpace::Shared)->phases));
  std::vector<std::vector<int>> phases(static_cast<std::size_t>(layout.mode(0).size()));
  for (i64 i = 0; i < layout.size(); ++i)
    phases[static_cast<std::size_t>(i % layout.mode(0).size())].push_back(static_cast<int>(layout(i)));
  return phases;
}

AtlasAccess shared(AccessDirection direction, int width) {
  return *vectorAccess(direction, MemorySpace::Shared, width);
}
AtlasAccess load(int width) { return shared(AccessDirection::Read, width); }

// Every instruction of the atlas whose lanes address shared memory.
std::vector<std::string> sharedInstructions() {
  std::vector<std::string> names;
  for (const AtlasRow& row : atlas())
    if (accessOf(row, MemorySpace::Shared) != nullptr) names.push_back(row.name);
  return names;
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
  const std::vector<std::string> names = sharedInstructions();
  REQUIRE(names.size() > 30);
  for (int round = 0; round < 4000; ++round) {
    const std::string& name = names[static_cast<std::size_t>(round) % names.size()];
    const int width = accessOf(*findInstruction(name), MemorySpace::Shared)->width;
    const i64 span = i64{1} << (5 + below(9));
    std::vector<std::optional<i64>> addresses(32);
    for (auto& a : addresses)
      if (below(8) != 0) a = below(std::max<i64>(1, span / width)) * width;
    auto access = warpAccess(name, width, addresses);
    REQUIRE(access.ok());
    std::vector<int> slow;
    for (const std::vector<int>& lanes : phasesOf(name)) slow.push_back(simulatePhase(addresses, width, lanes));
    INFO("round " << round << " " << name);
    auto report = bankReport(*access);
    REQUIRE(report.ok());
    CHECK(report->phaseWavefronts == slow);
    CHECK(conflictFree(*access) == (report->excess == 0));
    CHECK(worstConflict(*access).has_value() == (report->excess > 0));
    for (int p = 0; p < static_cast<int>(slow.size()); ++p) {
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
    auto report = bankReport(*warpAccess(load(width), addresses));
    REQUIRE(report.ok());
    CHECK(report->excess == 0);
    CHECK(report->wavefronts == (width <= 4 ? 1 : width / 4));
  }
}

TEST_CASE("a stride of s words costs gcd(s, 32) wavefronts") {
  for (i64 s = 1; s <= 130; ++s) {
    std::vector<std::optional<i64>> addresses;
    for (int lane = 0; lane < 32; ++lane) addresses.push_back(lane * s * 4);
    CHECK(wavefronts(*warpAccess(load(4), addresses)) == std::gcd(s, i64{32}));
  }
}

TEST_CASE("the worst conflict names the colliding lanes") {
  std::vector<std::optional<i64>> addresses;
  for (int lane = 0; lane < 32; ++lane) addresses.push_back(lane < 2 ? lane * 128 : lane * 4);
  auto conflict = worstConflict(*warpAccess(load(4), addresses));
  REQUIRE(conflict);
  CHECK(conflict->load.bank == 0);
  CHECK(conflict->text == "phase 0: bank 0 must deliver 2 words: lane 0 byte 0, lane 1 byte 128");
}

TEST_CASE("bad accesses are refused with the lane and what would fit") {
  std::vector<std::optional<i64>> misaligned = {0, 16, 40};
  auto a = warpAccess(load(16), misaligned);
  REQUIRE(!a.ok());
  CHECK(a.error().message == "lane 2: address 40 is not a multiple of 16 bytes; the hardware faults");
  std::vector<std::optional<i64>> tooMany(33, 0);
  CHECK(!warpAccess(load(4), tooMany).ok());
  CHECK(!warpAccess("load", 3, misaligned).ok());
  CHECK(!warpAccess("ldmatrix.x4", 8, misaligned).ok());
  CHECK(!warpAccess("ldmatrix.x3", 16, misaligned).ok());
  CHECK(!warpAccess("prefetch", 4, misaligned).ok());
  std::vector<std::optional<i64>> negative = {-4};
  CHECK(!warpAccess(load(4), negative).ok());
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
      a = static_cast<i64>(random() % 2048) / width * width;
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

TEST_CASE("a misaligned global access is refused as a shared one is, and only that") {
  for (const int width : {1, 2, 4, 8, 16, 32})
    for (i64 address = 0; address < 70; ++address) {
      const std::vector<std::optional<i64>> lanes = {0, std::nullopt, address};
      const auto report = sectorReport(lanes, width);
      CHECK(report.ok() == (address % width == 0));
      if (width <= 16) CHECK(report.ok() == warpAccess(load(width), lanes).ok());
      if (!report) CHECK(report.error().message.starts_with(fmt::format("lane 2: address {}", address)));
    }
}

TEST_CASE("an access of a list of addresses is named as in the atlas") {
  std::vector<std::optional<i64>> rows;
  for (int lane = 0; lane < 32; ++lane) rows.push_back(lane * 128);
  CHECK(wavefronts(*warpAccess("ldmatrix.x4", 16, rows)) == 32);
  CHECK(wavefronts(*warpAccess("ldmatrix.x2", 16, rows)) == 16);
  CHECK(wavefronts(*warpAccess("SM75_U32x1_LDSM_N", 16, rows)) == 8);
  CHECK(wavefronts(*warpAccess("ldmatrix.m16n16.x1.trans.b8", 16, rows)) == 16);
  CHECK(wavefronts(*warpAccess("cp.async.ca.shared.global.8", 8, rows)) == 32);
  CHECK(*warpAccess("ld.shared.v4", 16, rows) == *warpAccess("load", 16, rows));
  CHECK(warpAccess("ld.shared.v4", 8, rows).error().message == "ld.shared.v4 moves 16 bytes per lane, not 8");
  CHECK(warpAccess("ld.global.v4", 16, rows).error().hint == "ld.global.v4 has no lanes that address shared memory");
  CHECK(warpAccess("ldmatrix.x3", 16, rows).error().hint.find("ldmatrix.x1") != std::string::npos);
}

TEST_CASE("merged phases are the row's") {
  // Lanes n and n^1 read one address: the profiler may count half the phases.
  std::mt19937_64 random(3);
  for (const std::string& name : sharedInstructions()) {
    const AtlasAccess access = *accessOf(*findInstruction(name), MemorySpace::Shared);
    std::vector<std::optional<i64>> addresses(32);
    for (std::size_t lane = 0; lane < 32; lane += 2)
      addresses[lane] = addresses[lane + 1] = static_cast<i64>(random() % 64) * 16;
    const BankReport report = *bankReport(*warpAccess(access, addresses));
    INFO(name);
    CHECK(report.mergedPhases.has_value() == access.merged.has_value());
    if (!access.merged) continue;
    std::vector<int> slow;
    for (int p = 0; p < access.merged->count; ++p) {
      std::vector<int> lanes;
      for (int i = 0; i < access.merged->lanes; ++i) lanes.push_back(access.merged->lane(p, i));
      slow.push_back(simulatePhase(addresses, access.width, lanes));
    }
    CHECK(*report.mergedPhases == slow);
    CHECK(access.merged->lanes == 2 * access.phases.lanes);
  }
}
