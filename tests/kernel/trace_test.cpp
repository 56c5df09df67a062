// The trace of a run: every thread executes what the machine that runs single threads executes; its writes make the
// buffers; and the two paths to a race end at its accesses.
#include "solver/kernel/trace/trace.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <numeric>

#include "tests/kernel/kernels.h"
#include "tests/kernel/one_by_one.h"

using namespace tessera;
using namespace tessera::kernel;
using code::RunTrace;

namespace {

const ptx::Module& smallKernels() { return test::kernelsOf("small"); }

Argument words(std::size_t count, int first) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), first);
  Argument a;
  a.kind = Argument::Kind::Buffer;
  a.bytes.resize(4 * count);
  std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
  a.shape = {static_cast<i64>(count)};
  return a;
}

struct TraceCase {
  const char* entry;
  std::uint32_t threads;
  std::uint32_t blocks = 1;
};
const TraceCase kTraced[] = {{"reverse", 128},       {"reverse_race", 128}, {"sum", 256},
                             {"sum_shuffle", 32, 2}, {"copy_async", 128},   {"bytes", 96},
                             {"sum_atomic", 64},     {"reverse", 128, 3},   {"sum_warp_race", 256}};

Launch launchOf(const TraceCase& c) {
  Launch launch;
  launch.entry = c.entry;
  launch.grid = {c.blocks, 1, 1};
  launch.block = {c.threads, 1, 1};
  for (std::size_t k = 0; k < (*entryOf(smallKernels(), c.entry))->parameters.size(); ++k)
    launch.arguments.push_back(words(1024, static_cast<int>(k) * 1000));
  return launch;
}

RunTrace traceOf(const Launch& launch, i64 block = 0, std::vector<Finding> findings = {}, std::size_t most = 20'000) {
  TraceRequest request;
  request.block = block;
  request.findings = std::move(findings);
  request.mostSteps = most;
  auto trace = traced(smallKernels(), launch, request);
  INFO((trace ? "" : trace.error().message));
  REQUIRE(trace.ok());
  return *std::move(trace);
}

Report reportOf(const Launch& launch) {
  auto report = run(smallKernels(), launch);
  REQUIRE(report.ok());
  return *std::move(report);
}

}  // namespace

TEST_CASE("the lanes of all groups are the thread instructions of the run") {
  for (const TraceCase& c : kTraced) {
    INFO(c.entry << ", " << c.blocks << " blocks");
    const Launch launch = launchOf(c);
    i64 lanes = 0;
    for (i64 block = 0; block < i64{c.blocks}; ++block) {
      const RunTrace trace = traceOf(launch, block);
      i64 recorded = 0;
      for (const RunTrace::Step& s : trace.steps) {
        recorded += __builtin_popcount(s.group);
        CHECK((s.mask & ~s.group) == 0);
      }
      CHECK(recorded == trace.laneSteps);
      CHECK(trace.total == static_cast<i64>(trace.steps.size()));
      lanes += trace.laneSteps;
    }
    CHECK(lanes == reportOf(launch).threadInstructions);
  }
}

TEST_CASE("every thread executes the lines that it executes alone") {
  int compared = 0;
  for (const TraceCase& c : kTraced) {
    INFO(c.entry);
    const Launch launch = launchOf(c);
    const test::OneByOne alone = test::runOneByOne(smallKernels(), launch, 4, 10'000'000);
    if (!alone.unsupported.empty() || !alone.fault.empty()) continue;
    const RunTrace trace = traceOf(launch, i64{c.blocks} - 1);
    std::vector<std::vector<int>> lines(static_cast<std::size_t>(trace.threads));
    for (const RunTrace::Step& s : trace.steps) {
      const RunTrace::Instruction& i = trace.instructionOf(s);
      for (int l = 0; l < 32; ++l) {
        if ((s.group >> l & 1) == 0) continue;
        auto& of = lines[s.warp * 32 + static_cast<std::size_t>(l)];
        const int line = (s.mask >> l & 1) != 0 ? i.ptxLine : -i.ptxLine;
        const bool again = !of.empty() && of.back() == line && i.text.starts_with("shfl");  // another attempt
        if (!again) of.push_back(line);
      }
    }
    for (std::size_t t = 0; t < lines.size(); ++t) {
      INFO("thread " << t);
      REQUIRE(lines[t] == alone.lines[(c.blocks - 1) * lines.size() + t]);
    }
    ++compared;
  }
  CHECK(compared >= 6);
}

TEST_CASE("the writes of the trace in order make the buffers after the run") {
  for (const TraceCase& c : kTraced) {
    if (c.blocks > 1) continue;
    INFO(c.entry);
    const Launch launch = launchOf(c);
    const RunTrace trace = traceOf(launch);
    std::vector<std::vector<std::byte>> buffers;
    for (const Argument& a : launch.arguments) buffers.push_back(a.bytes);
    std::map<i64, std::uint8_t> shared;  // what a read finds there was written before, or never
    for (std::size_t k = 0; k < trace.steps.size(); ++k)
      for (const RunTrace::Access& a : trace.accessesOf(k)) {
        const RunTrace::Memory& m = trace.memories[static_cast<std::size_t>(a.memory)];
        for (int b = 0; b < a.width; ++b) {
          const std::uint8_t value = trace.contents[a.bytes + static_cast<std::size_t>(b)];
          if (m.shared && a.write) shared[a.offset + b] = value;
          if (m.shared && !a.write && shared.contains(a.offset + b)) CHECK(shared[a.offset + b] == value);
          if (m.argument < 0) continue;
          std::byte& at = buffers[static_cast<std::size_t>(m.argument)][static_cast<std::size_t>(a.offset + b)];
          if (a.write)
            at = static_cast<std::byte>(value);
          else
            CHECK(at == static_cast<std::byte>(value));
        }
      }
    CHECK(buffers == reportOf(launch).buffers);
  }
}

TEST_CASE("lanes that wait at a barrier have executed it, and those that do not wait go on") {
  const RunTrace trace = traceOf(launchOf({"sum", 256}));
  int waiting = 0;
  for (std::size_t k = 0; k < trace.steps.size(); ++k) {
    const auto& states = trace.states[trace.steps[k].states];
    REQUIRE(states.size() == 8);
    CHECK((states[trace.steps[k].warp].waiting & trace.steps[k].group) == 0);
    CHECK((trace.steps[k].group & ~states[trace.steps[k].warp].live) == 0);
    for (std::uint32_t w = 0; w < 8; ++w) {
      if (states[w].waiting == 0) continue;
      ++waiting;
      std::size_t last = k;
      while (trace.steps[last].warp != w) {
        REQUIRE(last > 0);
        --last;
      }
      CHECK(trace.instructionOf(trace.steps[last]).waits);
    }
  }
  CHECK(waiting > 100);
}

TEST_CASE("a race has the paths of both threads up to its accesses") {
  for (const char* entry : {"reverse_race", "sum_warp_race", "other_value"}) {
    INFO(entry);
    Launch launch = launchOf({entry, std::string(entry) == "reverse_race" ? 128U : 256U});
    const Report report = reportOf(launch);
    REQUIRE_FALSE(report.findings.empty());
    const RunTrace trace = traceOf(launch, 0, report.findings);
    REQUIRE(trace.meetings.size() == report.findings.size());
    for (const RunTrace::Meeting& m : trace.meetings) {
      const Finding& f = report.findings[m.finding];
      INFO(f.message);
      REQUIRE(m.other);
      CHECK(m.at.thread == i64{f.at.thread[0]});
      CHECK(m.other->thread == i64{f.other->thread[0]});
      const std::pair<const RunTrace::Path*, int> paths[] = {{&m.at, f.at.line}, {&*m.other, f.other->line}};
      for (const auto& [path, line] : paths) {
        REQUIRE(path->step >= 0);
        REQUIRE(path->access >= 0);
        CHECK(trace.instructions[static_cast<std::size_t>(path->access)].ptxLine == line);
        // The step is an access of this thread to these bytes.
        const RunTrace::Step& s = trace.steps[static_cast<std::size_t>(path->step)];
        CHECK(trace.instructionOf(s).ptxLine == line);
        bool meets = false;
        for (const RunTrace::Access& a : trace.accessesOf(static_cast<std::size_t>(path->step)))
          meets = meets || (a.memory == m.memory && i64{s.warp} * 32 + a.lane == path->thread &&
                            a.offset < m.offset + m.bytes && a.offset + a.width > m.offset);
        CHECK(meets);
        // What it executed before, counted by hand.
        std::map<std::uint32_t, i64> counts;
        for (i64 k = 0; k <= path->step; ++k) {
          const RunTrace::Step& before = trace.steps[static_cast<std::size_t>(k)];
          if (i64{before.warp} == path->thread / 32 && (before.mask >> (path->thread % 32) & 1) != 0)
            ++counts[before.instruction];
        }
        CHECK(std::map<std::uint32_t, i64>(path->executed.begin(), path->executed.end()) == counts);
      }
      CHECK(m.other->step <= m.at.step);
    }
  }
}

TEST_CASE("a thread that returned before a barrier has its whole path") {
  Launch launch = launchOf({"reverse_early", 128});
  launch.arguments[2] = words(1, 100);
  launch.arguments[2].kind = Argument::Kind::Scalar;
  launch.arguments[2].shape.clear();
  const Report report = reportOf(launch);
  REQUIRE(report.verdict == Verdict::Divergence);
  const RunTrace trace = traceOf(launch, 0, report.findings);
  REQUIRE(trace.meetings.size() == report.findings.size());
  for (const RunTrace::Meeting& m : trace.meetings) {
    if (report.findings[m.finding].kind != Verdict::Divergence) continue;
    CHECK(m.at.thread >= 100);
    CHECK(m.at.access < 0);
    bool returns = false, stores = false;
    for (const auto& [instruction, times] : m.at.executed) {
      const std::string& text = trace.instructions[instruction].text;
      returns = returns || text.starts_with("bra") || text.starts_with("ret");
      stores = stores || text.starts_with("st.shared");
    }
    CHECK(returns);
    CHECK_FALSE(stores);
  }
}

TEST_CASE("beyond the budget steps are counted; a block that does not exist is refused") {
  const Launch launch = launchOf({"sum", 256});
  const RunTrace whole = traceOf(launch), part = traceOf(launch, 0, {}, 100);
  CHECK(part.steps.size() == 100);
  CHECK(part.total == whole.total);
  CHECK(part.laneSteps == whole.laneSteps);
  TraceRequest request;
  request.block = 1;
  const auto refused = traced(smallKernels(), launch, request);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "there is no block 1");
  CHECK(refused.error().expected == "0 to 0");
}
