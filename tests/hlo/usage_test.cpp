// Counts against enumeration of every point of every map.
#include "core/hlo/cost/usage.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/hlo/compose/fusion.h"
#include "core/notation/indexing/map.h"
#include "hlo/cases.h"
#include "hlo/images.h"
#include "hlo/random_module.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

hlo::Usage usage(const std::vector<const char*>& texts, const std::vector<i64>& sizes) {
  std::vector<Map> maps;
  for (const char* text : texts) {
    const auto map = indexing::parse(text);
    REQUIRE(map.ok());
    maps.push_back(map->map);
  }
  return hlo::usageOf(maps, sizes);
}

}  // namespace

TEST_CASE("what is read of an operand, counted") {
  const hlo::Usage softmax =
      usage({"(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124], s0 in [0, 124]"},
            {2, 65, 125});
  CHECK(softmax.distinct == 16250);
  CHECK(softmax.reads == 2031250);
  CHECK(hlo::textOf(softmax) == "16250 of 16250 elements, each 125 times");
  const hlo::Usage slice = usage({"(d0) -> (d0 * 3 + 7), domain: d0 in [0, 4]"}, {100'000'000});
  CHECK(slice.distinct == 5);
  CHECK(hlo::textOf(slice) == "5 of 100000000 elements (5e-06 %)");
  // Larger than anything that could be gone through: a product of parts.
  const hlo::Usage large = usage({"(d0, d1, d2)[s0] -> (d0, s0 * 2), domain: d0 in [0, 999999], d1 in [0, 999999], d2 "
                                  "in [0, 9], s0 in [0, 499999]"},
                                 {1'000'000, 1'000'000});
  CHECK(large.distinct == 500'000'000'000);
  CHECK(large.reads == i64{5'000'000'000'000'000'000});
  CHECK(usage({"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 2], d0 + s0 in [2, 7]"}, {12}).distinct == 6);
  // A run-time value that moves what is read; one that stretches it; two of them that may overlap.
  const char* const moved = "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 2]";
  CHECK(usage({moved}, {12}).distinct == 10);
  CHECK(usage({"(d0){rt0} -> (d0 * rt0), domain: d0 in [0, 9], rt0 in [0, 2]"}, {20}).why.find("run-time") !=
        std::string::npos);
  CHECK(
      usage({moved, "(d0){rt0} -> (11 - d0 - rt0), domain: d0 in [0, 9], rt0 in [0, 2]"}, {12}).why.find("run-time") !=
      std::string::npos);
  // Not more than its limit.
  const char* const overlapping = "(d0)[s0, s1] -> (d0 + s0 * s1), domain: d0 in [0, 99], s0 in [0, 9], s1 in [0, 11]";
  CHECK(hlo::usageOf({indexing::parse(overlapping)->map}, {199}).distinct == 199);
  CHECK(hlo::usageOf({indexing::parse(overlapping)->map}, {199}, 5000).why == "more points than are enumerated");
  const char* const window = "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 99], s0 in [0, 99]";
  CHECK(hlo::usageOf({indexing::parse(window)->map}, {199}, 5000).reads == 10'000);
  const hlo::Usage two = usage({"(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9]",
                                "(d0, d1) -> (d1, d0), domain: d0 in [0, 9], d1 in [0, 9]"},
                               {10, 10});
  CHECK(two.distinct == 100);
  CHECK(two.reads == 190);  // once on the diagonal
  const hlo::Usage shifted =
      usage({"(d0) -> (d0 - 3), domain: d0 in [3, 5]", "(d0) -> (d0), domain: d0 in [0, 3]"}, {9});
  CHECK(shifted.distinct == 4);
  CHECK(shifted.reads == 7);
  // Reshapes, and what a reshape of a broadcast repeats: no point is gone through.
  const hlo::Usage heads =
      usage({"(d0, d1) -> (d0 floordiv 65536, d1 floordiv 64, d0 mod 65536, d1 mod 64), domain: d0 "
             "in [0, 2097151], d1 in [0, 767]"},
            {32, 12, 65536, 64});
  CHECK(heads.distinct == heads.elements);
  CHECK(heads.reads == heads.elements);
  const hlo::Usage groups =
      usage({"(d0, d1)[s0] -> (d0 floordiv 4 + s0 * 1000000, d1), domain: d0 in [0, 3999999], d1 in "
             "[0, 127], s0 in [0, 2]"},
            {3'000'000, 128});
  CHECK(groups.distinct == 3'000'000 * 128);
  CHECK(groups.reads == i64{4'000'000} * 128 * 3);
  CHECK(usage({}, {9}).distinct == 0);
  CHECK(usage({"() -> ()"}, {}).distinct == 1);
}

// Digits of a place and what is none: their floordiv and mod, of coordinates and of ranges, that overlap or leave gaps.
TEST_CASE("counts of sums of digits are those of every point") {
  std::mt19937_64 rng(7);
  const auto draw = [&](i64 n) { return static_cast<i64>(rng() % static_cast<u64>(n)); };
  int gaps = 0, repeated = 0;
  for (int round = 0; round < 400; ++round) {
    const i64 extents[] = {1 + draw(7), 1 + draw(6), 1 + draw(5)};
    std::string value;
    for (int k = 0; k < 3; ++k) {
      const std::string name = k == 2 ? "s0" : "d" + std::to_string(k);
      const i64 kind = draw(4), by = 1 + draw(3), times = 1 + draw(30);
      const std::string part = kind == 0   ? name + " floordiv " + std::to_string(by)
                               : kind == 1 ? name + " mod " + std::to_string(by)
                                           : name;
      value += (k > 0 ? " + (" : "(") + part + ") * " + std::to_string(times);
    }
    const std::string text = "(d0, d1)[s0] -> (" + value + "), domain: d0 in [0, " + std::to_string(extents[0] - 1) +
                             "], d1 in [0, " + std::to_string(extents[1] - 1) + "], s0 in [0, " +
                             std::to_string(extents[2] - 1) + "]";
    INFO(text);
    const auto map = indexing::parse(text);
    REQUIRE(map.ok());
    const std::vector<i64> sizes{400};
    const hlo::Usage u = hlo::usageOf({map->map}, sizes);
    Elements all;
    i64 reads = 0;
    eachCoordinate({extents[0], extents[1]}, [&](const Element& at) {
      const Elements here = elementsAt(std::vector<Map>{map->map}, at, {});
      reads += static_cast<i64>(here.size());
      all.insert(here.begin(), here.end());
    });
    REQUIRE(u.distinct == static_cast<i64>(all.size()));
    REQUIRE(u.reads == reads);
    gaps += all.size() * 2 < static_cast<std::size_t>(*all.rbegin()->begin());
    repeated += reads > static_cast<i64>(all.size());
  }
  CHECK(gaps > 50);
  CHECK(repeated > 100);
}

// Windows: a range that moves with the coordinates, forwards or backwards, between bounds that also move.
TEST_CASE("counts of moving windows are those of every point") {
  std::mt19937_64 rng(11);
  const auto draw = [&](i64 lo, i64 hi) { return lo + static_cast<i64>(rng() % static_cast<u64>(hi - lo + 1)); };
  int cut = 0, several = 0;
  for (int round = 0; round < 400; ++round) {
    const i64 rows = draw(1, 6), columns = draw(1, 5), window = draw(1, 7), step = draw(-3, 3);
    const std::string sign = draw(0, 1) == 1 ? "s0" : "s0 * -1";
    const std::string other = draw(0, 2) == 0 ? "d0 floordiv 2" : "d1";
    std::string text = "(d0, d1)[s0] -> (" + other + ", d0 * " + std::to_string(step) + " + " + sign +
                       " + 20), domain: d0 in [0, " + std::to_string(rows - 1) + "], d1 in [0, " +
                       std::to_string(columns - 1) + "], s0 in [0, " + std::to_string(window - 1) + "]";
    const i64 guards = draw(0, 2);
    for (i64 k = 0; k < guards; ++k) {
      const i64 from = draw(-6, 6);
      text += ", d0 * " + std::to_string(draw(-2, 2)) + " + s0 * " + std::to_string(draw(-2, 2)) + " + d1 in [" +
              std::to_string(from) + ", " + std::to_string(from + draw(0, 9)) + "]";
    }
    INFO(text);
    const auto map = indexing::parse(text);
    REQUIRE(map.ok());
    const hlo::Usage u = hlo::usageOf({map->map}, {6, 60});
    Elements all;
    i64 reads = 0;
    eachCoordinate({rows, columns}, [&](const Element& at) {
      const Elements here = elementsAt(std::vector<Map>{map->map}, at, {});
      reads += static_cast<i64>(here.size());
      all.insert(here.begin(), here.end());
    });
    REQUIRE(u.distinct == static_cast<i64>(all.size()));
    REQUIRE(u.reads == reads);
    cut += reads < rows * columns * window;
    several += reads > static_cast<i64>(all.size());
  }
  CHECK(cut > 100);
  CHECK(several > 100);
}

TEST_CASE("counts of random computations are those of every point") {
  int counted = 0, moving = 0;
  for (u64 seed = 1; seed <= 300; ++seed) {
    const std::string text = RandomComputation(seed + 500).text(1 + static_cast<int>(seed % 4), false);
    INFO(text);
    const hlo::Module m = hlo::readModule(text);
    const hlo::Computation& c = m.computations.at(0);
    const auto reached = hlo::reachedIn(m, 0, 0);
    REQUIRE(reached.ok());
    const std::vector<i64> output = m.shapeOf(c.instructions.at(static_cast<std::size_t>(c.root))).sizes();
    for (const hlo::Reached& r : *reached) {
      std::vector<Map> maps;
      std::vector<i64> lo, hi;  // of its run-time values
      for (const hlo::ReachedMap& map : r.maps) {
        maps.push_back(map.map);
        for (const Param& p : map.map.params()) {
          lo.push_back(p.lo);
          hi.push_back(p.hi);
        }
      }
      const hlo::Usage u =
          hlo::usageOf(maps, m.shapeOf(c.instructions.at(static_cast<std::size_t>(r.instruction))).sizes());
      if (!lo.empty() && !u.distinct) continue;
      for (const std::vector<i64>& params : {lo, hi}) {  // the same for all values
        Elements all;
        i64 reads = 0;
        eachCoordinate(output, [&](const Element& at) {
          const Elements here = elementsAt(maps, at, params);
          reads += static_cast<i64>(here.size());
          all.insert(here.begin(), here.end());
        });
        REQUIRE(u.distinct == static_cast<i64>(all.size()));
        REQUIRE(u.reads == reads);
      }
      (lo.empty() ? counted : moving) += 1;
    }
  }
  CHECK(counted > 700);
  CHECK(moving > 10);
}

// XLA's cost model counts reads with their repetitions, most of the time; where it does, ours are its bytes.
TEST_CASE("reads of the cost model's cases") {
  int same = 0, cases = 0;
  for (const auto& c : casesOf("operand_utilization")) {
    const hlo::Module m = hlo::readModule(c["hlo"].get<std::string>());
    const hlo::Computation& entry = m.computations.at(static_cast<std::size_t>(m.entry));
    const auto reads = hlo::readsThrough(m, {m.entry, entry.root});
    REQUIRE(reads.ok());
    const hlo::Instruction& root = entry.instructions.at(static_cast<std::size_t>(entry.root));
    for (const auto& [slot, bytes] : c["expected"]["operand_bytes"].items()) {
      const auto k = static_cast<std::size_t>(std::stoi(slot));
      const xla::Shape& shape = m.shapeOf(entry.instructions.at(static_cast<std::size_t>(root.operands.at(k))));
      const hlo::Usage u = hlo::usageOf(reads->at(k).maps, shape.sizes());
      ++cases;
      INFO(c["id"] << " operand " << slot << ": " << hlo::textOf(u));
      if (u.distinct) CHECK(*u.distinct <= u.elements);
      same += u.reads && *u.reads * shape.type().byteWidth == bytes.get<i64>();
    }
  }
  INFO(same << " of " << cases);
  CHECK(same >= 8);
}
