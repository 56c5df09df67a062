// Proofs for every size of programs with mbarriers, TMA and wgmma (solver/graphene/sizes/step_order.h), against runs.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "core/graphene/with_sizes.h"
#include "sized_programs.h"
#include "tests/support/volume.h"

using namespace tessera;
using namespace tessera::graphene;
using tessera::verdicts::changed;
using tessera::verdicts::told;

namespace {

const CheckOptions kHow = {.architecture = "sm_90a", .budgetSeconds = 60};

// Sums of columns: one thread copies rows through stages, others add them up. Lines of the text that a test may change
// have the names of fields.
struct Pipe {
  int stages = 3, takers = 32;
  bool late = false;                            // the stage of the step before is given back
  int relays = 0;                               // stages of the takers' own, to which a warp between copies; 0: none
  std::string full = "k/S", empty = "k/S - 1";  // phases that are waited for
  std::string from = "k%S", to = "k%S";         // stages of the data
  std::string waitFull = "k%S", waitEmpty = "k%S", arriveFull = "k%S";
  std::string arrive = {}, expect = {}, take = {};  // conditions, empty: always
  std::string takeEnd = "K", copyEnd = "K", row = "k";
  int fullCount = 1, emptyCount = 0;           // 0: of all takers
  std::string order = "wait read arrive add";  // of a taker's step
  std::string prologue = {};                   // before the loops

  [[nodiscard]] std::string text() const {
    const auto stage = [&](const std::string& e) {
      std::string out = e;
      for (std::size_t at = 0; (at = out.find('S', at)) != std::string::npos;)
        out.replace(at, 1, std::to_string(stages));
      return out;
    };
    const auto under = [](const std::string& condition, const std::string& line) {
      return condition.empty() ? "      " + line + "\n" : "      if (" + condition + ") { " + line + " }\n";
    };
    std::string step;
    std::istringstream words(order);
    for (std::string word; words >> word;) {
      if (word == "wait") step += fmt::format("      mbarrier.wait %f, ({})\n", stage(full));
      if (word == "read") step += under(take, "%r <- Move(%from)");
      if (word == "arrive")
        step += late ? fmt::format("      if (k > 0) {{ %p = %empty[(k + {})%{}]  mbarrier.arrive %p }}\n", stages - 1,
                                   stages)
                     : under(arrive, "mbarrier.arrive %e");
      if (word == "add")
        step += fmt::format(
            "      for (e = 0; e < {}; e += 1) {{ %a = %acc[e]  %b = %r[e]  %a <- BinaryPointwise<+>(%a,%b) }}\n",
            64 / takers);
    }
    const int size = 64 / takers;
    std::string own, init, relay;
    std::string source =
        fmt::format("      %f = %full[{}]  %e = %empty[k%{}]\n      %from = %s.tile([1:1],[{}:1])[{},@t]\n",
                    stage(waitFull), stages, size, stage(from));
    if (relays > 0) {
      own = fmt::format("  %u:[{0},64:64,1].fp32.SH  %full2:[{0}].mbarrier.SH  %empty2:[{0}].mbarrier.SH\n", relays);
      init = fmt::format(
          "    for (st = 0; st < {}; st += 1) {{ %f = %full2[st]  %e = %empty2[st]  mbarrier.init %f, 32  "
          "mbarrier.init "
          "%e, {} }}\n",
          relays, takers);
      relay = fmt::format(
          R"(    if (@t > {takers} + 31) {{
      for (k = 0; k < K; k += 1) {{
        %f = %full[{wait}]  %e = %empty[k%{S}]  %f2 = %full2[k%{U}]  %e2 = %empty2[k%{U}]
        mbarrier.wait %f, ({full})
        mbarrier.wait %e2, (k/{U} - 1)
        %from = %s.tile([1:1],[2:1])[{from},@t - {takers} - 32]  %into = %u.tile([1:1],[2:1])[k%{U},@t - {takers} - 32]
        %r:[2].fp32.RF  %r <- Move(%from)  %into <- Move(%r)
        mbarrier.arrive %e  mbarrier.arrive %f2
      }}
    }}
)",
          fmt::arg("takers", takers), fmt::arg("wait", stage(waitFull)), fmt::arg("S", stages), fmt::arg("U", relays),
          fmt::arg("full", stage(full)), fmt::arg("from", stage(from)));
      source =
          fmt::format("      %f = %full2[k%{0}]  %e = %empty2[k%{0}]\n      %from = %u.tile([1:1],[{1}:1])[k%{0},@t]\n",
                      relays, size);
      if (const std::size_t at = step.find("wait %f"); at != std::string::npos)
        step.replace(at, step.find('\n', at) - at, fmt::format("wait %f, (k/{})", relays));
    }
    return fmt::format(
        R"(%x:[K,64:64,1].fp32.GL  %y:[64].fp32.GL
#grid:[1].block  #cta:[{all}].thread
%y <- Spec<sum><<<#grid,#cta>>>(%x) means {{
  %y[t] = sum(k < K) %x[k,t]
}} {{
  %s:[{S},64:64,1].fp32.SH
  %full:[{S}].mbarrier.SH  %empty:[{S}].mbarrier.SH
{own}  @t = #cta.indices()
  #one = #cta.scalar()
  if (@t == 0) {{
    for (st = 0; st < {S}; st += 1) {{
      %f = %full[st]  %e = %empty[st]
      mbarrier.init %f, {fullCount}
      mbarrier.init %e, {emptyCount}
    }}
{init}    fence.async
  }}
  sync
{prologue}  if (@t < {takers}) {{
    %acc:[{each}].fp32.RF  %r:[{each}].fp32.RF
    %acc <- Init<0>()
    for (k = 0; k < {takeEnd}; k += 1) {{
{source}{step}    }}
    %out = %y.tile([{each}:1])[@t]
    %out <- Move(%acc)
  }} else {{
{relay}    if (@t == {takers}) {{
      for (k = 0; k < {copyEnd}; k += 1) {{
        %f = %full[{arriveFull}]  %e = %empty[{waitEmpty}]
        mbarrier.wait %e, ({empty})
        %g = %x.tile([1:1],[64:1])[{row},0]  %box = %s.tile([1:1],[64:1])[{to},0]
  {expect}        %box <- Move<bulk %f><<<#grid,#one>>>(%g)
      }}
    }}
  }}
}}
)",
        fmt::arg("all", takers + (relays > 0 ? 64 : 32)), fmt::arg("own", own), fmt::arg("init", init),
        fmt::arg("relay", relay), fmt::arg("source", source), fmt::arg("S", stages), fmt::arg("fullCount", fullCount),
        fmt::arg("emptyCount", emptyCount == 0 ? (relays > 0 ? 32 : takers) : emptyCount),
        fmt::arg("prologue", prologue), fmt::arg("takers", takers), fmt::arg("each", 64 / takers),
        fmt::arg("takeEnd", takeEnd), fmt::arg("step", step), fmt::arg("copyEnd", copyEnd),
        fmt::arg("arriveFull", stage(arriveFull)), fmt::arg("waitEmpty", stage(waitEmpty)),
        fmt::arg("empty", stage(empty)), fmt::arg("row", row), fmt::arg("to", stage(to)),
        fmt::arg("expect", under(expect, "mbarrier.expect %f, %box")));
  }
};

CheckResult checked(const std::string& text, const Sizes& sizes = {}) {
  CheckOptions how = kHow;
  if (!sizes.empty()) how.method = CheckMethod::Running;
  const auto program = readSized(text, sizes);
  INFO(text << (program ? "" : program.error().message));
  REQUIRE(program.ok());
  return checkProgram(*program, how);
}
bool isRefuted(const CheckResult& r) {
  for (const SpecVerdict& s : r.specs)
    for (const ObligationVerdict& o : s.obligations)
      if (o.standing == Standing::Refuted) return true;
  return false;
}
// "with K = 3" of a refutation; 0: of none.
i64 sizeIn(const CheckResult& r) {
  for (const SpecVerdict& s : r.specs)
    for (const ObligationVerdict& o : s.obligations)
      if (const std::size_t at = o.reason.find("K = "); o.standing == Standing::Refuted && at != std::string::npos)
        return std::stoll(o.reason.substr(at + 4));
  return 0;
}

std::string hopper(const std::string& name) {
  std::ifstream in(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene/hopper" / (name + ".graphene"));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("stages between warps are proved for every number of steps") {
  const Pipe pipes[] = {{},
                        {.stages = 1},
                        {.stages = 2, .takers = 64},
                        {.stages = 4, .late = true},
                        {.stages = 5, .takers = 64, .late = true},
                        {.stages = 2, .relays = 1},
                        {.takers = 64, .relays = 2}};
  for (const Pipe& pipe : pipes) {
    const CheckResult r = checked(pipe.text());
    INFO(pipe.text() << told(r));
    CHECK(r.holds());
    CHECK(r.specs[0].obligations.back().method == "induction");
    CHECK(r.specs[0].obligations.back().reason.find("for every K: ") == 0);
  }
}

TEST_CASE("a mistake in the phases, counts and stages is refuted where it shows, and never proved") {
  const std::pair<const char*, Pipe> rows[] = {
      {"the phase before", {.full = "k/S - 1"}},
      {"the phase after", {.full = "k/S + 1"}},
      {"one phase for all", {.full = "0"}},
      {"copies wait for this phase", {.empty = "k/S"}},
      {"copies wait for the phase before", {.empty = "k/S - 2"}},
      {"the next stage is read", {.from = "(k + 1)%S"}},
      {"the next stage is written", {.to = "(k + 1)%S"}},
      {"the next stage is waited for", {.waitFull = "(k + 1)%S"}},
      {"a row less is added", {.takeEnd = "K - 1"}},
      {"a row less is copied", {.copyEnd = "K - 1"}},
      {"two arrivals are expected", {.fullCount = 2}},
      {"one taker is not waited for", {.emptyCount = 31}},
      {"the last step is not given back", {.arrive = "k + 1 < K"}},  // right: nothing waits for it
      {"step 9 is not given back", {.arrive = "k != 9"}},
      {"steps from 9 are not given back", {.arrive = "k < 9"}},
      {"step 20 is not read", {.take = "k != 20"}},
      {"bytes of step 7 are not expected", {.expect = "k != 7"}},
      {"given back before it is read", {.order = "wait arrive read add"}},
      {"read before the wait", {.order = "read wait arrive add"}},
      {"not waited for", {.order = "read arrive add"}},
      {"never given back", {.order = "wait read add"}},
      {"the row before", {.row = "max(k - 1,0)"}},
      {"the first rows again from 12", {.row = "min(k,12)"}},
      {"other stages from step 8", {.to = "min(k,8)%S"}},
  };
  for (const auto& [name, pipe] : rows) {
    const std::string text = pipe.text();
    const CheckResult r = checked(text);
    INFO(name << "\n" << text << told(r));
    const bool right = std::string(name) == "the last step is not given back";
    CHECK((right || !r.holds()));
    bool holds = true;
    for (i64 k = 1; k <= 26; ++k) holds = holds && checked(text, {{"K", k}}).holds();
    CHECK(holds == right);
    if (isRefuted(r)) CHECK_FALSE(checked(text, {{"K", std::max<i64>(sizeIn(r), 1)}}).holds());
  }
}

TEST_CASE("Hopper's products are proved for every size, and with one thing changed they are not") {
  const std::string tma = hopper("gemm_wgmma_sizes");
  // The tiles that are copied before the loop, and those that follow, end at K.
  const auto sized = [](const std::string& name, int tile, int columns, const std::string& grid, int steps) {
    const auto edit = [](const char* form, int a, int b = 0) { return fmt::format(fmt::runtime(form), a, b); };
    const std::pair<std::string, std::string> edits[] = {
        {"%A:[1024,1024:1024,1]", edit("%A:[128*M,{0}*K:{0}*K,1]", tile)},
        {"%B:[1024,1024:1,1024]", edit("%B:[{0}*K,{1}*N:1,{0}*K]", tile, columns)},
        {"%C:[1024,1024:1024,1]", edit("%C:[128*M,{0}*N:{0}*N,1]", columns)},
        {grid, "#grid:[M,N:N,1]"},
        {"st < 2; st += 1) {\n", "st < 2; st += 1) {\n    if (st < K) {\n"},
        {"    commit\n  }\n  // Warpgroup", "    }\n    commit\n  }\n  // Warpgroup"},
        {edit("kt < {}", steps), "kt < K"},
        {edit("kt + 2 < {}", steps), "kt + 2 < K"},
    };
    std::string text = hopper(name);
    for (const auto& [from, to] : edits) text = changed(text, from, to);
    return text;
  };
  const std::string pipelined = sized("gemm_wgmma_pipelined", 32, 128, "#grid:[8,8:8,1]", 32),
                    deep = sized("gemm_wgmma_deep", 64, 256, "#grid:[8,4:4,1]", 16);
  for (const std::string& text : {tma, pipelined, deep}) {
    const CheckResult r = checked(text);
    INFO(text << told(r));
    CHECK(r.holds());
    CHECK(r.specs[0].obligations.back().reason.find("for every M, K, N: ") == 0);
  }
  const std::tuple<const std::string*, const char*, const char*> wrong[] = {
      {&tma, "wgmma.wait 1", "wgmma.wait 2"},
      {&tma, "(kt + 3)%4", "kt%4"},
      {&tma, "mbarrier.init %e, 8", "mbarrier.init %e, 7"},
      {&tma, "if (kt > 0) {", "if (kt > 4) {"},
      {&tma, "%Bt[kt,@bn]", "%Bt[kt/2,@bn]"},
      {&pipelined, "    fence.async\n", ""},
      {&pipelined, "wait 1\n", "wait 2\n"},
      {&pipelined, "    wgmma.wait 0\n", "    wgmma.wait 1\n"},
      {&pipelined, "%sAt[(kt + 2)%3,0,0]", "%sAt[(kt + 1)%3,0,0]"},
      {&deep, "wgmma.wait 1", "wgmma.wait 2"},
      {&deep, "%sAt[(kt + 2)%4,0,0]", "%sAt[(kt + 3)%4,0,0]"},
  };
  for (const auto& [right, from, to] : wrong) {
    const CheckResult r = checked(changed(*right, from, to));
    INFO(from << " -> " << to << "\n" << told(r));
    CHECK_FALSE(r.holds());
    CHECK(isRefuted(r));
  }
}

TEST_CASE("generated stages that are proved are right at every number of steps") {
  std::mt19937_64 random(20261130);
  const auto pick = [&](std::initializer_list<const char*> all) {
    return std::string(all.begin()[random() % all.size()]);
  };
  const auto cases = static_cast<int>(test::volume(24, 2400));
  int proved = 0, refuted = 0;
  for (int c = 0; c < cases; ++c) {
    Pipe p;
    p.stages = static_cast<int>(1 + random() % 4);
    p.takers = random() % 2 == 0 ? 32 : 64;
    if (random() % 3 == 0) p.relays = static_cast<int>(1 + random() % 3);
    p.late = p.relays == 0 && p.stages > 1 && random() % 3 == 0;
    for (std::size_t edits = random() % 3; edits > 0; --edits) switch (random() % 14) {
        case 0:
          p.full = pick({"k/S", "(k + 1)/S", "k/S + k/20", "min(k,17)/S", "k/(S + 1)"});
          break;
        case 1:
          p.empty = pick({"k/S - 1", "(k - S)/S", "k/S - 2", "k/S - 1 + k/15"});
          break;
        case 2:
          p.from = pick({"k%S", "(k + S)%S", "(k + 1)%S", "min(k,11)%S"});
          break;
        case 3:
          p.to = pick({"k%S", "(2*k + S - k)%S", "(k + S - 1)%S", "(k + k/13)%S"});
          break;
        case 4:
          p.arriveFull = pick({"k%S", "(k + 1)%S", "max(k,3)%S"});
          break;
        case 5:
          p.waitEmpty = pick({"k%S", "(k + 1)%S", "(3*k)%S"});
          break;
        case 6:
          p.arrive = pick({"k + 1 < K", "k < 14", "k%2 == 0", "k >= 0", "k != 19"});
          break;
        case 7:
          p.expect = pick({"k < K", "k != 16", "k > 0"});
          break;
        case 8:
          p.take = pick({"k < K", "k != 18", "k < 13", "k >= 1"});
          break;
        case 9:
          p.takeEnd = pick({"K", "K - 1", "min(K,15)"});
          break;
        case 10:
          p.copyEnd = pick({"K", "K - 1", "min(K,15)", "K + 1"});
          break;
        case 11:
          p.row = pick({"k", "min(k,14)", "K - 1 - k", "k*(k/k)"});
          break;
        case 12:
          p.order = pick({"wait read add arrive", "wait arrive read add", "wait read arrive add wait"});
          break;
        case 13:
          p.emptyCount = (p.relays > 0 ? 32 : p.takers) + static_cast<int>(random() % 3) - 1;
          break;
      }
    const std::string text = p.text();
    const auto program = readSized(text, {});
    if (!program.ok()) continue;
    const CheckResult r = checked(text);
    INFO(text << told(r));
    const i64 shown = sizeIn(r);
    if (isRefuted(r)) {
      ++refuted;
      CHECK_FALSE(checked(text, {{"K", std::max<i64>(shown, 1)}}).holds());
    }
    if (!r.holds()) continue;
    ++proved;
    for (i64 k = 1; k <= 30; ++k) CHECK(checked(text, {{"K", k}}).holds());
  }
  fmt::print("{} generated pipelines: {} proved, {} refuted\n", cases, proved, refuted);
  CHECK(5 * proved >= cases);
  CHECK(5 * refuted >= cases);
}
