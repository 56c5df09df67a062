// No damaged HLO module and no table of custom calls may crash a report or take it more than its share of work: reads and
// uses through loops, the ranking, `why`, `--against`, `--wire`, `--roofline` and `--custom-calls`. The texts are dumps
// with what backends write into them: known trip counts, tiles of Triton, groups, custom calls.
// TESSERA_FUZZ_ROUNDS and TESSERA_FUZZ_SEED override the number of texts and the seed.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/cost/compare.h"
#include "core/hlo/cost/why.h"
#include "core/hlo/cost/wire.h"
#include "core/hlo/ops/custom_calls.h"
#include "hlo/dumps.h"
#include "solver/measure/predict/devices.h"
#include "solver/measure/predict/kernel_roofline.h"

using namespace tessera;

namespace {

namespace files = std::filesystem;

// Shapes that jax's dumps on the CPU do not have.
const char* const kBackends = R"(HloModule backends, replica_count=4
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
soft {
  t = f32[64,128] parameter(0)
  z = f32[] constant(0)
  rs = f32[64] reduce(t, z), dimensions={1}, to_apply=add
  rb = f32[64,128] broadcast(rs), dimensions={0}
  ROOT dv = f32[64,128] divide(t, rb)
}
body {
  s = (s32[], f32[64,128]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x = f32[64,128] get-tuple-element(s), index=1
  p = f32[64,128] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
  z = s32[] constant(0)
  row = f32[1,128] dynamic-slice(x, i, z), dynamic_slice_sizes={1,128}
  u = f32[64,128] dynamic-update-slice(p, row, i, z)
  ROOT t = (s32[], f32[64,128]) tuple(j, u)
}
cond {
  s = (s32[], f32[64,128]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(8)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[64,128]{1,0} parameter(0)
  f = f32[64,128]{1,0} fusion(x), kind=kCustom, calls=soft, backend_config={"fusion_backend_config":{"kind":"__triton","block_level_fusion_config":{"output_tiles":[{"sizes":["1","128"]}],"num_warps":"4"}}}
  z = s32[] constant(0)
  init = (s32[], f32[64,128]{1,0}) tuple(z, f)
  w = (s32[], f32[64,128]{1,0}) while(init), condition=cond, body=body, backend_config={"known_trip_count":{"n":"8"},"known_induction_variable":{"tuple_index":"0"}}
  l = f32[64,128]{1,0} get-tuple-element(w), index=1
  g = (f32[64,64]{1,0}, s8[64]{0}) custom-call(l, x), custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":{"alpha_real":1,"beta":0,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["1"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]}}}
  h = f32[64,64]{1,0} get-tuple-element(g), index=0
  m = f32[64,64]{1,0} custom-call(h), custom_call_target="my_norm"
  a = f32[64,64]{0,1} all-reduce(m), replica_groups={{0,1},{2,3}}, to_apply=add
  ROOT r = f32[256,64]{1,0} all-gather(a), replica_groups=[1,4]<=[4], dimensions={0}
}
)";

const char* const kTable = R"(# target   output operand   what
my_norm    0      0         (d0, d1)[s0] -> (d0, s0)
my_norm    0      *         at most (d0, d1)[s0] -> (d0 + s0 - 1, d1), domain: s0 in [0, 2]
__cublas*  *      0         same
my_norm    1      *         all
)";

std::vector<std::string> seedModules() {
  const std::vector<files::path> found = testing::hloDumps(8000);
  std::vector<std::string> texts(found.size() / 2 + 1, kBackends);  // a third of the draws
  for (const files::path& path : found) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

const std::vector<std::string> kPieces = {"{",
                                          "}",
                                          "(",
                                          ")",
                                          "[",
                                          "]",
                                          "\"",
                                          "\\\"",
                                          ",",
                                          "=",
                                          ":",
                                          "*",
                                          "\n",
                                          "0",
                                          "-1",
                                          "1",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "1000000007",
                                          "99999999999999999999999",
                                          "1e309",
                                          "\xff",
                                          std::string(1, '\0'),
                                          "{\"known_trip_count\":{\"n\":\"1000000000000\"}}",
                                          "{\"known_trip_count\":{\"n\":\"-5\"}}",
                                          "{\"known_trip_count\":",
                                          "[[[[[[[[",
                                          "{{{{{{{{",
                                          "\"sizes\":[\"0\",\"-3\"]",
                                          "\"sizes\":[]",
                                          "replica_groups=[0,4]<=[4]",
                                          "replica_groups={{}}",
                                          "source_target_pairs={{0,9223372036854775807}}",
                                          "source_target_pairs={{-7,0}}",
                                          "(d0)[s0] -> (d0 mod s0)",
                                          "(d0) -> (d0 floordiv 0)",
                                          "at most ",
                                          "domain: s0 in [5, 2]",
                                          "dimensions={7}",
                                          "f32[1048576,1048576]",
                                          "f32[<=4]",
                                          "f32[0]",
                                          "s4[3]{0:E(4)}"};

// A few edits: a piece put in, numbers replaced, bytes lost or changed, a line twice, the end lost.
std::string damaged(std::string text, std::mt19937_64& rng) {
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(rng() % n); };
  for (std::size_t edits = 1 + pick(4); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = pick(text.size());
    const std::size_t digit = text.find_first_of("0123456789", at);
    const std::size_t line = text.find('\n', at), next = line == std::string::npos ? line : text.find('\n', line + 1);
    switch (pick(8)) {
      case 0:
      case 1:
        text.insert(at, kPieces[pick(kPieces.size())]);
        break;
      case 2:
      case 3:  // a number
        if (digit != std::string::npos)
          text.replace(digit, text.find_first_not_of("0123456789", digit) - digit, kPieces[13 + pick(8)]);
        break;
      case 4:
        text.erase(at, 1 + pick(12));
        break;
      case 5:
        text[at] = static_cast<char>(pick(256));
        break;
      case 6:  // a line elsewhere
        if (next != std::string::npos) text.insert(pick(text.size()), text.substr(line, next - line));
        break;
      default:
        if (pick(8) == 0) text.resize(at);
        break;
    }
  }
  return text;
}

constexpr double kSecondsEach = 0.05;  // of work, as --budget gives each kernel

// Everything that the command line prints about a module.
void report(const hlo::Module& module, const hlo::Module& earlier, const hlo::Ranking& rankedEarlier) {
  const hlo::Ranking ranking = hlo::rankingOf(module, kSecondsEach);
  for (const hlo::KernelWaste& kernel : ranking.kernels) {
    CHECK(kernel.wasted() >= 0);
    CHECK(kernel.wastedInAll() >= 0);
    CHECK(!hlo::textOf(kernel).empty());
    const WorkBudget limit({.seconds = kSecondsEach});
    try {
      const auto why = hlo::whyOf(module, kernel.where);
      if (why)
        for (const std::string& sentence : hlo::sentencesOf(module, *why)) CHECK(!sentence.empty());
      else
        CHECK(!why.error().message.empty());
    } catch (const OutOfBudget& end) {
      CHECK(end.counted());
    }
  }
  const hlo::Wire wire = hlo::wireOf(module);
  for (const hlo::WireUse& use : wire.uses) CHECK(use.inAll() >= 0);
  for (const auto& all : {hlo::changesOf(earlier, rankedEarlier, module, ranking),
                          hlo::changesOf(module, ranking, earlier, rankedEarlier)}) {
    std::size_t before = 0, after = 0;
    for (const hlo::KernelChange& change : all) {
      before += change.before.has_value();
      after += change.after.has_value();
    }
    CHECK(before + after == ranking.kernels.size() + rankedEarlier.kernels.size());
  }
  const auto device = measure::deviceNamed("h100");
  REQUIRE(device.ok());
  for (const measure::KernelRoofline& k : measure::rooflinesOf(module, ranking, *device)) CHECK(k.microseconds() >= 0);
}

// Reads and uses of every instruction, through loops and calls.
void follow(const hlo::Module& module) {
  for (std::size_t c = 0; c < module.computations.size(); ++c)
    for (std::size_t i = 0; i < module.computations[c].instructions.size(); ++i) {
      const hlo::Where where{static_cast<int>(c), static_cast<int>(i)};
      const WorkBudget limit({.seconds = kSecondsEach});
      try {
        const auto reads = hlo::readsThrough(module, where);
        if (!reads) CHECK(!reads.error().message.empty());
        for (std::size_t k = 0; k < module.at(where).operands.size(); ++k)
          (void)hlo::usesThrough(module, where, static_cast<int>(k));
      } catch (const OutOfBudget& end) {
        CHECK(end.counted());
      }
    }
}

int setting(const char* name, int fallback) {
  const char* set = std::getenv(name);
  return set != nullptr ? std::atoi(set) : fallback;
}

}  // namespace

TEST_CASE("reports on damaged modules never crash, and their work is bounded") {
  const int rounds = setting("TESSERA_FUZZ_ROUNDS", 150);
  const auto seed = static_cast<u64>(setting("TESSERA_FUZZ_SEED", 20261130));
  std::mt19937_64 rng(seed);
  const std::vector<std::string> seeds = seedModules();
  const hlo::Module whole = hlo::readModule(kBackends);
  REQUIRE(whole.problems.empty());
  const hlo::Ranking ranked = hlo::rankingOf(whole, kSecondsEach);
  REQUIRE(ranked.kernels.size() > 5);
  for (int done = 0; done < rounds; ++done) {
    const std::string text = damaged(seeds[rng() % seeds.size()], rng);
    const std::string table = done % 3 == 0 ? kTable : damaged(kTable, rng);
    INFO("seed " << seed << " round " << done << "\n" << table << "\n" << text);
    const Work before = workSpent();
    const hlo::Module module = hlo::readModule(text);
    auto calls = hlo::CustomCalls::parse(table);
    if (!calls) {
      CHECK(!calls.error().message.empty());
      CHECK(calls.error().span.end <= table.size());
    }
    report(module, whole, ranked);
    follow(calls ? hlo::withCustomCalls(hlo::readModule(text), *std::move(calls)) : module);
    std::size_t instructions = 0;
    for (const hlo::Computation& c : module.computations) instructions += c.instructions.size();
    // Three reports have a budget for each instruction; the rest is linear in the text.
    CHECK(workSpent() - before < workOf(4 * kSecondsEach * static_cast<double>(instructions + 10)));
  }
}
