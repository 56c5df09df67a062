// Sectors of many warps, against every lane of every warp.
#include "core/hlo/cost/sector_count.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/base/work_budget.h"
#include "core/map/compose.h"
#include "core/notation/indexing/map.h"
#include "hlo/every_lane.h"
#include "support/volume.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

LaneCounts countSlowly(const Map& slots, i64 bits, i64 width) {
  return everyLane(slots, bits, width, [](const std::vector<i64>& slot) { return slot[0]; });
}

void compare(const Map& slots, i64 bits) {
  INFO(indexing::print(indexing::toIndexingMap(slots)) << ", " << bits << " bits");
  const auto fast = hlo::countSectors(slots, bits);
  if (!fast) FAIL(fast.error().message);
  const LaneCounts slow = countSlowly(slots, bits, fast->width / std::max<i64>(1, bits / 8));
  REQUIRE(fast->accesses == slow.accesses);
  REQUIRE(fast->sectors == slow.sectors);
  REQUIRE(fast->ideal == slow.ideal);
  REQUIRE(fast->aligned == slow.aligned);
  REQUIRE((fast->worst ? fast->worst->report.sectors - fast->worst->report.idealSectors : 0) == slow.most);
}

// Addresses as arrays have them: a linear number of threads, blocks and steps, split by sizes and put together again.
class RandomSlots {
 public:
  explicit RandomSlots(u64 seed) : rng_(seed) {}

  Map made() {
    const i64 threads = pick({32, 64, 48, 20}), blocks = 120 + draw(60);
    std::vector<Digit> digits = {{"th", threads, DigitKind::Index, draw(6) == 0 ? 16 : 0},
                                 {"bl", blocks, DigitKind::Index, 0}};
    Expr number = Expr::digit(1) * threads + Expr::digit(0);
    if (draw(2) == 0) {
      digits.push_back({"s", 1 + draw(2), DigitKind::Fan, 0});
      number = number + Expr::digit(2) * (draw(2) == 0 ? threads * blocks : draw(5));
    }
    if (draw(3) == 0) {
      digits.push_back({"v", pick({2, 3}), DigitKind::Fan, 0});
      const auto v = static_cast<int>(digits.size()) - 1;
      number = number * digits.back().extent + Expr::digit(v);
    }
    Expr slot = Expr::constant(draw(9));
    std::vector<Guard> guards;
    Expr rest = number;
    for (i64 k = 0; k < 3; ++k) {
      const i64 size = pick({2, 8, 32, 40, 33, 7, 100, 256});
      slot = slot + (k == 2 ? rest : mod(rest, size)) * pick({1, 1, 2, 3, 8, 32, 100, 1000, 7});
      if (draw(5) == 0) guards.push_back({mod(rest, size), draw(3), size - 1 - draw(4)});
      rest = floorDiv(rest, size);
    }
    if (draw(3) == 0) guards.push_back({number, 0, threads * blocks - 1 - draw(100)});
    if (draw(6) == 0) guards.push_back({Expr::digit(1) * -3 + number, draw(50), 100000});
    const auto map = Map::create(digits, {{"", slot, std::nullopt}}, guards);
    REQUIRE(map.ok());
    return *map;
  }
  i64 bits() { return pick({8, 16, 32, 64, 128, 4}); }

 private:
  i64 draw(i64 n) { return static_cast<i64>(rng_() % static_cast<u64>(n)); }
  i64 pick(const std::vector<i64>& from) { return from[static_cast<std::size_t>(draw(static_cast<i64>(from.size())))]; }
  std::mt19937_64 rng_;
};

Map mapOf(const std::string& text) {
  const auto map = indexing::parse(text);
  if (!map) FAIL(map.error().message);
  return map->map;
}

}  // namespace

TEST_CASE("sectors by classes are those of every lane") {
  const i64 count = test::volume(40, 2'000);
  for (i64 seed = 1; seed <= count; ++seed) {
    RandomSlots random(static_cast<u64>(seed));
    const Map slots = random.made();
    compare(slots, random.bits());
  }
}

TEST_CASE("sectors of 10^11 warps are counted in few steps") {
  const std::string domain = "domain: th in [0, 127], bl in [0, 24999999999]";
  const Map rows = mapOf("(th, bl) -> ((bl * 128 + th) floordiv 40 * 64 + (bl * 128 + th) mod 40), " + domain);
  const Work before = workSpent();
  const auto count = hlo::countSectors(rows, 32);
  REQUIRE(count.ok());
  CHECK(count->warps == 100'000'000'000);
  CHECK(workSpent() - before < 100'000);
  // 5 blocks of 128 threads are 16 rows of 40; the same 5 blocks, 5 * 10^9 times.
  const LaneCounts slow = countSlowly(mapOf("(th, bl) -> ((bl * 128 + th) floordiv 40 * 64 + (bl * 128 + th) mod 40), "
                                            "domain: th in [0, 127], bl in [0, 4]"),
                                      32, 1);
  CHECK(count->sectors == slow.sectors * 5'000'000'000);
}

TEST_CASE("sectors without a short period are refused, not estimated") {
  const Map prime = mapOf(
      "(th, bl)[s] -> ((bl * bl + s * bl + th) mod 1000003), domain: th in [0, 127], bl in [0, 99999], s in [0, "
      "99999]");
  const auto count = hlo::countSectors(prime, 32);
  REQUIRE_FALSE(count.ok());
  CHECK(count.error().message.find("period") != std::string::npos);
}
