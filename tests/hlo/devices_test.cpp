// Sharded programs: chains of collectives over different groups, against a simulation of all devices.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <random>

#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/ops/op.h"
#include "hlo/on_devices.h"
#include "hlo/support_cases.h"

using namespace tessera;
using namespace tessera::testing;
using hlo::Soundness;

namespace {

// An array on one device: by element (row-major), the elements of the parameter that it depends on, and whose.
struct OnDevice {
  std::vector<i64> sizes;
  std::vector<OnDevices> from;
  OnDevices& at(const Element& e) {
    i64 place = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) place = place * sizes[k] + e[k];
    return from[static_cast<std::size_t>(place)];
  }
};
using OnElement = std::pair<i64, Element>;
using State = std::vector<OnDevice>;  // by device

OnDevice emptyArray(const std::vector<i64>& sizes) {
  i64 count = 1;
  for (const i64 s : sizes) count *= s;
  return {sizes, std::vector<OnDevices>(static_cast<std::size_t>(count))};
}

std::string listed(const std::vector<i64>& s) {
  std::string out;
  for (std::size_t k = 0; k < s.size(); ++k) out += (k > 0 ? "," : "") + std::to_string(s[k]);
  return out;
}

using Groups = std::vector<std::vector<i64>>;
struct Spelled {
  std::string text;
  Groups groups;
};

// A program of one array on each device, and what its elements depend on.
class Program {
 public:
  Program(i64 devices, u64 seed) : devices_(devices), rng_(seed) {
    const std::vector<i64> sizes = {4, 8};
    lines_ = "p0 = " + shape(sizes) + " parameter(0)\n pid = u32[] partition-id()\n z = s32[] constant(0)\n ";
    for (i64 p = 0; p < devices; ++p) {
      OnDevice one = emptyArray(sizes);
      eachCoordinate(sizes, [&](const Element& e) { one.at(e).insert({p, e}); });
      state.push_back(std::move(one));
    }
    name_ = "p0";
  }

  State state;

  [[nodiscard]] std::string text() const {
    std::string body = entryOf(lines_ + "ROOT root = " + shape(state[0].sizes) + " negate(" + name_ + ")");
    body.replace(0, 11, "HloModule m, num_partitions=" + std::to_string(devices_));
    return body;
  }

  [[nodiscard]] const std::string& lines() const { return lines_; }
  [[nodiscard]] const std::string& last() const { return name_; }

  // One whose result has the same sizes.
  void step() {
    switch (draw(4)) {
      case 0:
        return reduce();
      case 1:
        return exchange();
      case 2:
        return permute();
      default:
        return broadcast();
    }
  }
  void operation() {
    switch (draw(11)) {
      case 0:
      case 1:
        return gather();
      case 2:
        return reduce();
      case 3:
      case 4:
        return scatter();
      case 5:
        return exchange();
      case 6:
        return permute();
      case 7:
        return transpose();
      case 8:
        return reshape();
      case 9:
        return slice();
      default:
        return broadcast();
    }
  }

 private:
  i64 devices_;
  std::mt19937_64 rng_;
  std::string lines_, name_;
  int count_ = 0;

  i64 draw(i64 n) { return static_cast<i64>(rng_() % static_cast<u64>(n)); }
  static std::string shape(const std::vector<i64>& s) { return "f32[" + listed(s) + "]"; }
  std::vector<i64> shuffledDevices() {
    std::vector<i64> ids(static_cast<std::size_t>(devices_));
    std::iota(ids.begin(), ids.end(), i64{0});
    for (std::size_t k = ids.size(); k > 1; --k)
      std::swap(ids[k - 1], ids[static_cast<std::size_t>(draw(static_cast<i64>(k)))]);
    return ids;
  }
  void say(const std::vector<i64>& sizes, const std::string& opcode, const std::string& rest) {
    const std::string next = "v" + std::to_string(count_++);
    lines_ += next + " = " + shape(sizes) + " " + opcode + "(" + name_ + ")" + rest + "\n ";
    name_ = next;
  }

  // Groups of a size that divides the devices: along a mesh, or in any order.
  Spelled groups() {
    std::vector<i64> divisors;
    for (i64 k = 2; k <= devices_; ++k)
      if (devices_ % k == 0) divisors.push_back(k);
    const i64 size = divisors[static_cast<std::size_t>(draw(static_cast<i64>(divisors.size())))],
              other = devices_ / size;
    Spelled s;
    const auto put = [&](const auto& id) {
      for (i64 g = 0; g < other; ++g) {
        s.groups.emplace_back();
        for (i64 k = 0; k < size; ++k) s.groups.back().push_back(id(g, k));
      }
    };
    const std::string n = std::to_string(devices_), a = std::to_string(other), b = std::to_string(size);
    switch (draw(6)) {
      case 0:
        put([&](i64 g, i64 k) { return g * size + k; });
        s.text = "[" + a + "," + b + "]<=[" + n + "]";
        break;
      case 1:
        put([&](i64 g, i64 k) { return k * other + g; });
        s.text = "[" + a + "," + b + "]<=[" + b + "," + a + "]T(1,0)";
        break;
      case 2:
        put([&](i64 g, i64 k) { return g * size + k; });
        s.text = "mesh['x'=" + a + ",'y'=" + b + "] {'y'}";
        break;
      case 3:
        put([&](i64 g, i64 k) { return k * other + g; });
        s.text = "mesh['x'=" + b + ",'y'=" + a + "] {'x'}";
        break;
      default: {
        const std::vector<i64> ids = shuffledDevices();
        const bool any = draw(3) == 0;
        put([&](i64 g, i64 k) { return any ? ids[static_cast<std::size_t>(g * size + k)] : g * size + k; });
        for (const auto& g : s.groups) s.text += (s.text.empty() ? "{{" : ",{") + listed(g) + "}";
        s.text += "}";
      }
    }
    return s;
  }
  static std::string joins(const std::string& groups) {
    return ", channel_id=1, replica_groups=" + groups + ", use_global_device_ids=true";
  }
  [[nodiscard]] static OnDevice& of(State& all, i64 device) { return all[static_cast<std::size_t>(device)]; }
  // `value(group, number, e)`: the element e of that member afterwards.
  template <class Value>
  void become(const std::vector<i64>& sizes, const Groups& groups, const Value& value) {
    State next(state.size());
    for (const auto& group : groups)
      for (std::size_t k = 0; k < group.size(); ++k) {
        OnDevice one = emptyArray(sizes);
        eachCoordinate(sizes, [&](const Element& e) { one.at(e) = value(group, static_cast<i64>(k), e); });
        of(next, group[k]) = std::move(one);
      }
    state = std::move(next);
  }
  OnDevices everyones(const std::vector<i64>& group, const Element& e) {
    OnDevices all;
    for (const i64 q : group) all.merge(OnDevices(of(state, q).at(e)));
    return all;
  }
  // A dimension that the group's size divides; -1: none.
  int divided(i64 by) {
    const std::vector<i64>& sizes = state[0].sizes;
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (const std::size_t d = (k + static_cast<std::size_t>(draw(2))) % sizes.size(); sizes[d] % by == 0)
        return static_cast<int>(d);
    return -1;
  }

  void gather() {
    const Spelled s = groups();
    std::vector<i64> sizes = state[0].sizes;
    const auto d = static_cast<std::size_t>(draw(static_cast<i64>(sizes.size())));
    const i64 part = sizes[d];
    i64 count = 1;
    for (const i64 size : sizes) count *= size;
    if (count > 64) return;
    sizes[d] *= static_cast<i64>(s.groups[0].size());
    say(sizes, "all-gather", ", dimensions={" + std::to_string(d) + "}" + joins(s.text));
    become(sizes, s.groups, [&](const auto& group, i64, Element e) {
      const i64 whose = group[static_cast<std::size_t>(e[d] / part)];
      e[d] %= part;
      return of(state, whose).at(e);
    });
  }
  void reduce() {
    const Spelled s = groups();
    say(state[0].sizes, "all-reduce", joins(s.text) + ", to_apply=add");
    become(state[0].sizes, s.groups, [&](const auto& group, i64, const Element& e) { return everyones(group, e); });
  }
  void scatter() {
    const Spelled s = groups();
    const i64 members = static_cast<i64>(s.groups[0].size());
    const int found = divided(members);
    if (found < 0) return;
    const auto d = static_cast<std::size_t>(found);
    std::vector<i64> sizes = state[0].sizes;
    sizes[d] /= members;
    say(sizes, "reduce-scatter", ", dimensions={" + std::to_string(d) + "}" + joins(s.text) + ", to_apply=add");
    become(sizes, s.groups, [&](const auto& group, i64 number, Element e) {
      e[d] += number * sizes[d];
      return everyones(group, e);
    });
  }
  void exchange() {
    const Spelled s = groups();
    const int found = divided(static_cast<i64>(s.groups[0].size()));
    if (found < 0) return;
    const auto d = static_cast<std::size_t>(found);
    const i64 part = state[0].sizes[d] / static_cast<i64>(s.groups[0].size());
    // Partitions are the devices, as there is one replica.
    say(state[0].sizes, "all-to-all",
        ", channel_id=1, dimensions={" + std::to_string(d) + "}, replica_groups=" + s.text);
    become(state[0].sizes, s.groups, [&](const auto& group, i64 number, Element e) {
      const i64 whose = group[static_cast<std::size_t>(e[d] / part)];
      e[d] = number * part + e[d] % part;
      return of(state, whose).at(e);
    });
  }
  void permute() {
    std::vector<i64> source(static_cast<std::size_t>(devices_), -1);
    const bool ring = draw(2) == 0;
    const std::vector<i64> from = shuffledDevices(), to = shuffledDevices();
    const i64 radix = devices_ % 2 == 0 && draw(2) == 0 ? devices_ / 2 : devices_, turn = 1 + draw(radix);
    for (i64 p = 0; p < devices_; ++p) {
      if (ring) source[static_cast<std::size_t>(p)] = p / radix * radix + (p % radix + turn) % radix;
      if (!ring && draw(4) != 0)
        source[static_cast<std::size_t>(to[static_cast<std::size_t>(p)])] = from[static_cast<std::size_t>(p)];
    }
    std::string pairs;
    for (i64 p = 0; p < devices_; ++p)
      if (const i64 q = source[static_cast<std::size_t>(p)]; q >= 0)
        pairs += (pairs.empty() ? "{" : ",{") + std::to_string(q) + "," + std::to_string(p) + "}";
    say(state[0].sizes, "collective-permute", ", channel_id=1, source_target_pairs={" + pairs + "}");
    State next;
    for (i64 p = 0; p < devices_; ++p)
      next.push_back(source[static_cast<std::size_t>(p)] < 0 ? emptyArray(state[0].sizes)
                                                             : of(state, source[static_cast<std::size_t>(p)]));
    state = std::move(next);
  }
  void broadcast() {
    const Spelled s = groups();
    say(state[0].sizes, "collective-broadcast", ", channel_id=1, replica_groups=" + s.text);
    become(state[0].sizes, s.groups,
           [&](const auto& group, i64, const Element& e) { return of(state, group[0]).at(e); });
  }

  // `value(p, e)`, of device p's own elements.
  template <class Value>
  void locally(const std::vector<i64>& sizes, const Value& value) {
    for (i64 p = 0; p < devices_; ++p) {
      OnDevice one = emptyArray(sizes);
      eachCoordinate(sizes, [&](const Element& e) { one.at(e) = value(p, e); });
      of(state, p) = std::move(one);
    }
  }
  void transpose() {
    const std::vector<i64> sizes = {state[0].sizes[1], state[0].sizes[0]};
    say(sizes, "transpose", ", dimensions={1,0}");
    locally(sizes, [&](i64 p, const Element& e) { return of(state, p).at({e[1], e[0]}); });
  }
  void reshape() {
    const std::vector<i64> from = state[0].sizes;
    if (from[0] % 2 != 0) return;
    const std::vector<i64> sizes = {from[0] / 2, from[1] * 2};
    say(sizes, "reshape", "");
    locally(sizes, [&](i64 p, const Element& e) {
      const i64 place = e[0] * sizes[1] + e[1];
      return of(state, p).at({place / from[1], place % from[1]});
    });
  }
  // The part that the device's number says, by arithmetic or by a table.
  void slice() {
    std::vector<i64> sizes = state[0].sizes;
    if (sizes[1] % devices_ != 0) return;
    sizes[1] /= devices_;
    const std::string at = "s" + std::to_string(count_);
    std::vector<i64> starts = shuffledDevices();
    const bool table = draw(2) == 0;
    for (i64 p = 0; p < devices_; ++p) {
      auto& start = starts[static_cast<std::size_t>(p)];
      start = table ? start * sizes[1] : p * sizes[1];
    }
    if (table) {
      lines_ += at + "t = s32[" + std::to_string(devices_) + "] constant({" + listed(starts) + "})\n " + at +
                "d = s32[1] dynamic-slice(" + at + "t, pid), dynamic_slice_sizes={1}\n " + at + " = s32[] reshape(" +
                at + "d)\n ";
    } else {
      lines_ += at + "c = s32[] convert(pid)\n " + at + "k = s32[] constant(" + std::to_string(sizes[1]) + ")\n " + at +
                " = s32[] multiply(" + at + "c, " + at + "k)\n ";
    }
    const std::string next = "v" + std::to_string(count_++);
    lines_ += next + " = " + shape(sizes) + " dynamic-slice(" + name_ + ", z, " + at + "), dynamic_slice_sizes={" +
              listed(sizes) + "}\n ";
    name_ = next;
    locally(sizes, [&](i64 p, const Element& e) {
      return of(state, p).at({e[0], e[1] + starts[static_cast<std::size_t>(p)]});
    });
  }
};

hlo::Reach reachOfParameter(const hlo::Module& m, int parameter) {
  const auto reached = hlo::reachedIn(m, m.entry, 0);
  if (!reached) FAIL(reached.error().message);
  const hlo::Computation& c = m.computation(m.entry);
  for (const hlo::Reached& r : *reached)
    if (r.instruction == c.parameters.at(static_cast<std::size_t>(parameter))) return hlo::asReach(r, c, "e");
  return {};
}

// Exact reads are those of the simulation, others contain them.
void compare(const hlo::Reach& reads, State& state) {
  for (std::size_t p = 0; p < state.size(); ++p)
    eachCoordinate(state[p].sizes, [&](const Element& e) {
      const OnDevices ours = readOn(reads, e, static_cast<i64>(p)), &theirs = state[p].at(e);
      if (reads.soundness == Soundness::Exact)
        REQUIRE(ours == theirs);
      else
        REQUIRE(std::includes(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
    });
}

}  // namespace

TEST_CASE("chains of collectives over any groups read what a simulation of all devices reads") {
  for (u64 seed = 0; seed < 200; ++seed) {
    const std::vector<i64> counts = {4, 6, 8};
    Program program(counts[seed % 3], seed);
    for (int k = 0; k < 2 + static_cast<int>(seed / 3 % 4); ++k) program.operation();
    const std::string text = program.text();
    INFO("seed " << seed << "\n" << text);
    const hlo::Module m = hlo::readModule(text);
    for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
    const hlo::Reach reads = reachOfParameter(m, 0);
    CHECK(reads.soundness == Soundness::Exact);
    compare(reads, program.state);
    const auto used = hlo::usesOfParameter(m, m.entry, 0);
    REQUIRE(used.ok());
    CHECK(used->at(0).soundness == Soundness::Exact);
    std::set<std::pair<OnElement, OnElement>> pairs, back;
    for (std::size_t p = 0; p < program.state.size(); ++p)
      eachCoordinate(program.state[p].sizes, [&](const Element& e) {
        for (const OnElement& from : program.state[p].at(e)) pairs.insert({from, {static_cast<i64>(p), e}});
      });
    for (i64 p = 0; p < static_cast<i64>(program.state.size()); ++p)
      eachCoordinate({4, 8}, [&](const Element& e) {
        for (const OnElement& to : readOn(used->at(0), e, p)) back.insert({{p, e}, to});
      });
    REQUIRE(back == pairs);
  }
}

TEST_CASE("loops whose steps read across devices") {
  int exact = 0, over = 0;
  for (u64 seed = 0; seed < 80; ++seed) {
    const i64 devices = seed % 2 == 0 ? 4 : 8;
    const int steps = 1 + static_cast<int>(seed / 2 % 2), trips = 1 + static_cast<int>(seed / 4 % 3);
    Program body(devices, seed);
    for (int k = 0; k < steps; ++k) body.step();
    std::string lines = body.lines();
    lines.replace(lines.find("parameter(0)"), 12, "get-tuple-element(s), index=1");
    const std::string all = "(s32[], f32[4,8], f32[4,8])";
    std::string text =
        entryOf("x = f32[4,8] parameter(0)\n w = f32[4,8] parameter(1)\n zero = s32[] constant(0)\n init = " + all +
                " tuple(zero, x, w)\n l = " + all +
                " while(init), condition=cond, body=body\n ROOT r = f32[4,8] "
                "get-tuple-element(l), index=1");
    text.replace(0, 11,
                 "HloModule m, num_partitions=" + std::to_string(devices) + "\ncond {\n s = " + all +
                     " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n n = s32[] constant(" +
                     std::to_string(trips) + ")\n ROOT c = pred[] compare(i, n), direction=LT\n}\nbody {\n s = " + all +
                     " parameter(0)\n i = s32[] get-tuple-element(s), index=0\n one = s32[] constant(1)\n "
                     "next = s32[] add(i, one)\n w = f32[4,8] get-tuple-element(s), index=2\n " +
                     lines + "sum = f32[4,8] add(" + body.last() + ", w)\n ROOT t = " + all +
                     " tuple(next, sum, w)\n}\n");
    INFO("seed " << seed << "\n" << text);
    const hlo::Module m = hlo::readModule(text);
    for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
    for (const int parameter : {0, 1}) {
      State each = Program(devices, seed).state, none;
      for (const OnDevice& one : each) none.push_back(emptyArray(one.sizes));
      State x = parameter == 0 ? each : none;
      for (int t = 0; t < trips; ++t) {
        Program again(devices, seed);
        again.state = x;
        for (int k = 0; k < steps; ++k) again.step();
        x = again.state;
        for (std::size_t p = 0; parameter == 1 && p < x.size(); ++p)
          for (std::size_t k = 0; k < x[p].from.size(); ++k) x[p].from[k].merge(OnDevices(each[p].from[k]));
      }
      const hlo::Reach reads = reachOfParameter(m, parameter);
      REQUIRE(reads.soundness != Soundness::Unknown);
      ++(reads.soundness == Soundness::Exact ? exact : over);
      compare(reads, x);
      const auto used = hlo::usesOfParameter(m, m.entry, parameter);
      REQUIRE(used.ok());
      std::set<std::pair<OnElement, OnElement>> pairs;
      for (std::size_t p = 0; p < x.size(); ++p)
        eachCoordinate(x[p].sizes, [&](const Element& e) {
          for (const OnElement& from : x[p].at(e)) pairs.insert({from, {static_cast<i64>(p), e}});
        });
      for (auto at = pairs.begin(); at != pairs.end();) {
        const OnElement from = at->first;
        const OnDevices ours = readOn(used->at(0), from.second, from.first);
        bool found = true;
        for (; at != pairs.end() && at->first == from; ++at) found = found && ours.contains(at->second);
        REQUIRE(found);
      }
    }
  }
  CHECK(exact > 30);
}

TEST_CASE("a sum over an axis of the mesh in a loop is exact") {
  const hlo::Module m = hlo::readModule(
      "HloModule m, num_partitions=8\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, "
      "b)\n}\ncond {\n s = (s32[], f32[4]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n n = s32[] "
      "constant(5)\n ROOT c = pred[] compare(i, n), direction=LT\n}\nbody {\n s = (s32[], f32[4]) parameter(0)\n i = "
      "s32[] get-tuple-element(s), index=0\n one = s32[] constant(1)\n next = s32[] add(i, one)\n x = f32[4] "
      "get-tuple-element(s), index=1\n r = f32[4] all-reduce(x), channel_id=1, use_global_device_ids=true, "
      "replica_groups=[4,2]<=[2,4]T(1,0), to_apply=add\n ROOT t = (s32[], f32[4]) tuple(next, r)\n}\nENTRY e {\n x = "
      "f32[4] parameter(0)\n zero = s32[] constant(0)\n init = (s32[], f32[4]) tuple(zero, x)\n l = (s32[], f32[4]) "
      "while(init), condition=cond, body=body\n ROOT r = f32[4] get-tuple-element(l), index=1\n}\n");
  const hlo::Reach reads = reachOfParameter(m, 0);
  CHECK(reads.soundness == Soundness::Exact);
  CHECK(readOn(reads, {3}, 6) == OnDevices{{2, {3}}, {6, {3}}});
}

TEST_CASE("rows that devices exchange at run-time places are any rows of the group") {
  const hlo::Module m = hlo::readModule(
      "HloModule m, num_partitions=4\nENTRY e {\n a = f32[6,3] parameter(0)\n b = f32[8,3] parameter(1)\n o = s32[2] "
      "parameter(2)\n s = s32[2] parameter(3)\n q = s32[2] parameter(4)\n t = s32[2] parameter(5)\n ROOT r = f32[8,3] "
      "ragged-all-to-all(a, b, o, s, q, t), channel_id=1, replica_groups={{0,1},{2,3}}\n}\n");
  const auto reads = hlo::readsOf(m, {m.entry, 6});
  REQUIRE(reads.ok());
  OnDevices rows;
  for (i64 k = 0; k < 6; ++k)
    for (const i64 device : {2, 3}) rows.insert({device, {k, 1}});
  CHECK(reads->at(0).soundness == Soundness::Over);
  CHECK(readOn(reads->at(0), {7, 1}, 3) == rows);
  CHECK(readOn(reads->at(1), {7, 1}, 3) == OnDevices{{3, {7, 1}}});
  const auto uses = hlo::usesOf(m, {m.entry, 6}, 0);
  REQUIRE(uses.ok());
  CHECK(readOn(uses->at(0), {5, 1}, 3).size() == 16);
}

TEST_CASE("groups of replicas, partitions and devices, and what no text says") {
  const auto groups = [](const std::string& head, const std::string& how) {
    const hlo::Module m =
        hlo::readModule("HloModule m" + head + "\nENTRY e {\n a = f32[4] parameter(0)\n ROOT r = " + how + "\n}\n");
    return hlo::groupsOf(m, m.at({m.entry, 1}));
  };
  const std::string two = ", replica_count=2, num_partitions=2";
  const std::string sum = "f32[4] all-reduce(a), replica_groups=", exchange = "f32[4] all-to-all(a), replica_groups=";
  CHECK(groups(two, sum + "{{0,1}}") == Groups{{0, 2}, {1, 3}});
  CHECK(groups(two, sum + "{{0,1}}, channel_id=1") == Groups{{0, 1, 2, 3}});
  CHECK(groups(two, sum + "{{0},{1}}, channel_id=1") == Groups{{0, 1}, {2, 3}});
  CHECK(groups(two, sum + "{{0,3},{1,2}}, channel_id=1, use_global_device_ids=true") == Groups{{0, 3}, {1, 2}});
  CHECK(groups(two, exchange + "{{0,1}}, channel_id=1, dimensions={0}") == Groups{{0, 1}, {2, 3}});
  CHECK(groups(two, sum + "{}") == Groups{{0, 2}, {1, 3}});
  CHECK(groups("", sum + "{{2,0},{1,3}}") == Groups{{2, 0}, {1, 3}});
  CHECK_FALSE(groups("", sum + "{}"));
  CHECK_FALSE(groups(", num_partitions=4", sum + "{{0,1},{1,2}}"));            // one device twice
  CHECK_FALSE(groups(", num_partitions=4", sum + "[2,3]<=[4]"));               // 6 of 4
  CHECK_FALSE(groups(", num_partitions=4", sum + "[2,2]<=[2,2]T(1,1)"));       // no order
  CHECK_FALSE(groups(", num_partitions=4", sum + "mesh['x'=2,'y'=2] {'z'}"));  // no axis
  CHECK_FALSE(groups(", num_partitions=4", sum + "mesh['x'=2], device_ids=(0,1,2) {'x'}"));
  CHECK(groups(", num_partitions=8", sum + "mesh['x'=8], device_ids=([4,2]T(1,0)) {'x':(2)4}, channel_id=1, "
                                           "use_global_device_ids=true") == Groups{{0, 2, 4, 6}, {1, 3, 5, 7}});
}

TEST_CASE("the work of large groups grows with the number of devices, not with its square") {
  constexpr i64 kDevices = 60'000;
  std::vector<i64> any(kDevices);
  std::iota(any.begin(), any.end(), i64{0});
  std::shuffle(any.begin(), any.end(), std::mt19937(1));
  std::string pairs;
  for (i64 p = 0; p < kDevices; ++p)
    pairs += (p > 0 ? ",{" : "{") + std::to_string(p) + "," + std::to_string(any[static_cast<std::size_t>(p)]) + "}";
  const std::vector<std::string> ways = {"all-reduce(x), replica_groups=[1,60000]<=[60000], to_apply=add",
                                         "all-reduce(x), replica_groups=[2,30000]<=[60000], to_apply=add",
                                         "all-reduce(x), replica_groups=[200,300]<=[300,200]T(1,0), to_apply=add",
                                         "all-reduce(x), replica_groups={{" + listed(any) + "}}, to_apply=add",
                                         "collective-permute(x), source_target_pairs={" + pairs + "}"};
  for (const std::string& how : ways) {
    INFO(how.substr(0, 80));
    const hlo::Module m = hlo::readModule(
        "HloModule m, num_partitions=60000\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] "
        "add(a, b)\n}\nENTRY e {\n x = f32[2] parameter(0)\n ROOT r = f32[2] " +
        how + ", channel_id=1, use_global_device_ids=true\n}\n");
    REQUIRE(m.problems.empty());
    const Work before = workSpent();
    const auto reads = hlo::readsThrough(m, {m.entry, m.computation(m.entry).root});
    REQUIRE(reads.ok());
    CHECK(reads->at(0).soundness != hlo::Soundness::Unknown);
    CHECK(workSpent() - before < 100 * kDevices);
  }
}

TEST_CASE("of more devices than are listed, any is possible") {
  for (const char* const head : {"num_partitions=100000", "replica_count=300000, num_partitions=4",
                                 "replica_count=9223372036854775807, num_partitions=9223372036854775807"}) {
    INFO(head);
    const hlo::Module m = hlo::readModule(
        "HloModule m, " + std::string(head) +
        "\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\nENTRY e {\n x = "
        "f32[2,8] parameter(0)\n r = f32[2,8] all-reduce(x), replica_groups={}, channel_id=1, "
        "use_global_device_ids=true, to_apply=add\n pid = u32[] partition-id()\n i = s32[] convert(pid)\n z = s32[] "
        "constant(0)\n ROOT s = f32[1,8] dynamic-slice(r, i, z), dynamic_slice_sizes={1,8}\n}\n");
    REQUIRE(m.problems.empty());
    CHECK(m.devices.count >= 100'000);
    const auto reads = hlo::readsThrough(m, {m.entry, 1});
    REQUIRE(reads.ok());
    const hlo::Reach& reach = reads->at(0);
    CHECK(reach.soundness == hlo::Soundness::Over);
    REQUIRE(reach.devices.size() == 1);
    REQUIRE(reach.devices[0]);
    CHECK(reach.devices[0]->digit(reach.devices[0]->fanDigits().back()).extent == m.devices.count);
    const auto slice = hlo::readsOf(m, {m.entry, 5});
    REQUIRE(slice.ok());
    CHECK(slice->at(0).maps.at(0).params().at(0).hi == 1);  // a start of any device
  }
}
