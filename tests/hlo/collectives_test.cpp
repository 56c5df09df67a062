// Collectives: the device and element that are read, against their definitions, device by device.
#include <catch2/catch.hpp>
#include <tuple>

#include "core/hlo/compose/fusion.h"
#include "core/hlo/ops/op.h"
#include "core/notation/indexing/map.h"
#include "hlo/followed.h"
#include "hlo/on_devices.h"
#include "hlo/support_cases.h"

using namespace tessera;
using namespace tessera::testing;
using hlo::Soundness;

namespace {

// What replica `own` of a group gets: (output, element of it) from (replica, operand, element), as the collective's
// definition says.
struct Sent {
  int output = 0;
  Element to;
  i64 replica = 0;
  int operand = 0;
  Element from;
};
using Moves = std::vector<Sent>;

Moves allGathered(const std::vector<i64>& in, std::size_t dim, i64 replicas) {
  Moves moves;
  for (i64 q = 0; q < replicas; ++q)
    eachCoordinate(in, [&](const Element& e) {
      Element to = e;
      to[dim] += q * in[dim];
      moves.push_back({0, to, q, 0, e});
    });
  return moves;
}
Moves reduceScattered(const std::vector<i64>& in, std::size_t dim, i64 replicas, i64 own) {
  Moves moves;
  const i64 part = in[dim] / replicas;
  for (i64 q = 0; q < replicas; ++q)
    eachCoordinate(in, [&](const Element& e) {
      Element to = e;
      to[dim] -= own * part;
      if (to[dim] >= 0 && to[dim] < part) moves.push_back({0, to, q, 0, e});
    });
  return moves;
}
Moves exchanged(const std::vector<i64>& in, std::size_t dim, i64 replicas, i64 own) {
  Moves moves;
  const i64 part = in[dim] / replicas;
  for (i64 q = 0; q < replicas; ++q)  // the part of replica q that is for us comes to lie at q
    eachCoordinate(in, [&](const Element& e) {
      if (e[dim] / part != own) return;
      Element to = e;
      to[dim] = q * part + e[dim] % part;
      moves.push_back({0, to, q, 0, e});
    });
  return moves;
}
Moves exchangedTuple(const std::vector<i64>& in, i64 replicas, i64 own) {
  Moves moves;
  for (i64 q = 0; q < replicas; ++q)
    eachCoordinate(in, [&](const Element& e) {
      moves.push_back({static_cast<int>(q), e, q, static_cast<int>(own), e});
    });
  return moves;
}

// `of(own)`: what member own of a group gets, and from whom. There are that many groups, of consecutive devices.
template <class Of>
void collective(const std::string& body, i64 members, i64 groups, const Of& of) {
  INFO(body);
  const hlo::Module m = hlo::readModule(entryOf(body));
  for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
  const hlo::Computation& c = m.computations.at(static_cast<std::size_t>(m.entry));
  const hlo::Where where{m.entry, c.root};
  std::map<std::tuple<i64, int, int, Element>, OnDevices> reads, uses;  // (device, output, operand, to), and reversed
  for (i64 own = 0; own < members; ++own)
    for (const Sent& s : of(own)) {
      reads[{own, s.output, s.operand, s.to}].insert({s.replica, s.from});
      uses[{s.replica, s.operand, s.output, s.from}].insert({own, s.to});
    }
  const hlo::Instruction& root = m.at(where);
  const auto compare = [&](const hlo::Reach& reach, const std::vector<i64>& sizes, int from, auto& expected) {
    CHECK(reach.soundness == Soundness::Exact);
    for (i64 p = 0; p < members * groups; ++p)
      eachCoordinate(sizes, [&](const Element& at) {
        OnDevices theirs;
        for (const auto& [device, e] : expected[{p % members, from, reach.slot, at}])
          theirs.insert({p / members * members + device, e});
        REQUIRE(readOn(reach, at, p) == theirs);
      });
  };
  for (std::size_t o = 0; o < m.outputsOf(root); ++o) {
    const auto all = hlo::readsOf(m, where, static_cast<int>(o));
    REQUIRE(all.ok());
    for (const hlo::Reach& reach : *all) compare(reach, m.shapeOf(root).leaf(o).sizes(), static_cast<int>(o), reads);
  }
  for (std::size_t k = 0; k < root.operands.size(); ++k) {
    const auto all = hlo::usesOf(m, where, static_cast<int>(k));
    REQUIRE(all.ok());
    for (const hlo::Reach& reach : *all)
      compare(reach, m.shapeOf(c.at(root.operands[k])).sizes(), static_cast<int>(k), uses);
  }
}

}  // namespace

TEST_CASE("collectives name the element and the device that each device reads") {
  for (const i64 replicas : {1, 2, 3})
    for (const std::size_t dim : {std::size_t{0}, std::size_t{1}}) {
      const std::string groups =
          "replica_groups=[2," + std::to_string(replicas) + "]<=[" + std::to_string(2 * replicas) + "]";
      const std::string dims = ", dimensions={" + std::to_string(dim) + "}, " + groups;
      std::vector<i64> whole{6, 6}, part{6, 6};
      part[dim] = 6 / replicas;
      const auto shape = [](const std::vector<i64>& s) {
        return "f32[" + std::to_string(s[0]) + "," + std::to_string(s[1]) + "]";
      };
      collective("p0 = " + shape(part) + " parameter(0)\n ROOT r = " + shape(whole) + " all-gather(p0)" + dims,
                 replicas, 2, [&](i64) { return allGathered(part, dim, replicas); });
      collective("p0 = " + shape(whole) + " parameter(0)\n ROOT r = " + shape(part) + " reduce-scatter(p0)" + dims +
                     ", to_apply=add",
                 replicas, 2, [&](i64 own) { return reduceScattered(whole, dim, replicas, own); });
      collective("p0 = " + shape(whole) + " parameter(0)\n ROOT r = " + shape(whole) + " all-to-all(p0)" + dims,
                 replicas, 2, [&](i64 own) { return exchanged(whole, dim, replicas, own); });
    }
  collective(
      "p0 = f32[4] parameter(0)\n p1 = f32[4] parameter(1)\n p2 = f32[4] parameter(2)\n ROOT r = (f32[4], f32[4], "
      "f32[4]) all-to-all(p0, p1, p2), replica_groups={{0,1,2}}",
      3, 1, [](i64 own) { return exchangedTuple({4}, 3, own); });
  // A reduction over all replicas reads its element of each.
  const hlo::Module m = hlo::readModule(
      entryOf("p0 = f32[4] parameter(0)\n ROOT r = f32[4] all-reduce(p0), replica_groups={{0,1},{2,3}}, to_apply=add"));
  CHECK(readOn(hlo::readsOf(m, {m.entry, 1})->at(0), {2}, 0) == OnDevices{{0, {2}}, {1, {2}}});
  CHECK(readOn(hlo::readsOf(m, {m.entry, 1})->at(0), {2}, 3) == OnDevices{{2, {2}}, {3, {2}}});
}

// Spellings of four replicas in a group, and two of which nothing says how many.
TEST_CASE("how many replicas a collective joins, in each spelling") {
  const std::vector<std::pair<std::string, std::optional<i64>>> spellings = {
      {"{{0,1,2,3},{4,5,6,7}}", 4},
      {"[2,4]<=[8]", 4},
      {"[2,4]<=[4,2]T(1,0)", 4},
      {"mesh['x'=2,'y'=4] {'y'}", 4},
      {"mesh['x'=2,'y'=2,'z'=2] {'x','z'}", 4},
      {"mesh[x=2,y=4] {y}", 4},
      {"mesh['x'=8] {'x':(2)4}", 4},
      {"mesh['x'=4,'y'=6]{ 'x':(1)2 , 'y':(3)2 }", 4},
      {"mesh['x'=4,'y'=2], device_ids=([2,4]T(1,0)) {'x'}", 4},
      {"mesh['x'=4,'y'=2], device_ids=(7,6,5,4,3,2,1,0) {'x'}", 4},
      {"{}", std::nullopt},
      {"mesh['x'=8] {'y'}", std::nullopt},
  };
  for (const auto& [groups, expected] : spellings) {
    INFO(groups);
    const hlo::Module m = hlo::readModule(
        entryOf("p0 = f32[4] parameter(0)\n ROOT r = f32[4] all-reduce(p0), channel_id=1, replica_groups=" + groups +
                ", use_global_device_ids=true, to_apply=add, metadata={op_name=\"x\"}"));
    for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
    const hlo::Instruction& r = m.computations.back().instructions.at(1);
    REQUIRE(r.find("replica_groups") != nullptr);
    CHECK(r.find("replica_groups")->value == groups);
    CHECK(r.find("to_apply")->value == "add");
    CHECK(hlo::groupSize(m, r) == expected);
  }
}

TEST_CASE("a reduction over all reads of all that run the module") {
  const auto reads = [](const std::string& head, const std::string& how) {
    const hlo::Module m = hlo::readModule(
        head +
        "\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\nENTRY e {\n p0 "
        "= f32[4] parameter(0)\n ROOT r = f32[4] all-reduce(p0), " +
        how + "to_apply=add\n}\n");
    for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
    return hlo::readsOf(m, {m.entry, 1})->at(0);
  };
  const OnDevices three{{0, {2}}, {1, {2}}, {2, {2}}};
  CHECK(readOn(reads("HloModule m, replica_count=3", "replica_groups={}, "), {2}, 1) == three);
  CHECK(readOn(reads("HloModule m, replica_count=3", ""), {2}, 1) == three);
  CHECK(readOn(reads("HloModule m, num_partitions=3", "channel_id=1, replica_groups={{}}, "), {2}, 1) == three);
  CHECK(reads("HloModule m, num_partitions=3", "replica_groups={}, ")
            .devices.empty());  // replicas, of which there is one
  CHECK(reads("HloModule m", "replica_groups={}, ").devices.empty());
}

TEST_CASE("whose element it is, as the cases have it") {
  int compared = 0;
  for (const auto& c : supportCases("fusion_map")) {
    if (!c.contains("replica_id_map")) continue;
    const hlo::Module m = hlo::readModule(c["hlo"].get<std::string>());
    const hlo::Computation& e = m.computations.at(static_cast<std::size_t>(m.entry));
    const auto reads = hlo::readsThrough(m, {m.entry, e.root});
    REQUIRE(reads.ok());
    const hlo::Reach& reach = reads->at(static_cast<std::size_t>(c["operand"].get<int>()));
    REQUIRE(reach.devices.size() == 1);
    std::string domain;
    for (const auto& d : c["replica_id_domain"])
      domain += (domain.empty() ? ", domain: " : ", ") + d.get<std::string>();
    const auto theirs = indexing::parse(c["replica_id_map"].get<std::string>() + domain);
    REQUIRE(theirs.ok());
    REQUIRE(reach.devices[0]);
    const Map ours = hlo::deviceAlone(*reach.devices[0]);
    eachCoordinate({128, 256},
                   [&](const Element& at) { REQUIRE(elementsAt(ours, at) == elementsAt(theirs->map, at)); });
    ++compared;
  }
  CHECK(compared == 1);
}

TEST_CASE("composed with collectives, a map still says whose element it is") {
  const auto reachOf = [](const std::string& body, int parameter) {
    const hlo::Module m = hlo::readModule(entryOf(body));
    for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
    const auto reached = hlo::reachedIn(m, m.entry, 0);
    if (!reached) FAIL(reached.error().message);
    for (const hlo::Reached& r : *reached)
      if (r.instruction == parameter) return hlo::asReach(r, m.computations.at(static_cast<std::size_t>(m.entry)), "e");
    FAIL("not reached");
    return hlo::Reach{};
  };
  const std::string gather = "g = f32[6,3] all-gather(t), dimensions={0}, replica_groups={{0,1}}\n ";
  // Between two transpositions: the number is in the other coordinate.
  const hlo::Reach there = reachOf("p = f32[3,3] parameter(0)\n t = f32[3,3] transpose(p), dimensions={1,0}\n " +
                                       gather + "ROOT r = f32[3,6] transpose(g), dimensions={1,0}",
                                   0);
  CHECK(there.soundness == Soundness::Exact);
  eachCoordinate({3, 6}, [&](const Element& at) {
    CHECK(readOn(there, at, 1) == OnDevices{{at[1] / 3, {at[0], at[1] % 3}}});
  });
  // Gathered twice in one group: the second number alone says whose.
  const hlo::Reach twice = reachOf("t = f32[3,3] parameter(0)\n " + gather +
                                       "ROOT r = f32[12,3] all-gather(g), dimensions={0}, replica_groups={{0,1}}",
                                   0);
  eachCoordinate({12, 3}, [&](const Element& at) {
    CHECK(readOn(twice, at, 0) == OnDevices{{at[0] % 6 / 3, {at[0] % 3, at[1]}}});
  });
  // In other groups: whose the gathered one is depends on both.
  const std::string pairs = "g = f32[6,3] all-gather(t), dimensions={0}, replica_groups={{0,1},{2,3}}\n ";
  const hlo::Reach other = reachOf("t = f32[3,3] parameter(0)\n " + pairs +
                                       "ROOT r = f32[12,3] all-gather(g), dimensions={0}, replica_groups={{0,2},{1,3}}",
                                   0);
  CHECK(other.soundness == Soundness::Exact);
  eachCoordinate({12, 3}, [&](const Element& at) {
    CHECK(readOn(other, at, 3) == OnDevices{{at[0] / 6 * 2 + at[0] % 6 / 3, {at[0] % 3, at[1]}}});
  });
  // A start that each device has for itself.
  const hlo::Reach own = reachOf(
      "p = f32[9,3] parameter(0)\n i = s32[] parameter(1)\n j = s32[] constant(0)\n t = f32[3,3] dynamic-slice(p, i, "
      "j), "
      "dynamic_slice_sizes={3,3}\n " +
          gather + "ROOT r = f32[6,3] negate(g)",
      0);
  CHECK(own.soundness == Soundness::Over);
  CHECK(own.why == "t: a run-time value of another device; any is possible");
  eachCoordinate({6, 3}, [&](const Element& at) {
    OnDevices any;
    for (i64 start = 0; start <= 6; ++start) any.insert({at[0] / 3, {start + at[0] % 3, at[1]}});
    CHECK(readOn(own, at, 0) == any);
  });
  // This device's own and another's are two maps, for all elements.
  const hlo::Reach both = reachOf(
      "t = f32[6,3] parameter(0)\n a = f32[6,3] all-reduce(t), replica_groups={{0,1}}, to_apply=add\n "
      "ROOT r = f32[6,3] add(t, a)",
      0);
  CHECK(both.maps.size() == 2);
}
