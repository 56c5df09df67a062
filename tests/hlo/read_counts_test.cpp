// The readers of an element, against enumeration of every point of every map.
#include "core/hlo/cost/read_counts.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "core/base/arith.h"
#include "core/hlo/compose/fusion.h"
#include "core/notation/indexing/map.h"
#include "hlo/random_module.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

using Ints = std::vector<i64>;

Map mapOfText(const char* text) {
  const auto map = indexing::parse(text);
  REQUIRE(map.ok());
  return map->map;
}

i64 productOf(const Ints& sizes) {
  i64 n = 1;
  for (const i64 s : sizes) n *= s;
  return n;
}

// Pairs (output, element), row-major, of every index of every map.
std::set<std::pair<i64, i64>> pairsOf(const std::vector<Map>& maps, const Ints& output, const Ints& operand,
                                      const hlo::ElementBox& box) {
  std::set<std::pair<i64, i64>> pairs;
  for (const Map& m : maps) {
    if (m.isEmpty()) continue;
    for (i64 n = 0; n < productOf(output); ++n) {
      const Ints at = delinearize(n, output, LinearOrder::Lex);
      Ints digits;
      bool inside = true;
      for (std::size_t k = 0; k < at.size(); ++k) {
        const Digit& d = m.digits()[static_cast<std::size_t>(m.indexDigits()[k])];
        digits.push_back(at[k] - d.lo);
        inside = inside && digits[k] >= 0 && digits[k] < d.extent && at[k] >= box.from[k] && at[k] < box.to[k];
      }
      if (!inside) continue;
      for (const Ints& e : m.imageOf(digits)) pairs.emplace(n, linearize(e, operand, LinearOrder::Lex));
    }
  }
  return pairs;
}

void agrees(const std::vector<Map>& maps, const Ints& output, const Ints& operand) {
  const auto counts = hlo::ReadCounts::of(maps, output, operand);
  REQUIRE(counts.ok());
  const auto pairs = pairsOf(maps, output, operand, {Ints(output.size(), 0), output});
  std::map<i64, Ints> readers, read;
  for (const auto& [o, e] : pairs) {
    readers[e].push_back(o);
    read[o].push_back(e);
  }
  for (i64 e = 0; e < productOf(operand); ++e) {
    const Ints at = delinearize(e, operand, LinearOrder::Lex);
    const auto times = counts->times(at);
    CHECK(times.exact);
    CHECK(times.times == static_cast<i64>(readers[e].size()));
    CHECK(times.times <= counts->most());
    CHECK(counts->readersOf(at, 4096) == readers[e]);
  }
  for (i64 o = 0; o < productOf(output); ++o)
    CHECK(counts->readBy(delinearize(o, output, LinearOrder::Lex), 4096) == read[o]);
}

}  // namespace

TEST_CASE("readers of random computations are those of every point, of a tile, too") {
  int compared = 0;
  for (u64 seed = 1; seed <= 160; ++seed) {
    const std::string text = RandomComputation(seed + 900).text(1 + static_cast<int>(seed % 4), false);
    INFO(text);
    const hlo::Module m = hlo::readModule(text);
    const hlo::Computation& c = m.computations.at(0);
    const auto reached = hlo::reachedIn(m, 0, 0);
    REQUIRE(reached.ok());
    const Ints output = m.shapeOf(c.instructions.at(static_cast<std::size_t>(c.root))).sizes();
    hlo::ElementBox box{output, output};  // the middle of each dimension
    for (std::size_t k = 0; k < output.size(); ++k) {
      box.from[k] = output[k] / 3;
      box.to[k] = std::max(box.from[k] + 1, output[k] - output[k] / 4);
    }
    if (productOf(output) == 0) continue;
    for (const hlo::Reached& r : *reached) {
      std::vector<Map> maps, clipped;
      bool params = false;
      const Ints operand = m.shapeOf(c.instructions.at(static_cast<std::size_t>(r.instruction))).sizes();
      for (const hlo::ReachedMap& map : r.maps) {
        maps.push_back(map.map);
        params = params || !map.map.params().empty();
        if (auto part = hlo::within(map.map, box)) clipped.push_back(*std::move(part));
      }
      if (params || productOf(output) * productOf(operand) > 20'000) continue;
      agrees(maps, output, operand);
      agrees(clipped, output, operand);
      CHECK(pairsOf(clipped, output, operand, {Ints(output.size(), 0), output}) == pairsOf(maps, output, operand, box));
      ++compared;
    }
  }
  CHECK(compared > 150);
}

TEST_CASE("an array's size costs nothing: counts come from the parts of a map") {
  const i64 n = 1'000'000;
  const auto both =
      hlo::ReadCounts::of({mapOfText("(d0, d1) -> (d0, d1), domain: d0 in [0, 999999], d1 in [0, 999999]"),
                           mapOfText("(d0, d1) -> (d1, d0), domain: d0 in [0, 999999], d1 in [0, 999999]")},
                          {n, n}, {n, n});
  REQUIRE(both.ok());
  CHECK(both->times(Ints{7, 9}).times == 2);
  CHECK(both->times(Ints{9, 9}).times == 1);
  CHECK(both->readersOf(Ints{7, 9}, 10) == Ints{7 * n + 9, 9 * n + 7});
  // A reshape in one part of 2^40 points, asked from the end.
  const auto reshape = hlo::ReadCounts::of(
      {mapOfText("(d0) -> (d0 floordiv 1048576, d0 mod 1048576), domain: d0 in [0, 1099511627775]")}, {i64{1} << 40},
      {1 << 20, 1 << 20});
  REQUIRE(reshape.ok());
  CHECK(reshape->readersOf(Ints{3, 5}, 10) == Ints{3 * (1 << 20) + 5});
  CHECK(reshape->readBy(Ints{(i64{7} << 20) + 11}, 10) == Ints{(i64{7} << 20) + 11});
  const auto wide = hlo::ReadCounts::of(
      {mapOfText("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 999999], d1 in [0, 999], s0 in [0, 999999]")}, {n, 1000},
      {n, n});
  REQUIRE(wide.ok());
  CHECK(wide->times(Ints{5, 6}).times == 1000);
  CHECK(wide->readBy(Ints{5, 6}, 100).size() == 100);
  // Several maps that are not listed: an upper bound, marked as one.
  const auto over = hlo::ReadCounts::of({mapOfText("(d0) -> (0), domain: d0 in [0, 999999]"),
                                         mapOfText("(d0)[s0] -> (s0), domain: d0 in [0, 999999], s0 in [0, 8]")},
                                        {n}, {9});
  REQUIRE(over.ok());
  CHECK_FALSE(over->times(Ints{0}).exact);
  CHECK(over->times(Ints{3}).times == n);
  CHECK_FALSE(
      hlo::ReadCounts::of({mapOfText("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 2]")}, {10}, {12})
          .ok());
}

TEST_CASE("a tile is read as it is printed, and what is none is told") {
  const Ints sizes = {8, 32};
  const auto box = hlo::readBox("[0:8, 16:32]", sizes);
  REQUIRE(box.ok());
  CHECK(hlo::print(*box) == "[0:8,16:32]");
  CHECK(box->elements() == 128);
  CHECK(hlo::print(*hlo::readBox("[3,16:32]", sizes)) == "[3:4,16:32]");
  CHECK(hlo::print(*hlo::readBox("[]", {})) == "[]");
  for (const char* wrong :
       {"", "[", "]", "[]", "0:8", "[0:8]", "[0:9,0:32]", "[4:4,0:32]", "[-1:2,0:1]", "[0:8,0:32,0:1]", "[0:8,]",
        "[a,b]", "[0:99999999999999999999,0:1]", "[9223372036854775807,0]", "[0:1:2,0]"})
    CHECK_FALSE(hlo::readBox(wrong, sizes).ok());
}
