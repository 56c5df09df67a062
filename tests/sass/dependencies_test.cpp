// Code of ptxas has no uncovered read; a lowered stall or wait gives one, at its readers and nowhere else.
#include "core/sass/dependencies.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "core/sass/latency.h"
#include "listings.h"

using namespace tessera;
using namespace tessera::sass;

namespace {

std::vector<Finding> findingsOf(const Kernel& kernel) { return dependenciesOf(kernel, flowOf(kernel)).findings; }

Kernel small(const std::string& architecture, const std::vector<std::pair<std::string, Control>>& code) {
  std::string text = "\t.target\t" + architecture + "\n\t.section\t.text.f\n";
  for (const auto& [one, control] : code)
    text +=
        one.back() == ':' ? one + "\n" : "/*0000*/ " + one + " ; /* 0x0000000000000001 */\n/* 0x0000000000000001 */\n";
  auto listing = read(text);
  REQUIRE(listing.ok());
  Kernel kernel = std::move(listing->kernels[0]);
  std::size_t k = 0;
  for (const auto& [one, control] : code)
    if (one.back() != ':') setControl(kernel.code[k++], control);
  return kernel;
}

constexpr Control stall(int cycles) { return {cycles, false, kNoBarrier, kNoBarrier, 0, 0}; }
constexpr Control sets(int barrier) { return {1, false, barrier, kNoBarrier, 0, 0}; }
constexpr Control waits(unsigned mask) { return {1, false, kNoBarrier, kNoBarrier, mask, 0}; }

// A slow second opinion for straight code: for each read, the last write of its register; the sum of stalls between
// them, or whether some instruction up to the reader waits for a barrier that the writer, or a later one of its queue,
// sets.
std::set<std::pair<int, int>> slowFindings(const Kernel& kernel) {
  std::set<std::pair<int, int>> out;
  const auto code = [&](int k) -> const Instruction& { return kernel.code[static_cast<std::size_t>(k)]; };
  for (int reader = 0; reader < static_cast<int>(kernel.code.size()); ++reader) {
    const Uses uses = usesOf(code(reader));
    for (const Register r : uses.reads) {
      int writer = reader - 1;
      for (; writer >= 0; --writer) {
        const Uses written = usesOf(code(writer));
        if (std::find(written.writes.begin(), written.writes.end(), r) != written.writes.end()) break;
      }
      if (writer < 0) continue;
      const Latency latency = latencyOf(code(writer));
      if (!latency.variable) {
        int cycles = 0;
        for (int k = writer; k < reader; ++k) cycles += std::max(1, code(k).control().stall);
        if (cycles < leastCycles(code(writer), r, code(reader))) out.emplace(writer, reader);
        continue;
      }
      bool covered = false;
      for (int setter = writer; setter < reader; ++setter) {
        const int barrier = code(setter).control().writeBarrier;
        const bool counts =
            setter == writer || (latency.queue != Queue::None && latencyOf(code(setter)).queue == latency.queue);
        if (barrier == kNoBarrier || !counts) continue;
        for (int k = setter + 1; k <= reader; ++k) covered = covered || (code(k).control().waits >> barrier & 1) != 0;
      }
      if (!covered) out.emplace(writer, reader);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("reads that nothing covers, and those that something does") {
  CHECK(findingsOf(small("sm_80", {{"IADD3 R2, R3, R4, RZ", stall(4)}, {"FADD R5, R2, R2", stall(1)}})).empty());
  const auto early = findingsOf(small("sm_80", {{"IADD3 R2, R3, R4, RZ", stall(3)}, {"FADD R5, R2, R2", stall(1)}}));
  REQUIRE(early.size() == 1);
  CHECK(early[0] == Finding{0, 1, 2, kNoBarrier, false, 3, 4});
  // On an architecture without a table the cycles are not checked, and the read is counted.
  const Kernel unknown = small("sm_100a", {{"IADD3 R2, R3, R4, RZ", stall(1)}, {"FADD R5, R2, R2", stall(1)}});
  CHECK(findingsOf(unknown).empty());
  CHECK(dependenciesOf(unknown, flowOf(unknown)).unchecked == 1);
  // Barriers are checked everywhere.
  for (const char* arch : {"sm_75", "sm_80", "sm_120"}) {
    CHECK(findingsOf(small(arch, {{"LDG.E R2, [R4.64]", sets(3)}, {"FADD R5, R2, R2", waits(8)}})).empty());
    CHECK(findingsOf(small(arch, {{"LDG.E R2, [R4.64]", sets(3)}, {"FADD R5, R2, R2", waits(4)}})).size() == 1);
    CHECK(findingsOf(small(arch, {{"LDG.E R2, [R4.64]", stall(15)}, {"FADD R5, R2, R2", waits(63)}})).size() == 1);
  }
  // A later load of the queue, whose barrier is waited for.
  CHECK(
      findingsOf(small("sm_80", {{"LDS R2, [R4]", stall(1)}, {"LDS R3, [R4]", sets(0)}, {"FADD R5, R2, R3", waits(1)}}))
          .empty());
  CHECK(
      findingsOf(small("sm_80", {{"LDS R2, [R4]", sets(0)}, {"LDS R3, [R4]", stall(1)}, {"FADD R5, R2, R3", waits(1)}}))
          .size() == 1);
  CHECK(findingsOf(
            small("sm_80", {{"MUFU.RCP R2, R4", stall(1)}, {"LDS R3, [R4]", sets(0)}, {"FADD R5, R2, R3", waits(1)}}))
            .size() == 1);
  // A guard needs more cycles than an operand.
  CHECK(findingsOf(small("sm_90a", {{"ISETP.NE.AND P0, PT, R2, RZ, PT", stall(12)}, {"@P0 EXIT", stall(5)}})).size() ==
        1);
  CHECK(findingsOf(small("sm_90a", {{"ISETP.NE.AND P0, PT, R2, RZ, PT", stall(4)}, {"SEL R3, R4, R5, P0", stall(5)}}))
            .empty());
  // Only one of the two runs.
  CHECK(findingsOf(small("sm_80", {{"@P0 LDG.E R2, [R4.64]", sets(3)}, {"@!P0 FADD R5, R2, R2", stall(1)}})).empty());
  CHECK(findingsOf(small("sm_80",
                         {{"LDG.E R2, [R4.64]", sets(3)}, {"DEPBAR.LE SB3, 0x0", stall(4)}, {"MOV R5, R2", stall(1)}}))
            .empty());
}

TEST_CASE("a read is checked on every path, also around a loop") {
  const Control none = stall(1);
  // The wait is on one path only.
  const auto partly = findingsOf(small("sm_80", {{"LDG.E R2, [R4.64]", sets(1)},
                                                 {"@P6 BRA `(.La)", none},
                                                 {"NOP", waits(2)},
                                                 {".La:", none},
                                                 {"MOV R5, R2", none}}));
  REQUIRE(partly.size() == 1);
  CHECK(partly[0].reader == 3);
  // The load of this iteration is read in the next.
  const auto next = findingsOf(small("sm_80", {{".La:", none},
                                               {"FADD R5, R5, R2", none},
                                               {"LDG.E R2, [R6.64]", sets(1)},
                                               {"@P6 BRA `(.La)", stall(5)},
                                               {"EXIT", none}}));
  REQUIRE(next.size() == 1);
  CHECK(next[0].producer == 1);
  CHECK(next[0].reader == 0);
  // FADD R5 -> FADD R5 around the loop: 1 + 1 + 2 cycles.
  const auto around = [&](int cycles) {
    return findingsOf(small(
        "sm_80",
        {{".La:", none}, {"FADD R5, R5, R2", none}, {"NOP", none}, {"@P6 BRA `(.La)", stall(cycles)}, {"EXIT", none}}));
  };
  CHECK(around(1).size() == 1);
  CHECK(around(2).empty());
}

TEST_CASE("code of ptxas has no finding") {
  for (const char* name : kListings)
    for (const Kernel& kernel : kernelsOf(name)) {
      const Dependencies d = dependenciesOf(kernel, flowOf(kernel));
      INFO(name << " " << kernel.name << (d.findings.empty() ? "" : textOf(kernel, d.findings[0])));
      CHECK(d.findings.empty());
      CHECK(d.reads >= 0);
    }
}

TEST_CASE("without a wait, the results of that barrier are found at the first that reads them, and only they") {
  int mutants = 0, found = 0;
  for (const char* name : kListings)
    for (const Kernel& kernel : kernelsOf(name))
      for (std::size_t k = 0; k < kernel.code.size(); ++k) {
        const Control before = kernel.code[k].control();
        for (int b = 0; b < kBarriers; ++b) {
          if ((before.waits >> b & 1) == 0) continue;
          Kernel mutant = kernel;
          Control less = before;
          less.waits &= ~(1U << b);
          setControl(mutant.code[k], less);
          ++mutants;
          const auto findings = findingsOf(mutant);
          found += findings.empty() ? 0 : 1;
          for (const Finding& f : findings) {
            INFO(name << ": " << textOf(mutant, f));
            REQUIRE(f.variable);
            // The producer sets that barrier, or relies on a later one of its queue that does.
            REQUIRE((f.barrier == b || f.barrier == kNoBarrier ||
                     latencyOf(kernel.code[static_cast<std::size_t>(f.producer)]).queue != Queue::None));
          }
          // If the instruction itself reads a result of the barrier, it is among the readers.
          if (!findings.empty()) continue;
          const Uses uses = usesOf(kernel.code[k]);
          for (std::size_t p = 0; p < k; ++p) {
            const Instruction& producer = kernel.code[p];
            if (producer.control().writeBarrier != b || latencyOf(producer).queue != Queue::None) continue;
            const Uses written = usesOf(producer);
            std::vector<Register> both;
            std::set_intersection(uses.reads.begin(), uses.reads.end(), written.writes.begin(), written.writes.end(),
                                  std::back_inserter(both));
            bool between = false;
            for (std::size_t q = p + 1; q < k; ++q) {
              between = between || (kernel.code[q].control().waits >> b & 1) != 0 || kernel.code[q].unit() == "CALL" ||
                        kernel.code[q].unit() == "BRA" || kernel.code[q].unit() == "EXIT";
              const Uses other = usesOf(kernel.code[q]);
              std::erase_if(
                  both, [&](Register r) { return std::binary_search(other.writes.begin(), other.writes.end(), r); });
            }
            INFO(name << " " << kernel.code[k].text() << " after " << producer.text());
            REQUIRE((both.empty() || between));
          }
        }
      }
  CHECK(mutants > 150);
  CHECK(found > 60);
}

TEST_CASE("with a stall of 1, the findings are reads of fixed latency that pass this instruction") {
  int mutants = 0, found = 0;
  for (const char* name : {"dot.sm_80", "spill.sm_80", "gemm_pipelined.sm_80"})
    for (const Kernel& kernel : kernelsOf(name))
      for (std::size_t k = 0; k < kernel.code.size(); k += 2) {
        Control less = kernel.code[k].control();
        if (less.stall <= 1) continue;
        less.stall = 1;
        Kernel mutant = kernel;
        setControl(mutant.code[k], less);
        const auto findings = findingsOf(mutant);
        ++mutants;
        found += findings.empty() ? 0 : 1;
        for (const Finding& f : findings) {
          INFO(name << ": " << textOf(mutant, f));
          REQUIRE_FALSE(f.variable);
          REQUIRE(f.cycles < f.needed);
          // The changed instruction is between them, as the code lies or around a loop.
          const int at = static_cast<int>(k);
          REQUIRE((f.producer < f.reader ? f.producer <= at && at < f.reader : at >= f.producer || at < f.reader));
        }
      }
  CHECK(mutants > 100);
  CHECK(found > 20);
}

TEST_CASE("straight code with random control words: the same findings as looking back from each read") {
  std::mt19937 random(5);
  const char* operations[] = {"IADD3 R%, R%, R%, RZ",
                              "FFMA R%, R%, R%, R%",
                              "LDS R%, [R%]",
                              "LDG.E R%, [R%.64]",
                              "MUFU.RCP R%, R%",
                              "ISETP.NE.AND P%, PT, R%, RZ, PT",
                              "SEL R%, R%, R%, P%",
                              "HMMA.16816.F32 R%, R%, R%, R%",
                              "IMAD.WIDE R%, R%, R%, R%",
                              "LDSM.16.M88.4 R%, [R%]",
                              "STG.E.128 [R%.64], R%",
                              "HMMA.1688.F16 R%, R%, R%, R%"};
  int findings = 0;
  for (int n = 0; n < 1500; ++n) {
    std::vector<std::pair<std::string, Control>> code;
    for (auto count = 2 + random() % 10; count > 0; --count) {
      std::string text = operations[random() % std::size(operations)];
      for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%'))
        text.replace(at, 1, std::to_string(text[at - 1] == 'P' ? random() % 3 : random() % 12));
      Control c = stall(static_cast<int>(random() % 12));
      if (random() % 3 == 0) c.writeBarrier = static_cast<int>(random() % 6);
      c.waits = static_cast<unsigned>(random() & random() & 63);
      code.emplace_back(text, c);
    }
    const Kernel kernel = small("sm_80", code);
    std::set<std::pair<int, int>> fast;
    for (const Finding& f : findingsOf(kernel)) fast.emplace(f.producer, f.reader);
    std::string all;
    for (const Instruction& i : kernel.code) all += i.text() + "\n";
    INFO(all);
    REQUIRE(fast == slowFindings(kernel));
    findings += static_cast<int>(fast.size());
  }
  CHECK(findings > 1000);
}
