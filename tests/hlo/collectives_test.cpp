// Collectives: the replica and element that are read, against their definitions, replica by replica.
#include <catch2/catch.hpp>
#include <tuple>

#include "core/hlo/compose/fusion.h"
#include "core/hlo/ops/op.h"
#include "core/notation/indexing/map.h"
#include "hlo/followed.h"
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

using Placed = std::set<std::pair<i64, Element>>;  // of which replica, and what
Placed placedAt(const hlo::Reach& reach, const Element& at) {
  Placed all;
  for (std::size_t k = 0; k < reach.maps.size(); ++k) {
    REQUIRE(k < reach.replicas.size());
    REQUIRE(reach.replicas[k]);
    for (const Element& replica : elementsAt(*reach.replicas[k], at))
      for (const Element& e : elementsAt(reach.maps[k], at)) all.insert({replica.at(0), e});
  }
  return all;
}

// `of(own)`: what replica own gets, and from whom. Ours does not know its own number: the union over all of them, exact
// where that is what each has.
template <class Of>
void collective(const std::string& body, i64 replicas, const Of& of, bool exactReads) {
  INFO(body);
  const hlo::Module m = hlo::readModule(entryOf(body));
  for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
  const hlo::Where where{m.entry, m.computations.at(static_cast<std::size_t>(m.entry)).root};
  std::map<std::tuple<int, int, Element>, Placed> reads, uses;  // (output, operand, to) and (operand, output, from)
  std::map<std::tuple<i64, int, int, Element>, Placed> each;
  for (i64 own = 0; own < replicas; ++own)
    for (const Sent& s : of(own)) {
      reads[{s.output, s.operand, s.to}].insert({s.replica, s.from});
      each[{own, s.output, s.operand, s.to}].insert({s.replica, s.from});
      uses[{s.operand, s.output, s.from}].insert({own, s.to});
    }
  for (const auto& [key, theirs] : reads) {
    const auto all = hlo::readsOf(m, where, std::get<0>(key));
    REQUIRE(all.ok());
    const hlo::Reach& reach = all->at(static_cast<std::size_t>(std::get<1>(key)));
    CHECK((reach.soundness == Soundness::Exact) == exactReads);
    REQUIRE(placedAt(reach, std::get<2>(key)) == theirs);
    for (i64 own = 0; exactReads && own < replicas; ++own)
      REQUIRE(each[{own, std::get<0>(key), std::get<1>(key), std::get<2>(key)}] == theirs);
  }
  for (const auto& [key, theirs] : uses) {
    const auto all = hlo::usesOf(m, where, std::get<0>(key));
    REQUIRE(all.ok());
    const Placed ours = placedAt(all->at(static_cast<std::size_t>(std::get<1>(key))), std::get<2>(key));
    REQUIRE(std::includes(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
  }
}

}  // namespace

TEST_CASE("collectives name the element and the replica, as each replica's own number would have it") {
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
      collective(
          "p0 = " + shape(part) + " parameter(0)\n ROOT r = " + shape(whole) + " all-gather(p0)" + dims, replicas,
          [&](i64) { return allGathered(part, dim, replicas); }, true);
      collective(
          "p0 = " + shape(whole) + " parameter(0)\n ROOT r = " + shape(part) + " reduce-scatter(p0)" + dims +
              ", to_apply=add",
          replicas, [&](i64 own) { return reduceScattered(whole, dim, replicas, own); }, replicas == 1);
      collective(
          "p0 = " + shape(whole) + " parameter(0)\n ROOT r = " + shape(whole) + " all-to-all(p0)" + dims, replicas,
          [&](i64 own) { return exchanged(whole, dim, replicas, own); }, replicas == 1);
    }
  collective(
      "p0 = f32[4] parameter(0)\n p1 = f32[4] parameter(1)\n p2 = f32[4] parameter(2)\n ROOT r = (f32[4], f32[4], "
      "f32[4]) all-to-all(p0, p1, p2), replica_groups={{0,1,2}}",
      3, [](i64 own) { return exchangedTuple({4}, 3, own); }, false);
  // A reduction over all replicas reads its element of each.
  const hlo::Module m = hlo::readModule(
      entryOf("p0 = f32[4] parameter(0)\n ROOT r = f32[4] all-reduce(p0), replica_groups={{0,1},{2,3}}, to_apply=add"));
  CHECK(placedAt(hlo::readsOf(m, {m.entry, 1})->at(0), {2}) == Placed{{0, {2}}, {1, {2}}});
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
  const Placed three{{0, {2}}, {1, {2}}, {2, {2}}};
  CHECK(placedAt(reads("HloModule m, replica_count=3", "replica_groups={}, "), {2}) == three);
  CHECK(placedAt(reads("HloModule m, replica_count=3", ""), {2}) == three);
  CHECK(placedAt(reads("HloModule m, num_partitions=3", "channel_id=1, replica_groups={{}}, "), {2}) == three);
  CHECK(reads("HloModule m, num_partitions=3", "replica_groups={}, ")
            .replicas.empty());  // replicas, of which there is one
  CHECK(reads("HloModule m", "replica_groups={}, ").replicas.empty());
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
    REQUIRE(reach.replicas.size() == 1);
    std::string domain;
    for (const auto& d : c["replica_id_domain"])
      domain += (domain.empty() ? ", domain: " : ", ") + d.get<std::string>();
    const auto theirs = indexing::parse(c["replica_id_map"].get<std::string>() + domain);
    REQUIRE(theirs.ok());
    REQUIRE(reach.replicas[0]);
    eachCoordinate({128, 256}, [&](const Element& at) {
      REQUIRE(elementsAt(*reach.replicas[0], at) == elementsAt(theirs->map, at));
    });
    ++compared;
  }
  CHECK(compared == 1);
}

TEST_CASE("composed with a collective, a map still says whose element it is") {
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
    CHECK(placedAt(there, at) == Placed{{at[1] / 3, {at[0], at[1] % 3}}});
  });
  // Gathered twice in one group: the second number alone says whose.
  const hlo::Reach twice = reachOf("t = f32[3,3] parameter(0)\n " + gather +
                                       "ROOT r = f32[12,3] all-gather(g), dimensions={0}, replica_groups={{0,1}}",
                                   0);
  eachCoordinate({12, 3}, [&](const Element& at) {
    CHECK(placedAt(twice, at) == Placed{{at[0] % 6 / 3, {at[0] % 3, at[1]}}});
  });
  // In other groups it is not given whose it is.
  const hlo::Reach other = reachOf("t = f32[3,3] parameter(0)\n " + gather +
                                       "ROOT r = f32[12,3] all-gather(g), dimensions={0}, replica_groups={{0,2}}",
                                   0);
  CHECK(other.soundness == Soundness::Unknown);
  CHECK(other.why == "g: a collective that follows one over different groups");
  // A start that each replica has for itself.
  const hlo::Reach own = reachOf(
      "p = f32[9,3] parameter(0)\n i = s32[] parameter(1)\n j = s32[] constant(0)\n t = f32[3,3] dynamic-slice(p, i, "
      "j), "
      "dynamic_slice_sizes={3,3}\n " +
          gather + "ROOT r = f32[6,3] negate(g)",
      0);
  CHECK(own.soundness == Soundness::Over);
  CHECK(own.why == "t: a run-time value of another replica; any is possible");
  eachCoordinate({6, 3}, [&](const Element& at) {
    Placed any;
    for (i64 start = 0; start <= 6; ++start) any.insert({at[0] / 3, {start + at[0] % 3, at[1]}});
    CHECK(placedAt(own, at) == any);
  });
  // This replica's own and another's are two maps, for all elements.
  const hlo::Reach both = reachOf(
      "t = f32[6,3] parameter(0)\n a = f32[6,3] all-reduce(t), replica_groups={{0,1}}, to_apply=add\n "
      "ROOT r = f32[6,3] add(t, a)",
      0);
  CHECK(both.maps.size() == 2);
}

// jax's ring: found by python/tests/perturbation.py, which changed an element of one replica and saw another's result.
TEST_CASE("a permutation reads of another replica, also inside a loop and beside other collectives") {
  const std::string pairs = "source_target_pairs={{0,1},{1,2},{2,0}}";
  const auto readsOf = [](const std::string& text) {
    const hlo::Module m = hlo::readModule(text);
    for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
    const auto all = hlo::readsThrough(m, {m.entry, m.computation(m.entry).root});
    if (!all) FAIL(all.error().message);
    return all->at(0);
  };
  Placed any;
  for (i64 replica = 0; replica < 3; ++replica) any.insert({replica, {2}});
  const hlo::Reach alone =
      readsOf(entryOf("p0 = f32[4] parameter(0)\n ROOT r = f32[4] collective-permute(p0), " + pairs));
  CHECK(alone.soundness == Soundness::Over);
  CHECK(placedAt(alone, {2}) == any);
  const auto chain = [&](const std::string& first, const std::string& second) {
    return readsOf(
        "HloModule m, replica_count=3\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, "
        "b)\n}\ntwo {\n p0 = f32[4] parameter(0)\n q = f32[4] " +
        first + "\n ROOT r = f32[4] " + second +
        "\n}\nENTRY e {\n p = f32[4] parameter(0)\n ROOT t = f32[4] call(p), " + "to_apply=two\n}\n");
  };
  const std::string back = "collective-permute(q), source_target_pairs={{2,1},{1,0}}";
  const std::string all = "all-reduce(q), replica_groups={{0,1,2}}, to_apply=add";
  for (const std::string& second : {back, all}) {
    const hlo::Reach reach = chain("collective-permute(p0), " + pairs, second);
    INFO(second << ": " << reach.why);
    CHECK(reach.soundness == Soundness::Over);
    CHECK(placedAt(reach, {2}) == any);
  }
  CHECK(chain("all-reduce(p0), replica_groups={{0,1},{2}}, to_apply=add", all).soundness == Soundness::Unknown);
  const hlo::Reach loop = readsOf(
      "HloModule m\nbody {\n s = (s32[], f32[4]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n one = s32[] "
      "constant(1)\n j = s32[] add(i, one)\n x = f32[4] get-tuple-element(s), index=1\n y = f32[4] "
      "collective-permute(x), " +
      pairs +
      "\n ROOT t = (s32[], f32[4]) tuple(j, y)\n}\ncond {\n s = (s32[], f32[4]) parameter(0)\n i = s32[] "
      "get-tuple-element(s), index=0\n n = s32[] constant(2)\n ROOT c = pred[] compare(i, n), direction=LT\n}\nall {\n "
      "p "
      "= f32[4] parameter(0)\n z = s32[] constant(0)\n w = (s32[], f32[4]) tuple(z, p)\n l = (s32[], f32[4]) while(w), "
      "condition=cond, body=body\n ROOT r = f32[4] get-tuple-element(l), index=1\n}\nENTRY e {\n p = f32[4] "
      "parameter(0)\n ROOT r = f32[4] call(p), to_apply=all\n}\n");
  INFO(loop.why);
  CHECK(loop.soundness == Soundness::Over);
  CHECK(placedAt(loop, {2}) == any);
}

TEST_CASE("collectives over different groups do not compose, also if each is in a computation of its own") {
  const auto soundness = [](const std::string& first, const std::string& second) {
    const std::string text =
        "HloModule m\na {\n p = f32[4] parameter(0)\n ROOT r = f32[8] all-gather(p), dimensions={0}, replica_groups=" +
        first + "\n}\nb {\n p = f32[8] parameter(0)\n ROOT r = f32[16] all-gather(p), dimensions={0}, replica_groups=" +
        second +
        "\n}\nboth {\n p = f32[4] parameter(0)\n x = f32[8] call(p), to_apply=a\n ROOT y = f32[16] call(x), "
        "to_apply=b\n}\nENTRY e {\n p = f32[4] parameter(0)\n ROOT z = f32[16] call(p), to_apply=both\n}\n";
    const hlo::Module m = hlo::readModule(text);
    for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
    const auto reads = hlo::readsThrough(m, {m.entry, m.computation(m.entry).root});
    REQUIRE(reads.ok());
    return reads->at(0).soundness;
  };
  CHECK(soundness("{{0,1},{2,3}}", "{{0,1},{2,3}}") == Soundness::Exact);
  CHECK(soundness("{{0,1},{2,3}}", "{{0,2},{1,3}}") == Soundness::Unknown);
}
