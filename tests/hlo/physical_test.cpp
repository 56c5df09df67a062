// Reads by the layouts of result and operand: slots against xla::Addressing, memory order, and the accesses of warps.

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/hlo/compose/fusion.h"
#include "core/hlo/cost/thread_map.h"
#include "core/hlo/cost/warp_reads.h"
#include "core/notation/indexing/map.h"
#include "core/notation/xla/address.h"
#include "hlo/images.h"
#include "hlo/random_module.h"

using namespace tessera;
using namespace tessera::testing;

namespace {

xla::Shape shapeFrom(const std::string& text) {
  INFO(text);
  const auto shape = xla::parseShape(text);
  if (!shape) FAIL(shape.error().message);
  return *shape;
}

// f32[3,5]{0,1:T(2,2)}: sizes, some order, tiles now and then.
class Layouts {
 public:
  explicit Layouts(u64 seed) : rng_(seed) {}
  i64 draw(i64 n) { return static_cast<i64>(rng_() % static_cast<u64>(n)); }
  std::vector<i64> order(std::size_t n) {
    std::vector<i64> p;
    for (std::size_t k = 0; k < n; ++k) p.push_back(static_cast<i64>(k));
    for (std::size_t k = n; k > 1; --k) {
      const auto with = static_cast<std::size_t>(draw(static_cast<i64>(k)));
      std::swap(p[k - 1], p[with]);
    }
    return p;
  }
  static std::string list(const std::vector<i64>& s) {
    std::string out;
    for (std::size_t k = 0; k < s.size(); ++k) out += (k > 0 ? "," : "") + std::to_string(s[k]);
    return out;
  }
  xla::Shape of(const std::vector<i64>& sizes, bool tiles) {
    if (sizes.empty()) return shapeFrom("f32[]");
    std::string layout = list(order(sizes.size()));
    if (tiles && draw(2) == 0) {
      const i64 rows = 1 + draw(3);
      const i64 columns = 1 + draw(4);
      layout += ":T(" + std::to_string(rows) + "," + std::to_string(columns) + ")";
    }
    return shapeFrom("f32[" + list(sizes) + "]{" + layout + "}");
  }

 private:
  std::mt19937_64 rng_;
};

// Sectors of 32 bytes that each warp of 32 threads touches: lane after lane, by addresses.
i64 sectorsSlowly(const Map& threads, const Map& read, const xla::Shape& operand) {
  const auto where = xla::Addressing::create(operand);
  REQUIRE(where.ok());
  i64 sectors = 0;
  for (i64 block = 0; block < threads.digits()[1].extent; ++block)
    for (i64 warp = 0; warp * 32 < threads.digits()[0].extent; ++warp) {
      std::set<i64> touched;
      for (i64 th = warp * 32; th < std::min(threads.digits()[0].extent, warp * 32 + 32); ++th) {
        const std::vector<i64> at{th, block, 0};
        if (!threads.isReal(at)) continue;
        for (const Element& e : elementsAt(read, threads.at(at))) touched.insert(where->linear(e) * 4 / 32);
      }
      sectors += static_cast<i64>(touched.size());
    }
  return sectors;
}

}  // namespace

TEST_CASE("slots of what is read are those of its elements, tiles and all") {
  int compared = 0;
  for (u64 seed = 1; seed <= 120; ++seed) {
    const std::string text = RandomComputation(seed + 60'000).text(1 + static_cast<int>(seed % 3), false);
    const hlo::Module m = hlo::readModule(text);
    const hlo::Computation& c = m.computations.at(static_cast<std::size_t>(m.entry));
    const auto reached = hlo::reachedIn(m, m.entry, 0);
    REQUIRE(reached.ok());
    const std::vector<i64> out = m.shapeOf(c.instructions.back()).sizes();
    Layouts layouts(seed);
    for (const hlo::Reached& r : *reached) {
      const std::vector<i64> sizes = m.shapeOf(c.instructions.at(static_cast<std::size_t>(r.instruction))).sizes();
      if (sizes.empty()) continue;
      const xla::Shape of = layouts.of(sizes, true), result = layouts.of(out, false);
      const auto where = xla::Addressing::create(of);
      REQUIRE(where.ok());
      for (const hlo::ReachedMap& map : r.maps) {
        if (!map.map.params().empty()) continue;
        const auto slots = hlo::slotsRead(map.map, of);
        if (!slots) FAIL(slots.error().message);
        const auto ordered = hlo::inMemoryOrder(map.map, result, of);
        if (!ordered) FAIL(ordered.error().message);
        INFO(text << xla::print(of) << "\n" << print(map.map) << "\n" << print(*slots) << "\n" << print(*ordered));
        eachCoordinate(out, [&](const Element& at) {
          const Elements elements = elementsAt(map.map, at);
          Elements lie, inOrder;
          for (const Element& e : elements) {
            lie.insert({where->linear(e)});
            Element physical;
            for (std::size_t k = e.size(); k-- > 0;)
              physical.push_back(e[static_cast<std::size_t>(of.layout().minorToMajor[k])]);
            inOrder.insert(physical);
          }
          Element from;
          for (std::size_t k = at.size(); k-- > 0;)
            from.push_back(at[static_cast<std::size_t>(result.layout().minorToMajor[k])]);
          REQUIRE(elementsAt(*slots, at) == lie);
          REQUIRE(elementsAt(*ordered, from) == inOrder);
          compared += static_cast<int>(lie.size());
        });
      }
    }
  }
  CHECK(compared > 3000);
}

TEST_CASE("warps meet operands by their layouts: sectors lane by lane") {
  int compared = 0, worse = 0;
  for (u64 seed = 1; seed <= 150; ++seed) {
    Layouts layouts(seed + 7);
    std::vector<i64> sizes{2 + layouts.draw(9), 1 + layouts.draw(40)};
    if (layouts.draw(2) == 0) sizes.push_back(1 + layouts.draw(5));
    const xla::Shape result = layouts.of(sizes, false), same = layouts.of(sizes, true);
    const std::vector<i64> p =
        layouts.order(sizes.size());  // a transposition: operand dimension k is result dimension p[k]
    std::vector<i64> turnedSizes;
    std::string text = "(", domain;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      text += (k > 0 ? ", d" : "d") + std::to_string(k);
      domain += (k > 0 ? ", d" : "d") + std::to_string(k) + " in [0, " + std::to_string(sizes[k] - 1) + "]";
    }
    text += ") -> (";
    for (std::size_t k = 0; k < p.size(); ++k) {
      text += (k > 0 ? ", d" : "d") + std::to_string(p[k]);
      turnedSizes.push_back(sizes[static_cast<std::size_t>(p[k])]);
    }
    const auto read = indexing::parse(text + "), domain: " + domain);
    REQUIRE(read.ok());
    const xla::Shape operand = layouts.of(turnedSizes, true);
    const auto threads = hlo::threadsInOrder(result, 64, 1);
    REQUIRE(threads.ok());
    REQUIRE(threads->digits().size() == 3);
    hlo::Reach reach;
    reach.maps.push_back(read->map);
    const auto warps = hlo::warpReads(reach, *threads, operand);
    if (!warps) FAIL(warps.error().message);
    INFO(xla::print(result) << " " << xla::print(operand) << "\n" << print(read->map) << "\n" << hlo::textOf(*warps));
    REQUIRE(warps->sectors == sectorsSlowly(*threads, read->map, operand));
    ++compared;
    worse += warps->sectors > warps->ideal;
  }
  CHECK(compared == 150);
  CHECK(worse > 30);
  CHECK(worse < 150);
}

TEST_CASE("maps between arrays as they lie: the cases") {
  std::ifstream in(TESSERA_SOURCE_DIR "/tests/cases/hlo.jsonl");
  int compared = 0;
  for (std::string line; std::getline(in, line);) {
    const auto c = nlohmann::json::parse(line);
    if (!c.value("physical_layout", false)) continue;
    INFO(line);
    const hlo::Module m = hlo::readModule(c["hlo"].get<std::string>());
    const int root = m.computations.at(static_cast<std::size_t>(m.entry)).root;
    const hlo::Computation& e = m.computations.at(static_cast<std::size_t>(m.entry));
    const hlo::Instruction& i = e.instructions.at(static_cast<std::size_t>(root));
    const bool reads = c["direction"] == "output_to_input";
    const auto all = reads ? hlo::readsThrough(m, {m.entry, root}) : hlo::usesThrough(m, {m.entry, root}, 0);
    REQUIRE(all.ok());
    const xla::Shape& result = m.shapeOf(i);
    const xla::Shape& operand = m.shapeOf(e.instructions.at(static_cast<std::size_t>(i.operands.at(0))));
    const auto ours = hlo::inMemoryOrder(all->at(0).maps.at(0), reads ? result : operand, reads ? operand : result);
    REQUIRE(ours.ok());
    std::string domain;
    for (const auto& d : c["domain"]) domain += (domain.empty() ? ", domain: " : ", ") + d.get<std::string>();
    const auto theirs = indexing::parse(c["expected_map"].get<std::string>() + domain);
    REQUIRE(theirs.ok());
    std::mt19937_64 rng(5);
    for (int n = 0; n < 200; ++n) {
      Element at;
      for (const Digit& d : theirs->map.digits())
        at.push_back(d.lo + static_cast<i64>(rng() % static_cast<u64>(d.extent)));
      REQUIRE(elementsAt(*ours, at) == elementsAt(theirs->map, at));
    }
    ++compared;
  }
  CHECK(compared == 3);
}
