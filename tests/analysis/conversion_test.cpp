// Conversions of register layouts: what must move, against the owners of every element; wavefronts, against addresses
// written out.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "core/analysis/conversion/conversions.h"
#include "core/notation/triton/attr.h"
#include "core/notation/triton/lower.h"

using namespace tessera;

namespace {

linear::Layout layoutOf(const std::string& attribute, const std::vector<i64>& shape) {
  const auto encoding = triton::parseEncoding(attribute);
  INFO(attribute);
  REQUIRE(encoding.ok());
  const auto layout = toLinear(*encoding, shape);
  REQUIRE(layout.ok());
  return *layout;
}

std::string blocked(std::vector<i64> size, std::vector<i64> threads, std::vector<i64> warps, std::vector<i64> order) {
  const auto list = [](const std::vector<i64>& l) { return fmt::format("[{}, {}]", l[0], l[1]); };
  return fmt::format("#ttg.blocked<{{sizePerThread = {}, threadsPerWarp = {}, warpsPerCTA = {}, order = {}}}>",
                     list(size), list(threads), list(warps), list(order));
}

// The slow definition: the nearest place that holds an element which a place of `to` needs.
Movement nearestOwner(const linear::Layout& from, const linear::Layout& to) {
  struct Place {
    i64 reg, lane, warp, block;
  };
  const auto each = [](const linear::Layout& l, const auto& f) {
    for (i64 r = 0; r < l.inSize("register"); ++r)
      for (i64 lane = 0; lane < l.inSize("lane"); ++lane)
        for (i64 w = 0; w < l.inSize("warp"); ++w)
          for (i64 b = 0; b < l.inSize("block"); ++b) f(Place{r, lane, w, b}, l.at({r, lane, w, b}));
  };
  std::map<std::vector<i64>, std::vector<Place>> owners;
  each(from, [&](const Place& p, const std::vector<i64>& element) { owners[element].push_back(p); });
  Movement worst = Movement::Same;
  bool same = from == to;
  each(to, [&](const Place& p, const std::vector<i64>& element) {
    Movement best = Movement::Cluster;
    for (const Place& q : owners[element]) {
      if (q.block != p.block) continue;
      best = std::min(best, q.warp != p.warp ? Movement::Block : q.lane != p.lane ? Movement::Warp : Movement::Thread);
    }
    worst = std::max(worst, best);
  });
  return same ? Movement::Same : std::max(worst, Movement::Thread);
}

// Distinct words of each bank, over the lanes of one access of 4 bytes.
i64 wavefrontsOfWords(const std::vector<i64>& words) {
  std::map<i64, std::set<i64>> banks;
  for (const i64 word : words) banks[word % 32].insert(word);
  std::size_t most = 0;
  for (const auto& [bank, distinct] : banks) most = std::max(most, distinct.size());
  return static_cast<i64>(most);
}

}  // namespace

TEST_CASE("what a conversion needs is what the owners of the elements say") {
  const std::vector<i64> shape = {16, 32};
  std::vector<linear::Layout> layouts;
  for (const auto& size : std::vector<std::vector<i64>>{{1, 1}, {1, 4}, {2, 2}, {4, 1}})
    for (const auto& threads : std::vector<std::vector<i64>>{{4, 8}, {8, 4}, {1, 32}})
      for (const auto& order : std::vector<std::vector<i64>>{{1, 0}, {0, 1}})
        layouts.push_back(layoutOf(blocked(size, threads, {2, 2}, order), shape));
  layouts.push_back(
      layoutOf("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = "
               "[16, 8]}>",
               shape));
  // The same threads with their registers exchanged, and the same warps with lanes and registers exchanged.
  for (const char* registersAndLanes :
       {"register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]",
        "register = [[0, 2], [0, 1]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]",
        "register = [[0, 1], [0, 4]], lane = [[0, 2], [0, 8], [0, 16], [2, 0], [1, 0]]"})
    layouts.push_back(
        layoutOf(fmt::format("#ttg.linear<{{{}, warp = [[4, 0], [8, 0]], block = []}}>", registersAndLanes), shape));
  std::map<Movement, int> seen;
  for (const linear::Layout& from : layouts)
    for (const linear::Layout& to : layouts) {
      const auto reach = movementOf(from, to);
      REQUIRE(reach.ok());
      CHECK(*reach == nearestOwner(from, to));
      ++seen[*reach];
    }
  CHECK(seen.size() >= 4);  // Same, Thread, Warp and Block occur
}

TEST_CASE("copies of an element count as places that hold it") {
  // A row of 8 in every warp and lane of four: to another layout with copies, nothing moves.
  const auto from = linear::parse("register = [[1]], lane = [[2], [0]], warp = [[0]], block = [] -> dim0 4");
  const auto to = linear::parse("register = [], lane = [[2], [1]], warp = [[0]], block = [] -> dim0 4");
  REQUIRE((from.ok() && to.ok()));
  CHECK(*movementOf(*from, *to) == Movement::Thread);
  CHECK(*movementOf(*to, *from) == Movement::Warp);
  const auto smaller = linear::parse("register = [[1]], lane = [[2]], warp = [[0]], block = [] -> dim0 4");
  CHECK_FALSE(movementOf(*from, *smaller).ok());
}

TEST_CASE("wavefronts of a store are those of its addresses") {
  // 32 x 32 floats, a lane for each row: stride 32 words, so each access has one bank; a padding of one word frees it.
  const linear::Layout rows = layoutOf(blocked({1, 1}, {32, 1}, {1, 1}, {0, 1}), {32, 32});
  const linear::Layout plain =
      layoutOf("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>", {32, 32});
  const auto direct = transferOf(rows, {plain, {}}, 32);
  REQUIRE(direct.ok());
  CHECK(direct->width == 16);  // a thread has a whole row
  // 8 vectors of each lane; per access 4 phases of 8 lanes, whose rows are 128 bytes apart: 8 wavefronts each.
  CHECK(direct->wavefronts == 8 * 4 * 8);
  CHECK(direct->ideal == 32);
  const linear::Layout columns = layoutOf(blocked({1, 1}, {1, 32}, {1, 1}, {1, 0}), {32, 32});
  const auto best = transferOf(columns, {plain, {}}, 32);
  REQUIRE(best.ok());
  CHECK(best->wavefronts == 32);
  CHECK(best->width == 4);
  const linear::Layout threads = layoutOf(blocked({1, 1}, {32, 1}, {1, 1}, {1, 0}), {32, 32});
  const auto padded = transferOf(threads, {plain, {{32, 1}}}, 32);
  REQUIRE(padded.ok());
  i64 expected = 0;
  for (i64 column = 0; column < 32; ++column) {
    std::vector<i64> words;
    for (i64 row = 0; row < 32; ++row) words.push_back(row * 33 + column);
    expected += wavefrontsOfWords(words);
  }
  CHECK(padded->wavefronts == expected);
  CHECK_FALSE(transferOf(threads, {plain, {}}, 4).ok());
}

TEST_CASE("the scratch of a conversion holds every element, and serves both sides") {
  const std::vector<i64> shape = {64, 64};
  const std::vector<std::string> attributes = {
      blocked({1, 8}, {4, 8}, {4, 1}, {1, 0}), blocked({8, 1}, {8, 4}, {1, 4}, {0, 1}),
      blocked({1, 1}, {1, 32}, {2, 2}, {1, 0}), blocked({1, 4}, {8, 4}, {4, 1}, {1, 0}),
      "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>"};
  for (const std::string& a : attributes)
    for (const std::string& b : attributes)
      for (const int bits : {8, 16, 32}) {
        const linear::Layout from = layoutOf(a, shape), to = layoutOf(b, shape);
        const auto scratch = scratchOf(from, to, bits);
        REQUIRE(scratch.ok());
        CHECK(scratch->isInvertible());
        const auto write = transferOf(from, {*scratch, {}}, bits), read = transferOf(to, {*scratch, {}}, bits);
        REQUIRE((write.ok() && read.ok()));
        INFO(a << " to " << b << ", " << bits << " bits");
        CHECK(write->wavefronts >= write->ideal);
        CHECK(read->wavefronts >= read->ideal);
        // Vectors of at least a word reach the ideal.
        if (write->width >= 4) CHECK(write->wavefronts == write->ideal);
        if (read->width >= 4) CHECK(read->wavefronts == read->ideal);
      }
}

TEST_CASE("conversions that a pass adds and removes are a difference of multisets") {
  const std::string head =
      "#a = " + blocked({1, 1}, {1, 32}, {4, 1}, {1, 0}) + "\n#b = " + blocked({1, 2}, {2, 16}, {4, 1}, {1, 0}) + "\n";
  const std::string there = "%1 = ttg.convert_layout %0 : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>\n";
  const std::string back = "%2 = ttg.convert_layout %1 : tensor<32x32xf32, #b> -> tensor<32x32xf32, #a>\n";
  const auto before = conversionsOf(head + there + there + back), after = conversionsOf(head + there + back + back);
  const ConversionChanges changes = changesOf(before, after);
  REQUIRE(changes.removed.size() == 1);
  REQUIRE(changes.added.size() == 1);
  CHECK(changes.kept == 2);
  CHECK(changes.removed[0].key() == before[0].key());
  CHECK(changes.added[0].key() == before[2].key());
  CHECK(changesOf(before, before).added.empty());
  // The names of aliases do not matter.
  std::string renamed = head + there;
  for (std::size_t at = renamed.find("#a"); at != std::string::npos; at = renamed.find("#a"))
    renamed.replace(at, 2, "#z");
  CHECK(changesOf(conversionsOf(head + there), conversionsOf(renamed)).kept == 1);
}
