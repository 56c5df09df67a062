// The log of a search: read back, cut off, merged, sharded, resumed.
#include "solver/measure/report/tune_log.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace tessera;
using namespace tessera::measure;

namespace {

TuneEntry entryOf(const std::string& candidate, TuneResult result, double median, const std::string& why = "") {
  return {candidate, result, median, median, median, "H100", "12.4", "2026-11-22", why};
}

TuneLog randomLog(unsigned seed) {
  std::mt19937 random(seed);
  const std::string letters = "a1 =\t\n\r\\x,";
  TuneLog out;
  for (unsigned k = 0; k < random() % 12; ++k) {
    std::string candidate = "c" + std::to_string(random() % 6), why;
    for (unsigned c = 0; c < random() % 8; ++c) why += letters[random() % letters.size()];
    if (random() % 3 == 0) candidate += why;
    out.entries.push_back(
        entryOf(candidate, static_cast<TuneResult>(random() % 5), static_cast<double>(random() % 5) / 4, why));
  }
  return out;
}

}  // namespace

TEST_CASE("a log is read back as it was written, whatever stands in it") {
  for (unsigned seed = 0; seed < 500; ++seed) {
    const TuneLog log = randomLog(seed);
    const TuneReading again = readTuneLog(print(log));
    INFO(seed);
    REQUIRE(again.log == log);
    REQUIRE(again.skipped == 0);
    REQUIRE_FALSE(again.cutOff);
  }
}

TEST_CASE("a log that was cut off anywhere keeps every whole line; lines that are none are skipped") {
  TuneLog log;
  for (int k = 0; k < 5; ++k) log.entries.push_back(entryOf("c" + std::to_string(k), TuneResult::Right, k + 1));
  const std::string text = print(log);
  for (std::size_t bytes = 0; bytes <= text.size(); ++bytes) {
    const TuneReading part = readTuneLog(text.substr(0, bytes));
    const auto lines =
        static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(bytes), '\n'));
    REQUIRE(part.log.entries.size() == lines);
    REQUIRE(part.cutOff == (bytes > 0 && text[bytes - 1] != '\n'));
  }
  const TuneReading dirty =
      readTuneLog("# a remark\n\nnonsense\n\tright\t1\t1\t1\t\t\t\t\nc\tgood\t1\t1\t1\t\t\t\t\n" + text);
  CHECK(dirty.log == log);
  CHECK(dirty.skipped == 3);
}

TEST_CASE("merging is the same in any order, and keeps the best of each candidate") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const TuneLog a = randomLog(seed), b = randomLog(seed + 1000), c = randomLog(seed + 2000);
    REQUIRE(merged(a, b) == merged(b, a));
    REQUIRE(merged(merged(a, b), c) == merged(a, merged(b, c)));
    REQUIRE(merged(merged(a, b), merged(a, b)) == merged(a, b));
  }
  const TuneLog slow{{entryOf("x", TuneResult::Right, 5), entryOf("y", TuneResult::Failed, 0, "no memory")}};
  const TuneLog fast{{entryOf("x", TuneResult::Right, 3), entryOf("y", TuneResult::Right, 9)}};
  const TuneLog both = merged(slow, fast);
  REQUIRE(both.entries.size() == 2);
  CHECK(both.entries[0].median == 3);
  CHECK(both.entries[1].result == TuneResult::Right);
  const auto ranked = ranking(both);
  REQUIRE(ranked.size() == 2);
  CHECK(ranked[0].candidate == "x");
}

TEST_CASE("every candidate belongs to one shard, about as many to each, and what is done is not done again") {
  std::vector<std::string> candidates;
  for (int k = 0; k < 4000; ++k) candidates.push_back("tile=" + std::to_string(k) + " stages=3");
  for (const int count : {1, 2, 16}) {
    std::set<std::string> seen;
    for (int index = 0; index < count; ++index) {
      const auto mine = left(candidates, {}, {index, count});
      CHECK(mine.size() > 4000u / static_cast<unsigned>(count) * 7 / 10);
      CHECK(mine.size() < 4000u / static_cast<unsigned>(count) * 13 / 10 + 1);
      for (const std::string& c : mine) REQUIRE(seen.insert(c).second);
    }
    CHECK(seen.size() == candidates.size());
  }
  const Shard shard{3, 16};
  const auto before = left(candidates, {}, shard);
  TuneLog log;
  for (std::size_t k = 0; k < 10; ++k) log.entries.push_back(entryOf(before[k], TuneResult::Refuted, 0));
  const auto after = left(candidates, log, shard);
  REQUIRE(after.size() == before.size() - 10);
  CHECK(after.front() == before[10]);
  CHECK(left({"a", "a"}, {}, {}).size() == 1);
}

TEST_CASE("3/16") {
  const auto shard = parseShard("3/16");
  REQUIRE(shard.ok());
  CHECK(shard->index == 3);
  CHECK(shard->count == 16);
  for (const char* const wrong : {"", "3", "16/16", "-1/4", "1/0", "a/b", "1/2/3", "1/ 2"}) {
    INFO(wrong);
    CHECK_FALSE(parseShard(wrong).ok());
  }
}
