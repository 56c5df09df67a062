// Accesses of threads: wavefronts, sectors and races against a count by hand; corrected lines are read again.
#include "core/analysis/access/thread_access.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "core/analysis/access/thread_fix.h"
#include "core/notation/indexing/map.h"

using namespace tessera;

namespace {

Arrow arrowOfFormula(const std::string& line) {
  const auto formula = indexing::parseFormula(line);
  INFO(line);
  if (!formula) FAIL(formula.error().message);
  return arrowOf(formula->map.map, SpaceKind::Elements, LinearOrder::Lex, SpaceKind::Memory);
}

ThreadAccess accessOfFormula(const std::string& line, int bits, i64 perLane = 1) {
  auto access = threadAccess(arrowOfFormula(line), "S", bits, perLane);
  INFO(line);
  if (!access) FAIL(access.error().message);
  return *std::move(access);
}

// Addresses in bytes of a warp: the words per bank and phase, counted with sets.
i64 wavefrontsByHand(const std::vector<i64>& bytes, int width) {
  const int phases = std::max(1, width / 4), lanes = 32 / phases;
  i64 sum = 0;
  for (int phase = 0; phase < phases; ++phase) {
    std::map<i64, std::set<i64>> words;
    for (int lane = phase * lanes; lane < (phase + 1) * lanes && lane < static_cast<int>(bytes.size()); ++lane) {
      const i64 at = bytes[static_cast<std::size_t>(lane)];
      for (i64 b = at; b < at + width; ++b) words[b / 4 % 32].insert(b / 4);
    }
    std::size_t worst = 0;
    for (const auto& [bank, of] : words) worst = std::max(worst, of.size());
    sum += static_cast<i64>(worst);
  }
  return sum;
}

}  // namespace

TEST_CASE("wavefronts and sectors of threads are those counted by hand") {
  std::mt19937_64 random(11);
  const auto below = [&](i64 n) { return static_cast<i64>(random() % static_cast<u64>(n)); };
  for (int round = 0; round < 200; ++round) {
    const i64 threads = below(3) == 0 ? below(70) + 1 : 64, values = below(4) + 1, pitch = below(70), mask = below(32);
    const i64 step = below(9);
    const std::string line = "S(t, i) = (t % 32 * " + std::to_string(pitch) + " + t / 32 * 512 + i * " +
                             std::to_string(step) + ") ^ (t & " + std::to_string(mask) + ") over (" +
                             std::to_string(threads) + ", " + std::to_string(values) + ")";
    const Arrow arrow = arrowOfFormula(line);
    const ThreadAccess access = accessOfFormula(line, 32);
    const auto report = threadReport(access, MemorySpace::Shared);
    REQUIRE(report);
    i64 wavefronts = 0, sectors = 0;
    for (i64 i = 0; i < values; ++i)
      for (i64 warp = 0; warp * 32 < threads; ++warp) {
        std::vector<i64> bytes;
        std::set<i64> touched;
        for (i64 t = warp * 32; t < std::min(threads, warp * 32 + 32); ++t) {
          bytes.push_back(4 * arrow.map.at(std::vector<i64>{t, i})[0]);
          touched.insert(bytes.back() / 32);
        }
        wavefronts += wavefrontsByHand(bytes, 4);
        sectors += static_cast<i64>(touched.size());
      }
    INFO(line);
    CHECK(report->wavefronts == wavefronts);
    CHECK(report->sectors == sectors);
    CHECK(isConflictFree(access) == (report->wavefronts == report->ideal));
  }
}

TEST_CASE("several values of a lane are one vector, and must be one") {
  const ThreadAccess access = accessOfFormula("S(t, i) = t * 8 + i over (32, 8)", 16, 8);
  CHECK(access.width() == 16);
  CHECK(access.vectorDigit == 1);
  const auto report = threadReport(access, MemorySpace::Shared);
  REQUIRE(report);
  CHECK(report->instructions == 1);
  CHECK(report->wavefronts == 4);
  CHECK(report->ideal == 4);
  const auto scalar = threadReport(accessOfFormula("S(t, i) = t * 8 + i over (32, 8)", 16), MemorySpace::Shared);
  REQUIRE(scalar);
  CHECK(scalar->vectorElements == 8);
  const auto misaligned = threadReport(accessOfFormula("S(t) = t * 4 + 1 over (32)", 32, 4), MemorySpace::Shared);
  REQUIRE_FALSE(misaligned);
  CHECK(misaligned.error().message == "at t = 0 the address is byte 4, not a multiple of 16");
  const auto torn =
      threadReport(accessOfFormula("S(t, i) = t * 8 + (i ^ (t & 1)) over (32, 4)", 32, 4), MemorySpace::Shared);
  REQUIRE_FALSE(torn);
  CHECK(torn.error().message.find("not a multiple") + torn.error().message.find("are no vector") != 0);
  CHECK_FALSE(threadAccess(arrowOfFormula("S(t) = t over (32)"), "S", 32, 3).ok());
}

TEST_CASE("a predicate makes threads inactive, and a warp may be partial") {
  Arrow arrow = arrowOfFormula("S(t) = t * 32 over (40)");
  const Expr t = Expr::digit(0);
  arrow.map = *Map::create(arrow.map.digits(), arrow.map.axes(), {{t, 0, 1}});
  const auto access = threadAccess(arrow, "S", 32);
  REQUIRE(access);
  const auto report = threadReport(*access, MemorySpace::Shared);
  REQUIRE(report);
  CHECK(report->warps == 2);
  CHECK(report->instructions == 1);  // no lane of warp 1 is active
  CHECK(report->wavefronts == 2);
}

TEST_CASE("threads are found by their names, at any position") {
  CHECK(accessOfFormula("S(i, t) = t + i over (4, 32)", 32).threads == std::vector<int>{1});
  CHECK(accessOfFormula("S(ty, k, tx) = tx + k + ty over (4, 2, 8)", 32).threads == std::vector<int>{2, 0});
  CHECK(accessOfFormula("S(warp, lane) = lane + warp over (4, 32)", 32).threads == std::vector<int>{1, 0});
  const ThreadAccess first = accessOfFormula("S(x, y) = x + y over (4, 32)", 32);
  CHECK(first.threads == std::vector<int>{0});
  CHECK(first.asked == "the first coordinate, x, is the thread");
}

TEST_CASE("races are those of all pairs of threads") {
  std::mt19937_64 random(5);
  const auto below = [&](i64 n) { return static_cast<i64>(random() % static_cast<u64>(n)); };
  int racy = 0;
  for (int round = 0; round < 200; ++round) {
    const auto formula = [&] {
      return "S(t, i) = (t * " + std::to_string(below(4) + 1) + " + i * " + std::to_string(below(9)) + ") % " +
             std::to_string(below(60) + 20) + " over (8, 3)";
    };
    const std::string store = formula(), load = below(2) == 0 ? store : formula();
    const Map a = arrowOfFormula(store).map, b = arrowOfFormula(load).map;
    bool expected = false;
    for (i64 p = 0; p < 24; ++p)
      for (i64 q = 0; q < 24; ++q) {
        const std::vector<i64> x{p % 8, p / 8}, y{q % 8, q / 8};
        if (x[0] == y[0]) continue;
        expected = expected || a.at(x)[0] == a.at(y)[0] || a.at(x)[0] == b.at(y)[0];
      }
    const auto report = racesOf({accessOfFormula(store, 32), accessOfFormula(load, 32)}, {true, false});
    REQUIRE(report);
    INFO(store << "\n" << load);
    CHECK(report->race.has_value() == expected);
    racy += expected ? 1 : 0;
  }
  CHECK(racy > 20);
  CHECK(racy < 200);
}

TEST_CASE("corrected lines are conflict-free, and equal to a swizzle or a padding of the old line") {
  const auto fixes = [](const std::string& line, int bits, i64 perLane = 1) {
    std::vector<std::string> out;
    const ThreadAccess access = accessOfFormula(line, bits, perLane);
    for (const ThreadFix& fix : fixesOf(access, line)) {
      CHECK(isConflictFree(accessOfFormula(fix.line, bits, perLane)));
      out.push_back(fix.line);
    }
    return out;
  };
  using Lines = std::vector<std::string>;
  CHECK(fixes("S(t, i) = t * 32 + i over (32, 4)", 32) ==
        Lines{"S(t, i) = t * 32 + (i ^ t) over (32, 4)", "S(t, i) = t * 33 + i over (32, 4)"});
  CHECK(fixes("S(t, i) = i + 64*t over (32, 8)", 16, 8) ==
        Lines{"S(t, i) = (i ^ ((t & 7) << 3)) + 64*t over (32, 8)", "S(t, i) = i + 72*t over (32, 8)"});
  CHECK(fixes("S(t, i) = t / 8 * 64 + t % 8 * 8 + i over (32, 8)", 16, 8).empty());  // has no conflict: 4 phases
  const Lines shifted = fixes("S(t, i) = (t << 5) | i over (32, 4)", 32);
  REQUIRE(shifted.size() == 1);
  CHECK(shifted[0] == "S(t, i) = ((t << 5) | i) ^ ((((t << 5) | i) >> 5) & 31) over (32, 4)");
  CHECK(fixesOf(accessOfFormula("S(t) = t * 32 over (32)", 32), "S = 32:32").empty());
}
