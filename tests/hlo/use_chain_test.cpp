// The destinations of elements: the uses of every operation are the converse of its reads, and those of whole
// computations match an interpreter that traces every element.
#include <catch2/catch.hpp>

#include "core/hlo/compose/fusion.h"
#include "core/hlo/ops/op.h"
#include "core/notation/indexing/map.h"
#include "hlo/followed.h"
#include "hlo/on_devices.h"
#include "hlo/random_module.h"
#include "hlo/support_cases.h"

using namespace tessera;
using namespace tessera::testing;
using hlo::Soundness;

namespace {

using Pairs = std::set<std::pair<Element, Element>>;  // coordinates asked for, elements named

// Numbers of one map's run-time values, where operands (or parameters) hold them; nullopt: something else does.
std::optional<std::vector<i64>> numbersOf(const Map& map, const std::vector<hlo::RuntimeValue>& runtime,
                                          const std::vector<Tensor>& operands, const Element& at) {
  std::vector<i64> numbers;
  for (std::size_t k = 0; k < map.params().size(); ++k) {
    if (k >= runtime.size() || runtime[k].operand < 0 || !runtime[k].index.params().empty()) return std::nullopt;
    const Elements where = elementsAt(runtime[k].index, at);
    const Tensor& holder = operands.at(static_cast<std::size_t>(runtime[k].operand));
    const i64 value = where.size() == 1 ? holder[*where.begin()].number : 0;
    numbers.push_back(std::clamp(value, map.params()[k].lo, map.params()[k].hi));
  }
  return numbers;
}

// If there are several devices, coordinates and elements end with theirs.
std::optional<Pairs> relationOf(const hlo::Reach& reach, const std::vector<i64>& sizes,
                                const std::vector<Tensor>& operands, i64 devices) {
  Pairs pairs;
  bool known = true;
  if (devices > 1 && operands.size() == 1) {
    for (i64 p = 0; p < devices; ++p)
      eachCoordinate(sizes, [&](Element at) {
        const OnDevices read = readOn(reach, at, p);
        at.push_back(p);
        for (auto [device, e] : read) {
          e.push_back(device);
          pairs.insert({at, e});
        }
      });
    return pairs;
  }
  eachCoordinate(sizes, [&](const Element& at) {
    for (std::size_t k = 0; k < reach.maps.size() && known; ++k) {
      const auto numbers = numbersOf(reach.maps[k], reach.runtimeOf(k), operands, at);
      known = known && numbers.has_value();
      if (!numbers) return;
      for (const Element& e : elementsAt(reach.maps[k], at, *numbers)) pairs.insert({at, e});
    }
  });
  return known ? std::optional(pairs) : std::nullopt;
}

Pairs converse(const Pairs& pairs) {
  Pairs back;
  for (const auto& [a, b] : pairs) back.insert({b, a});
  return back;
}

std::string told(const std::vector<hlo::Reach>& reaches) {
  std::string out;
  for (const hlo::Reach& r : reaches) {
    out += std::to_string(r.slot) + ": " + r.why + "\n";
    for (const Map& m : r.maps) out += "  " + indexing::print(indexing::toIndexingMap(m)) + "\n";
  }
  return out;
}

const xla::Shape& shapeOf(const hlo::Module& m, int computation, int instruction) {
  return m.shapeOf(
      m.computations.at(static_cast<std::size_t>(computation)).instructions.at(static_cast<std::size_t>(instruction)));
}

// Both directions of one instruction whose operands are arrays.
void bothWays(const hlo::Module& m, hlo::Where where, u64 seed, int& exact, int& wider) {
  const hlo::Instruction& i = m.computations.at(static_cast<std::size_t>(where.computation))
                                  .instructions.at(static_cast<std::size_t>(where.instruction));
  std::mt19937_64 rng(seed);
  std::vector<Tensor> operands;
  for (const int o : i.operands)
    operands.push_back(
        parameterTensor(static_cast<int>(operands.size()), shapeOf(m, where.computation, o).sizes(), rng));
  const xla::Shape& out = m.shapeOf(i);
  const bool tuple = out.kind() == xla::Shape::Kind::Tuple;
  for (std::size_t o = 0; o < (tuple ? out.elements().size() : 1); ++o) {
    const auto reads = hlo::readsOf(m, where, static_cast<int>(o));
    if (!reads) FAIL(reads.error().message);
    REQUIRE(reads->size() == operands.size());
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const auto uses = hlo::usesOf(m, where, static_cast<int>(k));
      if (!uses) FAIL(uses.error().message);
      INFO("reads\n" << told(*reads) << "uses of operand " << k << "\n" << told(*uses));
      REQUIRE(o < uses->size());
      const hlo::Reach &read = reads->at(k), &use = uses->at(o);
      CHECK((read.slot == static_cast<int>(k) && use.slot == static_cast<int>(o)));
      REQUIRE((read.soundness != Soundness::Unknown && use.soundness != Soundness::Unknown));
      CHECK((read.soundness == Soundness::Exact) == read.why.empty());
      CHECK((use.soundness == Soundness::Exact) == use.why.empty());
      const auto r = relationOf(read, tuple ? out.elements()[o].sizes() : out.sizes(), operands, m.devices.count);
      const auto u = relationOf(use, operands[k].sizes, operands, m.devices.count);
      REQUIRE((r && u));
      const Pairs back = converse(*u);
      if (read.soundness == Soundness::Exact && use.soundness == Soundness::Exact) {
        REQUIRE(back == *r);
        ++exact;
      } else if (read.soundness == Soundness::Exact) {
        REQUIRE(std::includes(back.begin(), back.end(), r->begin(), r->end()));
        ++wider;
      } else {
        REQUIRE(std::includes(r->begin(), r->end(), back.begin(), back.end()));
        ++wider;
      }
    }
  }
}

// Elements of every parameter of the entry, as an interpreter follows them to the root.
void usesAsInterpreted(const std::string& text, u64 seed, int& compared) {
  INFO(text);
  const hlo::Module m = hlo::readModule(text);
  for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
  const std::vector<Tensor> parameters = parametersOf(m, seed);
  const Tensor result = Interpreter(m, parameters).run();
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const auto uses = hlo::usesOfParameter(m, m.entry, static_cast<int>(p));
    if (!uses) FAIL(uses.error().message);
    INFO("parameter " << p << "\n" << told(*uses));
    const hlo::Reach& use = uses->at(0);
    REQUIRE(use.soundness != Soundness::Unknown);
    Pairs theirs;
    eachCoordinate(result.sizes, [&](const Element& at) {
      for (const Element& e : of(result[at], static_cast<int>(p))) theirs.insert({e, at});
    });
    const auto ours = relationOf(use, parameters[p].sizes, parameters, m.devices.count);
    if (!ours) continue;  // a number that the computation makes itself
    compared += static_cast<int>(theirs.size());
    if (use.soundness == Soundness::Over)
      REQUIRE(std::includes(ours->begin(), ours->end(), theirs.begin(), theirs.end()));
    else
      REQUIRE(*ours == theirs);
  }
}

// Instructions of one computation with parameters p (f32), i (indices) and z (a scalar), each on its own.
constexpr const char* kOperations[] = {
    "p0 = f32[3,4] parameter(0)\n ROOT r = u8[3,4,4] bitcast-convert(p0)",
    "p0 = u8[3,4] parameter(0)\n ROOT r = f32[3] bitcast-convert(p0)",
    "p0 = f32[5,4] parameter(0)\n a = s32[] parameter(1)\n b = s32[] parameter(2)\n"
    " ROOT r = f32[3,2] dynamic-slice(p0, a, b), dynamic_slice_sizes={3,2}",
    "p0 = f32[5,4] parameter(0)\n a = s32[2] parameter(1)\n"
    " ROOT r = f32[3,2] dynamic-slice(p0, a), dynamic_slice_sizes={3,2}",
    "p0 = f32[5,4] parameter(0)\n u = f32[2,4] parameter(1)\n a = s32[] parameter(2)\n b = s32[] parameter(3)\n"
    " ROOT r = f32[5,4] dynamic-update-slice(p0, u, a, b)",
    "p0 = f32[5,4,2] parameter(0)\n i = s32[3,2] parameter(1)\n ROOT r = f32[3,2,2] gather(p0, i), offset_dims={1,2}, "
    "collapsed_slice_dims={1}, start_index_map={1,0}, index_vector_dim=1, slice_sizes={2,1,2}",
    "p0 = f32[5,4] parameter(0)\n i = s32[3] parameter(1)\n ROOT r = f32[3,4] gather(p0, i), offset_dims={1}, "
    "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}",
    "p0 = f32[3,5] parameter(0)\n i = s32[3,2,1] parameter(1)\n ROOT r = f32[3,2,2] gather(p0, i), offset_dims={2}, "
    "collapsed_slice_dims={}, operand_batching_dims={0}, start_indices_batching_dims={0}, start_index_map={1}, "
    "index_vector_dim=2, slice_sizes={1,2}",
    "p0 = f32[5,4] parameter(0)\n i = s32[3,1] parameter(1)\n u = f32[3,4] parameter(2)\n"
    " ROOT r = f32[5,4] scatter(p0, i, u), update_window_dims={1}, inserted_window_dims={0}, "
    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
    "p0 = f32[5,4] parameter(0)\n i = s32[2,3] parameter(1)\n u = f32[2,2,3] parameter(2)\n"
    " ROOT r = f32[5,4] scatter(p0, i, u), update_window_dims={0,1}, inserted_window_dims={}, "
    "scatter_dims_to_operand_dims={1,0}, index_vector_dim=0, to_apply=add",
    "p0 = f32[3,5] parameter(0)\n i = s32[3,2,1] parameter(1)\n u = f32[3,2,2] parameter(2)\n"
    " ROOT r = f32[3,5] scatter(p0, i, u), update_window_dims={2}, inserted_window_dims={}, input_batching_dims={0}, "
    "scatter_indices_batching_dims={0}, scatter_dims_to_operand_dims={1}, index_vector_dim=2, to_apply=add",
    "p0 = f32[6,5] parameter(0)\n s = f32[3,2] parameter(1)\n z = f32[] parameter(2)\n"
    " ROOT r = f32[6,5] select-and-scatter(p0, s, z), window={size=2x3 stride=2x2}, select=ge, scatter=add",
    "p0 = f32[6] parameter(0)\n s = f32[6] parameter(1)\n z = f32[] parameter(2)\n"
    " ROOT r = f32[6] select-and-scatter(p0, s, z), window={size=3 stride=1 pad=1_1}, select=ge, scatter=add",
    "p0 = f32[3,4] parameter(0)\n p1 = s32[3,4] parameter(1)\n"
    " ROOT r = (f32[3,4], s32[3,4]) sort(p0, p1), dimensions={1}, to_apply=add",
    "p0 = f32[3,4] parameter(0)\n ROOT r = (f32[3,2], s32[3,2]) topk(p0), k=2, largest=true",
    "p0 = f32[3,2,4] parameter(0)\n ROOT r = c64[3,2,3] fft(p0), fft_type=RFFT, fft_length={4}",
    "p0 = c64[3,2,4] parameter(0)\n ROOT r = c64[3,2,4] fft(p0), fft_type=FFT, fft_length={2,4}",
    "p0 = f32[2,3,3] parameter(0)\n ROOT r = f32[2,3,3] cholesky(p0), lower=true",
    "p0 = f32[2,3,3] parameter(0)\n b = f32[2,3,4] parameter(1)\n"
    " ROOT r = f32[2,3,4] triangular-solve(p0, b), left_side=true, lower=true",
    "p0 = f32[2,3,3] parameter(0)\n b = f32[2,4,3] parameter(1)\n"
    " ROOT r = f32[2,4,3] triangular-solve(p0, b), left_side=false, lower=true",
    "a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[4] rng(a, b), distribution=rng_uniform",
    "a = u64[2] parameter(0)\n ROOT r = (u64[2], u32[5]) rng-bit-generator(a), algorithm=rng_three_fry",
    "p0 = f32[2,3,4] parameter(0)\n s = f32[3] parameter(1)\n o = f32[3] parameter(2)\n"
    " ROOT r = (f32[2,3,4], f32[3], f32[3]) batch-norm-training(p0, s, o), epsilon=0.001, feature_index=1",
    "p0 = f32[2,3] parameter(0)\n s = f32[3] parameter(1)\n o = f32[3] parameter(2)\n a = f32[3] parameter(3)\n"
    " v = f32[3] parameter(4)\n ROOT r = f32[2,3] batch-norm-inference(p0, s, o, a, v), epsilon=0.001, feature_index=1",
    "p0 = f32[2,3] parameter(0)\n s = f32[3] parameter(1)\n a = f32[3] parameter(2)\n v = f32[3] parameter(3)\n"
    " g = f32[2,3] parameter(4)\n ROOT r = (f32[2,3], f32[3], f32[3]) batch-norm-grad(p0, s, a, v, g), epsilon=0.001, "
    "feature_index=1",
    "p0 = f32[2,4] parameter(0)\n p1 = f32[4,3] parameter(1)\n s = f32[2,2] parameter(2)\n t = f32[2,3] parameter(3)\n"
    " ROOT r = f32[2,3] scaled-dot(p0, p1, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "p0 = f32[6,4] parameter(0)\n p1 = f32[2,4,3] parameter(1)\n s = s32[2] parameter(2)\n"
    " ROOT r = f32[6,3] ragged-dot(p0, p1, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
    "lhs_ragged_dims={0}, "
    "rhs_group_dims={0}",
    "p0 = f32[6,4] parameter(0)\n p1 = f32[4,3] parameter(1)\n s = s32[2] parameter(2)\n"
    " ROOT r = f32[2,6,3] ragged-dot(p0, p1, s), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "lhs_ragged_dims={1}, rhs_group_dims={}",
    "p0 = f32[6] parameter(0)\n a = s32[] parameter(1)\n b = s32[] parameter(2)\n"
    " ROOT r = f32[2,3] dynamic-reshape(p0, a, b)",
    "p0 = f32[6] parameter(0)\n a = s32[] parameter(1)\n ROOT r = f32[<=6] set-dimension-size(p0, a), dimensions={0}",
    "p0 = f32[4,3] parameter(0)\n c = f32[] parameter(1)\n ROOT r = (f32[4,3], f32[]) scan(p0, c), to_apply=add",
    "p0 = f32[4,3] parameter(0)\n p1 = f32[2] parameter(1)\n"
    " ROOT r = (f32[4,3], f32[2]) opt-barrier(p0, p1)",
    "p0 = f32[2,6] parameter(0)\n ROOT r = f32[2,12] all-gather(p0), dimensions={1}, replica_groups={{0,1}}",
    "p0 = f32[2,6] parameter(0)\n ROOT r = f32[2,2] reduce-scatter(p0), dimensions={1}, replica_groups={{0,1,2}}, "
    "to_apply=add",
    "p0 = f32[2,6] parameter(0)\n ROOT r = f32[2,6] all-to-all(p0), dimensions={1}, replica_groups=[2,3]<=[6]",
    "p0 = f32[4] parameter(0)\n p1 = f32[4] parameter(1)\n"
    " ROOT r = (f32[4], f32[4]) all-to-all(p0, p1), replica_groups={{0,1}}",
    "p0 = f32[4] parameter(0)\n ROOT r = f32[4] all-reduce(p0), replica_groups={{0,1}}, to_apply=add",
    "p0 = f32[4] parameter(0)\n ROOT r = f32[4] collective-permute(p0), source_target_pairs={{0,1},{1,0}}",
};

}  // namespace

TEST_CASE("an operation's uses are its reads turned round") {
  int exact = 0, wider = 0;
  for (const char* body : kOperations) {
    INFO(body);
    const hlo::Module m = hlo::readModule(entryOf(body));
    for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
    for (u64 seed = 1; seed <= 6; ++seed)
      bothWays(m, {m.entry, m.computations.at(static_cast<std::size_t>(m.entry)).root}, seed, exact, wider);
  }
  CHECK(exact > 200);
  CHECK(wider > 100);
}

TEST_CASE("so are those of random operations") {
  int exact = 0, wider = 0;
  for (u64 seed = 1; seed <= 400; ++seed) {
    const std::string text = RandomComputation(seed + 20'000).text(1, false);
    INFO(text);
    const hlo::Module m = hlo::readModule(text);
    for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
    const hlo::Computation& c = m.computations.at(static_cast<std::size_t>(m.entry));
    for (std::size_t i = 0; i < c.instructions.size(); ++i)
      if (!c.instructions[i].operands.empty()) bothWays(m, {m.entry, static_cast<int>(i)}, seed, exact, wider);
  }
  CHECK(exact > 700);
  CHECK(wider > 20);
}

TEST_CASE("elements of a computation's parameters go where an interpreter finds them") {
  int compared = 0;
  for (u64 seed = 1; seed <= 300; ++seed)
    usesAsInterpreted(RandomComputation(seed + 30'000).text(1 + static_cast<int>(seed % 4), false), seed, compared);
  CHECK(compared > 4000);
  // The same after fusions.
  for (u64 seed = 1; seed <= 60; ++seed)
    usesAsInterpreted(RandomComputation(seed + 40'000).text(3, true), seed, compared);
  // Interpreted without the collectives and what only shapes are checked of.
  for (const char* body : kOperations) {
    const std::string text = body;
    const std::string root = text.substr(text.find("ROOT"));
    bool interpreted = root.find("(f32") == std::string::npos;  // no tuples
    for (const char* op : {"cholesky", "triangular", "rng", "batch", "scaled", "all-", "reduce-scatter", "permute",
                           "batching", "ragged", "dynamic-reshape"})
      interpreted = interpreted && root.find(op) == std::string::npos;
    if (interpreted)
      for (u64 seed = 1; seed <= 6; ++seed) usesAsInterpreted(entryOf(text), seed, compared);
  }
}

TEST_CASE("a number of the run for each of many elements is any number, never one") {
  // Each row of the sum is gathered by an index of its own: five rows are read, not one.
  const std::string text = entryOf(
      "p = f32[9,4] parameter(0)\n i = s32[5,1] parameter(1)\n z = f32[] constant(0)\n g = f32[5,4] gather(p, i), "
      "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}\n"
      " ROOT r = f32[4] reduce(g, z), dimensions={0}, to_apply=add");
  const hlo::Module m = hlo::readModule(text);
  const auto reached = hlo::reachedIn(m, m.entry, 0);
  REQUIRE(reached.ok());
  bool found = false;
  for (const hlo::Reached& r : *reached) {
    if (r.instruction != 0) continue;
    found = true;
    CHECK(r.soundness == Soundness::Over);
    CHECK(r.why == "g: a run-time index per element; any value is possible");
    REQUIRE(r.maps.size() == 1);
    CHECK(r.maps[0].runtime.empty());
    CHECK(indexing::print(indexing::toIndexingMap(r.maps[0].map)) ==
          "(d0)[s0] -> (s0, d0), domain: d0 in [0, 3], s0 in [0, 8]");
  }
  CHECK(found);
  int compared = 0;
  for (u64 seed = 1; seed <= 5; ++seed) usesAsInterpreted(text, seed, compared);
  CHECK(compared > 0);
}

TEST_CASE("from an instruction of a fusion to its root: the epilogues of the cases") {
  const auto cases = supportCases("epilogue_map");
  CHECK(cases.size() == 2);
  for (const auto& c : cases) {
    INFO(c["id"]);
    const hlo::Module m = hlo::readModule(c["hlo"].get<std::string>());
    std::string text = c["expected_map"], domain;
    for (const auto& d : c["domain"]) domain += (domain.empty() ? ", domain: " : ", ") + d.get<std::string>();
    const auto expected = indexing::parse(text + domain);
    REQUIRE(expected.ok());
    const int f = 0;  // the fused computation is first
    const hlo::Computation& body = m.computations.at(f);
    const auto named = [&](const std::string& name) {
      for (std::size_t i = 0; i < body.instructions.size(); ++i)
        if (body.instructions[i].name == name) return static_cast<int>(i);
      return -1;
    };
    const auto uses = hlo::usesFrom(m, {f, named(c["from"])});
    REQUIRE(uses.ok());
    bool found = false;
    for (const hlo::Reached& r : *uses) {
      if (r.instruction != named(c["to"])) continue;
      found = true;
      CHECK(r.soundness == Soundness::Exact);
      REQUIRE(r.maps.size() == 1);
      std::mt19937_64 rng(3);
      for (int n = 0; n < 200; ++n) {
        Element at;
        for (int k = 0; k < 2; ++k) at.push_back(static_cast<i64>(rng() % 1000));
        CHECK(elementsAt(r.maps[0].map, at) == elementsAt(expected->map, at));
      }
    }
    CHECK(found);
  }
}

// Where XLA's analysis has no rule, ours has one or says so; an operand without a rule is never one of which nothing is
// read.
TEST_CASE("operations that XLA's analysis leaves out") {
  std::set<std::string> without;
  const auto cases = supportCases("op_support");
  CHECK(cases.size() == 19);
  for (const auto& c : cases) {
    const std::string op = c["op"];
    const bool reads = c["direction"] == "output_to_input";
    const hlo::RuleRow* const row = hlo::ruleOf(op);
    if (row == nullptr || (reads ? row->reads : row->uses) == nullptr)
      without.insert((reads ? "reads of " : "uses of ") + op);
  }
  CHECK(without == std::set<std::string>{"reads of while", "uses of iota"});  // while: in core/hlo/compose
  const hlo::Module m =
      hlo::readModule(entryOf("p0 = f32[4] parameter(0)\n ROOT r = f32[4] custom-call(p0), custom_call_target=\"x\""));
  const auto reads = hlo::readsOf(m, {m.entry, 1});
  REQUIRE(reads.ok());
  CHECK(reads->at(0).soundness == Soundness::Unknown);
  const auto uses = hlo::usesThrough(m, {m.entry, 1}, 0);
  REQUIRE(uses.ok());
  CHECK(uses->at(0).soundness == Soundness::Unknown);
}

TEST_CASE("operations of two halves read and give what the whole one does") {
  const std::pair<const char*, const char*> pairs[] = {
      {"s = (f32[2,6], f32[2,12]) all-gather-start(p0), dimensions={1}, replica_groups={{0,1}}\n ROOT r = f32[2,12] "
       "all-gather-done(s)",
       "ROOT r = f32[2,12] all-gather(p0), dimensions={1}, replica_groups={{0,1}}"},
      {"s = f32[2,6] all-reduce-start(p0), replica_groups={{0,1}}, to_apply=add\n ROOT r = f32[2,6] all-reduce-done(s)",
       "ROOT r = f32[2,6] all-reduce(p0), replica_groups={{0,1}}, to_apply=add"},
      {"s = (f32[2,6], f32[2,6], u32[], u32[]) collective-permute-start(p0), source_target_pairs={{0,1},{1,0}}\n ROOT "
       "r = "
       "f32[2,6] collective-permute-done(s)",
       "ROOT r = f32[2,6] collective-permute(p0), source_target_pairs={{0,1},{1,0}}"},
      {"s = (f32[2,6], f32[2,6], u32[]) copy-start(p0)\n ROOT r = f32[2,6] copy-done(s)", "ROOT r = f32[2,6] copy(p0)"},
  };
  for (const auto& [halves, whole] : pairs) {
    INFO(halves);
    std::vector<hlo::Reach> reads, uses;
    for (const char* body : {halves, whole}) {
      const hlo::Module m = hlo::readModule(entryOf("p0 = f32[2,6] parameter(0)\n " + std::string(body)));
      for (const hlo::Problem& p : m.problems) FAIL(p.diag.message);
      const hlo::Computation& c = m.computations.at(static_cast<std::size_t>(m.entry));
      const auto reached = hlo::reachedIn(m, m.entry, 0);
      if (!reached) FAIL(reached.error().message);
      for (const hlo::Reached& r : *reached)
        if (r.instruction == 0) reads.push_back(hlo::asReach(r, c, "e"));
      const auto used = hlo::usesOfParameter(m, m.entry, 0);
      if (!used) FAIL(used.error().message);
      uses.push_back(used->at(0));
    }
    for (const auto* both : {&reads, &uses}) {
      REQUIRE(both->size() == 2);
      const hlo::Reach &a = both->front(), &b = both->back();
      CHECK(a.soundness != Soundness::Unknown);
      CHECK(a.soundness == b.soundness);
      CHECK(a.maps == b.maps);
      CHECK(a.devices == b.devices);
    }
  }
  // The other outputs: the operand itself, and numbers of the device that depend on nothing.
  const hlo::Module m =
      hlo::readModule(entryOf("p0 = f32[4] parameter(0)\n ROOT s = (f32[4], f32[4], u32[]) copy-start(p0)"));
  CHECK(hlo::readsOf(m, {m.entry, 1}, 1)->at(0).maps.size() == 1);
  CHECK(hlo::readsOf(m, {m.entry, 1}, 2)->at(0).maps.empty());
  const hlo::Module wrong = hlo::readModule(
      entryOf("p0 = f32[4] parameter(0)\n s = (f32[4], f32[4], u32[]) copy-start(p0)\n ROOT r = f32[5] copy-done(s)"));
  CHECK_FALSE(hlo::readsOf(wrong, {wrong.entry, 2}).ok());
}
