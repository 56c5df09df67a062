// Reads of operands by warps: the cases, computed examples, and enumeration of every lane.
#include "core/hlo/cost/warp_reads.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "core/hlo/compose/fusion.h"
#include "core/hlo/cost/plan.h"
#include "core/hlo/cost/thread_map.h"
#include "core/notation/indexing/map.h"
#include "core/notation/xla/address.h"
#include "hlo/cases.h"
#include "hlo/images.h"
#include "hlo/random_module.h"

using namespace tessera;
using namespace tessera::testing;
using nlohmann::json;

namespace {

Map mapOf(const std::string& text) {
  INFO(text);
  const auto map = indexing::parse(text);
  if (!map) FAIL(map.error().message);
  return map->map;
}

xla::Shape shapeOf(const std::string& text) {
  const auto shape = xla::parseShape(text);
  if (!shape) FAIL(shape.error().message);
  return *shape;
}

hlo::WarpReads reads(const std::string& threads, const std::string& map, const std::string& shape) {
  hlo::Reach reach;
  reach.maps.push_back(mapOf(map));
  const auto r = hlo::warpReads(reach, mapOf(threads), shapeOf(shape));
  if (!r) FAIL(r.error().message);
  return *r;
}

hlo::WarpReads readsOfOperand(const hlo::Module& m, hlo::Where where, std::size_t operand, int output = 0) {
  const auto plan = hlo::planOf(m, where, output);
  if (!plan) FAIL(plan.error().message);
  const auto all = hlo::readsOfPlan(m, where, output, *plan);
  if (!all) FAIL(all.error().message);
  const hlo::Computation& c = m.computations.at(static_cast<std::size_t>(where.computation));
  const hlo::Instruction& i = c.instructions.at(static_cast<std::size_t>(where.instruction));
  const int at = i.operands.at(operand);
  const auto r = hlo::warpReads(all->at(operand), m.shapeOf(c.instructions.at(static_cast<std::size_t>(at))));
  if (!r) FAIL(r.error().message);
  return *r;
}

// XLA's verdict leaves out where an access begins.
bool byXla(const hlo::WarpReads& r) {
  return r.verdict != hlo::WarpVerdict::Scattered && r.verdict != hlo::WarpVerdict::Unknown;
}

struct Totals {
  i64 accesses = 0, sectors = 0, ideal = 0;
};

// Lane by lane and element by element: coordinates, addresses, sectors in a set. Maps' ranged variables outside, v
// inside.
void countSlowly(const Map& threads, const Map& map, const xla::Shape& shape, i64 each, Totals& totals) {
  const auto where = xla::Addressing::create(shape);
  REQUIRE(where.ok());
  const i64 bytes = shape.storedBits() / 8;
  std::vector<i64> sizes, fans;
  for (const int k : map.fanDigits()) fans.push_back(map.digits()[static_cast<std::size_t>(k)].extent);
  REQUIRE(threads.digits().size() == 3);  // th, bl, v
  const i64 count = threads.digits()[0].extent, steps = threads.digits()[2].extent;
  for (i64 block = 0; block < threads.digits()[1].extent; ++block)
    for (i64 warp = 0; warp * 32 < count; ++warp)
      eachCoordinate(fans, [&](const Element& fan) {
        for (i64 v = 0; v < steps; v += each) {
          std::set<i64> touched, sectors;
          for (i64 th = warp * 32; th < std::min(count, warp * 32 + 32); ++th)
            for (i64 k = v; k < v + each; ++k) {
              const std::vector<i64> at{th, block, k};
              if (!threads.isReal(at)) continue;
              const std::vector<i64> out = threads.at(at);
              std::vector<i64> point;
              std::size_t o = 0, f = 0;
              bool inside = true;
              for (const Digit& d : map.digits()) {
                point.push_back(d.kind == DigitKind::Fan ? fan[f++] : out.at(o++) - d.lo);
                inside = inside && point.back() >= 0 && point.back() < d.extent;
              }
              if (!inside || !map.isReal(point)) continue;
              const i64 byte = where->linear(map.at(point)) * bytes;
              for (i64 b = byte; b < byte + bytes; ++b) {
                touched.insert(b);
                sectors.insert(b / 32);
              }
            }
          if (touched.empty()) continue;
          ++totals.accesses;
          totals.sectors += static_cast<i64>(sectors.size());
          totals.ideal += (static_cast<i64>(touched.size()) + 31) / 32;
        }
      });
}

}  // namespace

TEST_CASE("sectors of warps, worked by hand") {
  const std::string threads = "(th, bl) -> (bl * 4 + th floordiv 32, th mod 32), domain: th in [0, 127], bl in [0, 7]";
  const std::string same = "(d0, d1) -> (d0, d1), domain: d0 in [0, 31], d1 in [0, 31]";
  const hlo::WarpReads row = reads(threads, same, "f32[32,32]");
  CHECK(row.verdict == hlo::WarpVerdict::Coalesced);
  CHECK((row.warps == 32 && row.accesses == 32 && row.sectors == 128 && row.ideal == 128));
  const hlo::WarpReads column = reads(threads, same, "f32[32,32]{0,1}");
  CHECK(column.verdict == hlo::WarpVerdict::Scattered);
  CHECK((column.sectors == 1024 && column.ideal == 128));
  REQUIRE(column.worst);
  CHECK(column.worst->stride == 128);
  CHECK(
      hlo::textOf(column) ==
      "scattered: 1024 sectors where 128 would do (8 times), 32 accesses of up to 4 bytes a lane; at worst 32 for 128 "
      "bytes (block 0, warp 0), lanes 128 bytes apart");
  // One element further on: five sectors instead of four, but for one run.
  const hlo::WarpReads shifted =
      reads("(th) -> (th), domain: th in [0, 31]", "(d0) -> (d0 + 1), domain: d0 in [0, 31]", "f32[40]");
  CHECK(shifted.verdict == hlo::WarpVerdict::Misaligned);
  CHECK((shifted.sectors == 5 && shifted.ideal == 4 && shifted.aligned == 4));
  // Backwards is as good as forwards; all the same is one sector.
  CHECK(reads("(th) -> (th), domain: th in [0, 31]", "(d0) -> (31 - d0), domain: d0 in [0, 31]", "f32[32]").sectors ==
        4);
  CHECK(reads("(th) -> (th), domain: th in [0, 31]", "(d0) -> (), domain: d0 in [0, 31]", "f32[]").sectors == 1);
  // Four neighbours a thread: one access of 16 bytes; at a distance of 12 bytes, four accesses.
  const hlo::WarpReads four = reads("(th)[v] -> (th * 4 + v), domain: th in [0, 31], v in [0, 3]",
                                    "(d0) -> (d0), domain: d0 in [0, 127]", "f32[128]");
  CHECK((four.accesses == 1 && four.width == 16 && four.sectors == 16 && four.verdict == hlo::WarpVerdict::Coalesced));
  const hlo::WarpReads three = reads("(th)[v] -> (th * 3 + v), domain: th in [0, 31], v in [0, 2]",
                                     "(d0) -> (d0), domain: d0 in [0, 95]", "f32[96]");
  CHECK((three.accesses == 3 && three.width == 4 && three.verdict == hlo::WarpVerdict::Scattered));
  // Half a byte each: two lanes share one.
  const hlo::WarpReads half =
      reads("(th) -> (th), domain: th in [0, 31]", "(d0) -> (d0), domain: d0 in [0, 31]", "s4[32]{0:E(4)}");
  CHECK((half.sectors == 1 && half.verdict == hlo::WarpVerdict::Coalesced));
  // A map that no thread reaches, and an unknown one.
  CHECK(reads("(th) -> (th), domain: th in [0, 31]", "(d0) -> (d0), domain: d0 in [40, 50]", "f32[64]").verdict ==
        hlo::WarpVerdict::Nothing);
  hlo::Reach unknown;
  unknown.soundness = hlo::Soundness::Unknown;
  unknown.why = "there is no rule";
  CHECK(hlo::textOf(*hlo::warpReads(unknown, mapOf("(th) -> (th), domain: th in [0, 31]"), shapeOf("f32[8]"))) ==
        "unknown: there is no rule");
}

TEST_CASE("millions of warps are counted") {
  const hlo::WarpReads many = reads("(th, bl) -> (bl * 128 + th), domain: th in [0, 127], bl in [0, 999999]",
                                    "(d0) -> (d0), domain: d0 in [0, 127999999]", "f32[128000000]");
  CHECK(many.verdict == hlo::WarpVerdict::Coalesced);
  CHECK((many.warps == 4000000 && many.accesses == 4000000 && many.sectors == 16000000));
}

TEST_CASE("accesses of the cases: the elements, and the verdict") {
  const auto cases = casesOf("coalescing");
  CHECK(cases.size() == 7);
  for (const json& c : cases) {
    INFO(c["id"]);
    std::string text = c["thread_map"], domain;
    for (const auto& d : c["domain"]) domain += (domain.empty() ? ", domain: " : ", ") + d.get<std::string>();
    const hlo::WarpReads r =
        reads(text + domain, "(d0) -> (d0), domain: d0 in [0, 99999]", c["dtype"].get<std::string>() + "[100000]");
    CHECK(byXla(r) == c["coalesced"].get<bool>());
  }
}

TEST_CASE("fusions of the cases: the verdict of every operand") {
  const auto cases = casesOf("coalescing_hlo");
  CHECK(cases.size() == 12);
  for (const json& c : cases) {
    INFO(c["id"]);
    const hlo::Module m = hlo::readModule(c["hlo"].get<std::string>());
    const hlo::Where where{m.entry, m.computations.at(static_cast<std::size_t>(m.entry)).root};
    for (std::size_t k = 0; k < c["coalesced_per_operand"].size(); ++k) {
      const hlo::WarpReads r = readsOfOperand(m, where, k);
      INFO("operand " << k << ": " << hlo::textOf(r));
      CHECK(byXla(r) == c["coalesced_per_operand"][k].get<bool>());
    }
  }
}

TEST_CASE("each emitter's threads take every element once") {
  const std::vector<std::pair<std::string, std::string>> ops = {
      {"a loop over the output", "f32[5,40]{0,1} add(p, p)"},
      {"a loop over the output", "f32[5,40] negate(p)"},
      {"a loop over the output", "f32[40] reduce(p, z), dimensions={0}, to_apply=sum"},
      {"a row reduction", "f32[5] reduce(p, z), dimensions={1}, to_apply=sum"},
      {"a row reduction", "f32[] reduce(p, z), dimensions={0,1}, to_apply=sum"},
      {"a column reduction", "f32[3,70] reduce(q, z), dimensions={1}, to_apply=sum"},
      {"a transposition by tiles of 32x32", "f32[70,3,40] transpose(q), dimensions={2,0,1}"},
      {"a loop over the output", "f32[40,3,70] transpose(q), dimensions={1,0,2}"},
  };
  for (const auto& [name, op] : ops) {
    INFO(op);
    const hlo::Module m = hlo::readModule(
        "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\nENTRY e {\n p = "
        "f32[5,40] "
        "parameter(0)\n q = f32[3,40,70] parameter(1)\n z = f32[] constant(0)\n ROOT r = " +
        op + "\n}");
    REQUIRE(m.problems.empty());
    const hlo::Where where{m.entry, m.computations.at(static_cast<std::size_t>(m.entry)).root};
    const auto plan = hlo::planOf(m, where);
    if (!plan) FAIL(plan.error().message);
    CHECK(plan->name == name);
    std::map<Element, int> times;
    const Map& t = plan->threads;
    eachCoordinate({t.digits()[0].extent, t.digits()[1].extent, t.digits()[2].extent}, [&](const Element& at) {
      if (t.isReal(at)) ++times[t.at(at)];
    });
    const hlo::Computation& e = m.computations.at(static_cast<std::size_t>(m.entry));
    const hlo::Instruction& i = e.instructions.at(static_cast<std::size_t>(e.root));
    const bool output = plan->hero.computation < 0;
    const xla::Shape& array =
        output ? m.shapeOf(i) : m.shapeOf(e.instructions.at(static_cast<std::size_t>(i.operands.at(0))));
    eachCoordinate(array.sizes(), [&](const Element& at) { REQUIRE(times[at] == 1); });
    CHECK(times.size() == static_cast<std::size_t>(xla::Addressing::create(array)->elements()));
    // A column-major result of a row-major operand; rows of 280 bytes, where a warp that goes from one to the next
    // takes more.
    const bool good = op.find("{0,1} add") == std::string::npos && op.find("[40,3,70]") == std::string::npos;
    CHECK(byXla(readsOfOperand(m, where, 0)) == good);
  }
}

TEST_CASE("sectors of random computations are those of every lane") {
  int compared = 0;
  for (u64 seed = 1; seed <= 200; ++seed) {
    const std::string text = RandomComputation(seed + 900).text(1 + static_cast<int>(seed % 4), false);
    INFO(text);
    const hlo::Module m = hlo::readModule(text);
    const hlo::Computation& c = m.computations.at(0);
    const auto reached = hlo::reachedIn(m, 0, 0);
    REQUIRE(reached.ok());
    const xla::Shape& output = m.shapeOf(c.instructions.at(static_cast<std::size_t>(c.root)));
    const auto threads = hlo::threadsInOrder(output, 48, 1 + static_cast<i64>(seed % 4));
    REQUIRE(threads.ok());
    for (const hlo::Reached& r : *reached)
      for (const hlo::ReachedMap& map : r.maps) {
        const xla::Shape& shape = m.shapeOf(c.instructions.at(static_cast<std::size_t>(r.instruction)));
        if (!map.map.params().empty() || shape.storedBits() % 8 != 0 || shape.storedBits() > 64) continue;
        hlo::Reach reach;
        reach.maps.push_back(map.map);
        const auto fast = hlo::warpReads(reach, *threads, shape);
        if (!fast) FAIL(fast.error().message);
        Totals slow;
        if (fast->width > 0) countSlowly(*threads, map.map, shape, fast->width / (shape.storedBits() / 8), slow);
        INFO(indexing::print(indexing::toIndexingMap(map.map)) << "\n" << hlo::textOf(*fast));
        REQUIRE(fast->accesses == slow.accesses);
        REQUIRE(fast->sectors == slow.sectors);
        REQUIRE(fast->ideal == slow.ideal);
        compared += slow.accesses > 0;
      }
  }
  CHECK(compared > 400);
}

// XLA guesses from transpositions that are to be fused; what the warps read of their arrays shows it.
TEST_CASE("whether a transposition that is fused is coalesced: the cases, through the arrays that it is made of") {
  int run = 0;
  for (const json& c : casesOf("coalescing_heuristic", "xla.jsonl")) {
    INFO(c["id"]);
    const hlo::Module m = hlo::readModule(c["hlo"].get<std::string>());
    REQUIRE(m.problems.empty());
    const hlo::Computation& entry = m.computations.at(static_cast<std::size_t>(m.entry));
    const auto output = [&](const hlo::Instruction& i) -> const xla::Shape& { return m.shapeOf(i); };
    const auto threads =
        hlo::threadsInOrder(output(entry.instructions.at(static_cast<std::size_t>(entry.root))), 128, 1);
    REQUIRE(threads.ok());
    const auto reached = hlo::reachedIn(m, m.entry, 0);
    REQUIRE(reached.ok());
    bool coalesced = true;
    for (const hlo::Reached& r : *reached) {
      const hlo::Instruction& i = entry.instructions.at(static_cast<std::size_t>(r.instruction));
      if (i.opcode != "parameter") continue;  // an iota is not read
      hlo::Reach reach;
      for (const hlo::ReachedMap& map : r.maps) reach.maps.push_back(map.map);
      const auto reads = hlo::warpReads(reach, *threads, output(i));
      REQUIRE(reads.ok());
      coalesced = coalesced && byXla(*reads);
    }
    CHECK(coalesced == c["coalesced"].get<bool>());
    ++run;
  }
  CHECK(run == 3);
}
