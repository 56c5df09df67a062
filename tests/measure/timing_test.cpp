// Times on the fake driver's simulated device: the reported time is that of the kernel, at any cost of the host. The
// model is in fake/fake_cuda.cpp.
#include "solver/measure/device/timing.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "core/ptx/read.h"
#include "measure/fakes.h"
#include "solver/kernel/kernel.h"
#include "solver/measure/report/comparison_rows.h"
#include "solver/measure/report/library_product.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

constexpr double kTick = 0.5;  // the resolution of an event

RunOptions sixRuns() {
  RunOptions out;
  out.runs = 6;
  out.seconds = 30;
  return out;
}

Measurement measuredBy(const std::string& behaviour, const std::string& cuda, const RunOptions& options = sixRuns()) {
  INFO(behaviour);
  const Fakes fakes(behaviour, cuda);
  auto result = run(moveSource("copy"), moveProgram(), options);
  INFO((result ? "" : result.error().message));
  REQUIRE(result.ok());
  CHECK(result->wrong.empty());
  CHECK(fakes.live() == 0);
  REQUIRE(static_cast<int>(result->microseconds.size()) == options.runs);
  return *std::move(result);
}

// Every time, not only their median, within the resolution of its two events and that of a float in milliseconds.
void checkTimes(const Measurement& m, double microseconds) {
  const double rounding = kTick / m.time.launchesPerRun + 1e-4 * microseconds;
  for (const double us : m.microseconds) {
    INFO(us << " us, " << methodText(m.time));
    CHECK(std::abs(us - microseconds) <= rounding);
  }
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the time is that of the kernel, for every latency of the host, with graphs and without") {
  for (const std::string& cuda : {std::string(FAKE_CUDA), Fakes::plainCuda()}) {
    for (const int latency : {1, 5, 20, 50}) {
      for (const char* const cold : {"2", "3.7", "19.9", "21", "140.3", "2500"}) {
        const Measurement m = measuredBy("latency=" + std::to_string(latency) + ",tick=0.5,cold=" + cold, cuda);
        INFO(cuda << ", latency " << latency << ", kernel of " << cold << " us");
        const double microseconds = std::stod(cold);
        checkTimes(m, microseconds);
        CHECK(m.time.lateRuns == 0);
        const bool graph = microseconds < kGraphMicroseconds && cuda == FAKE_CUDA;
        CHECK(m.time.graph == graph);
        CHECK(m.time.note.empty() == (graph || microseconds >= kGraphMicroseconds));
        CHECK(m.time.busyMicroseconds >= kFirstBusyMicroseconds);
        CHECK(m.time.busyMicroseconds <= kMostBusyMicroseconds);
        CHECK(m.time.launchesPerRun * microseconds >= kRunMicroseconds);
      }
    }
  }
}

TEST_CASE("without a busy kernel the host's gaps are in the time, and every run is said to be late") {
  // The device's busy kernel ends at once: the laws above must then fail.
  const Measurement idle = measuredBy("latency=10,cold=2,busy=0", Fakes::plainCuda());
  CHECK(idle.time.median > 9);  // the host's latency, not 2
  CHECK(idle.time.lateRuns == 6);
  CHECK(has(methodText(idle.time), "6 runs late"));
  // The driver cannot compile it: measured nevertheless, and the reason is in the result.
  const Measurement none = measuredBy("latency=10,cold=2,no-jit", Fakes::plainCuda());
  CHECK(none.time.median > 9);
  CHECK(none.time.busyMicroseconds == 0);
  CHECK(none.time.lateRuns == 6);
  CHECK(has(none.time.note, "no busy kernel: cuModuleLoadData"));
  CHECK(has(methodText(none.time), "host's gaps included"));
  // In a graph only the gap before its first kernel remains.
  const Measurement graph = measuredBy("latency=10,cold=2,no-jit", FAKE_CUDA);
  CHECK(graph.time.graph);
  CHECK(graph.time.median < 3);
  // A long kernel hides the host after the first launch.
  const Measurement longer = measuredBy("latency=10,cold=2500,busy=0", Fakes::plainCuda());
  CHECK(longer.time.median == Approx(2510).epsilon(0.01));
  CHECK(longer.time.lateRuns == 6);
}

TEST_CASE("a gap of the device between two kernels is in the time, and a graph has none") {
  CHECK(measuredBy("cold=2,gap=1", Fakes::plainCuda()).time.median == Approx(3).epsilon(0.01));
  CHECK(measuredBy("cold=2,gap=1", FAKE_CUDA).time.median == Approx(2).epsilon(0.01));
}

TEST_CASE("repetitions are calibrated after the warm-up") {
  // The first launch loads code for 5 ms, and the clocks are low for 100 launches.
  for (const char* const cold : {"25", "40"}) {
    const Measurement m = measuredBy(std::string("tick=0.5,first=5000,slow=100,cold=") + cold, Fakes::plainCuda());
    checkTimes(m, std::stod(cold));
    CHECK(m.time.launchesPerRun == std::ceil(100 / std::stod(cold)));
  }
  // Without a warm-up the calibration still repeats until the number no longer grows.
  RunOptions cold = sixRuns();
  cold.warmups = 0;
  CHECK(measuredBy("first=5000,cold=25", FAKE_CUDA, cold).time.launchesPerRun == 4);
}

TEST_CASE("a queue without room for a run makes the run shorter, and the time stays right") {
  for (const int depth : {200, 30, 4}) {
    const Measurement m = measuredBy("tick=0.5,cold=2,latency=5,depth=" + std::to_string(depth), Fakes::plainCuda());
    INFO(depth);
    checkTimes(m, 2);
    CHECK(m.time.launchesPerRun < depth);
    CHECK(m.time.lateRuns == 0);
  }
}

TEST_CASE("a host that stalls now and then: its runs are repeated, or counted as late") {
  for (const char* const cold : {"2", "45"}) {
    // A busy kernel of 20 ms outlasts a stall of 3 ms.
    const Measurement m = measuredBy(std::string("tick=0.5,stall=97,cold=") + cold, Fakes::plainCuda());
    checkTimes(m, std::stod(cold));
    CHECK(m.time.lateRuns == 0);
    CHECK(m.time.busyMicroseconds > 3000);
    // None outlasts 100 ms, but not every run has one.
    const Measurement longer =
        measuredBy(std::string("tick=0.5,stall=97,stalled=100000,cold=") + cold, Fakes::plainCuda());
    checkTimes(longer, std::stod(cold));
    CHECK(longer.time.lateRuns == 0);
    CHECK(longer.time.launchesPerRun == std::ceil(100 / std::stod(cold)));
    // Every run has one, also if it is a single launch.
    const Measurement always = measuredBy(std::string("stall=2,stalled=100000,cold=") + cold, Fakes::plainCuda());
    CHECK(always.time.lateRuns == 6);
    CHECK(always.time.median > 100);
  }
}

TEST_CASE("enough sets make every launch cold, and too few are said to be hot") {
  for (const std::string& cuda : {std::string(FAKE_CUDA), Fakes::plainCuda()}) {
    for (const int cache : {1024, 25600, 60000}) {
      const Measurement m = measuredBy("tick=0.5,cold=10,hot=4,cache=" + std::to_string(cache), cuda);
      checkTimes(m, 10);
      CHECK(m.time.copies == wantedSets(256, cache));
      CHECK((m.time.copies - 1) * 256 >= kCacheSpan * cache);
      CHECK(has(inputsText(m.time, cache), ": cold"));
      if (m.time.graph) CHECK(m.time.launchesPerRun % m.time.copies == 0);
    }
    // Memory for three sets; sets so small that 4096 of them fit in the cache.
    const Measurement poor = measuredBy("tick=0.5,cold=10,hot=4,cache=2048,memory=4000", cuda);
    checkTimes(poor, 4);
    CHECK(poor.time.copies == 3);
    CHECK(inputsText(poor.time, 2048) == "3 sets of 256 B, L2 2 KiB: hot");
    const Measurement tiny = measuredBy("tick=0.5,cold=10,hot=4,cache=1048576", cuda);
    // Plain launches have not yet used every set once when the timed runs begin.
    if (tiny.time.graph) checkTimes(tiny, 4);
    CHECK(inputsText(tiny.time, 1048576) == "4096 sets of 256 B, L2 1 MiB: hot");
  }
}

TEST_CASE("how many sets, and what is said of them") {
  for (i64 cache = 1; cache < 100'000'000; cache = cache * 7 + 3) {
    for (i64 bytes = 1; bytes < 1'000'000'000; bytes = bytes * 5 + 1) {
      const int sets = wantedSets(bytes, cache);
      CAPTURE(cache, bytes, sets);
      CHECK(sets >= 2);
      CHECK(sets <= kMostSets);
      HowTimed how;
      how.copies = sets;
      how.setBytes = bytes;
      const bool spans = (sets - 1) * bytes >= kCacheSpan * cache;
      CHECK((spans || sets == kMostSets));
      CHECK((!spans || sets == 2 || (sets - 2) * bytes < kCacheSpan * cache));  // no more than needed
      CHECK(has(inputsText(how, cache), ": cold") == spans);
      CHECK(has(inputsText(how, cache), ": hot") == (sets * bytes <= cache));
    }
  }
  CHECK(wantedSets(0, 1024) == 1);
  CHECK(wantedSets(1024, 0) == 1);
  HowTimed how;
  how.setBytes = 98304;
  CHECK(inputsText(how, 0) == "1 set of 96 KiB, L2 unknown");
  CHECK(inputsText(how, 65536) == "1 set of 96 KiB, L2 64 KiB: partly in the L2");
}

TEST_CASE("a driver that has graphs but does not make this one is no failure; one that fails to launch is") {
  struct Row {
    std::string behaviour, note;
  };
  for (const Row& row : {Row{"no-capture", "no CUDA graph: cuStreamBeginCapture"},
                         Row{"bad-capture", "no CUDA graph: cuStreamEndCapture"},
                         Row{"no-instance", "no CUDA graph: cuGraphInstantiate"}}) {
    const Measurement m = measuredBy("tick=0.5,cold=3," + row.behaviour, FAKE_CUDA);
    checkTimes(m, 3);
    CHECK_FALSE(m.time.graph);
    CHECK(m.time.lateRuns == 0);
    CHECK(has(m.time.note, row.note));
  }
  const Measurement plain = measuredBy("tick=0.5,cold=3", Fakes::plainCuda());
  CHECK(has(plain.time.note, "has no graphs"));
  for (const Row& row : {Row{"cold=3,no-graph-launch", "kernel 'copy' was not launched: cuGraphLaunch"},
                         Row{"no-stream", "cuStreamCreate: out of memory"}}) {
    const Fakes fakes(row.behaviour);
    const auto result = run(moveSource("copy"), moveProgram(), sixRuns());
    REQUIRE_FALSE(result.ok());
    INFO(result.error().message);
    CHECK(has(result.error().message, row.note));
    CHECK(fakes.live() == 0);
  }
}

TEST_CASE("the library's product is timed in the same way") {
  const Gemm gemm{4, 4, 4, true, true, true, "fp32", "fp32", false, Epilogue::None};
  for (const char* const blas : {"4", "70"}) {
    const Fakes fakes(std::string("tick=0.5,latency=15,blas=") + blas);
    const auto result = runBaseline(gemm, sixRuns());
    REQUIRE(result.ok());
    CHECK(result->wrong.empty());
    checkTimes(*result, std::stod(blas));
    CHECK(result->time.graph == (std::stod(blas) < kGraphMicroseconds));
    CHECK(fakes.live() == 0);
  }
}

TEST_CASE("the other process reports how it timed, and the table has it") {
  RunOptions options = sixRuns();
  options.worker = {WORKER};
  const Fakes fakes("cold=2,cache=1024");
  const auto m = run(moveSource("copy"), moveProgram(), options);
  REQUIRE(m.ok());
  CHECK(m->time.graph);
  CHECK(m->time.launchesPerRun == 51);  // 17 sets, three times
  ComparisonTable table = headOf("copy", *m);
  table.rows = {rowOf(*m, RowKind::Kernel, "copy"), *rooflineRow(*m)};
  CHECK(table.cacheBytes == 1024);
  CHECK(table.rows[0].timedBy == "graph of 51 launches");
  CHECK(table.rows[0].inputs == "17 sets of 256 B, L2 1 KiB: cold");
  CHECK(table.rows[0].sets == 17);
  CHECK(table.rows[0].setBytes == 256);
  CHECK(table.rows[0].launchesPerRun == 51);
  CHECK(table.rows[0].lateRuns == 0);
  CHECK(table.rows[1].timedBy.empty());
  for (const char* const part : {"graph of 51 launches", "17 sets of 256 B, L2 1 KiB: cold",
                                 "peak by compute capability 8.0: the table of names has no 'Fake GPU'"})
    CHECK(has(textOf(table), part));
  CHECK(has(csvOf(table), "graph of 51 launches"));
}

TEST_CASE("the busy kernel ends after its number of steps even if the clock stands still") {
  const auto module = ptx::read(busyText());
  INFO((module ? "" : module.error().message));
  REQUIRE(module.ok());
  i64 before = 0;
  for (const unsigned long long cycles : {0ull, 1ull, 10ull, 1000ull}) {
    kernel::Launch launch;
    launch.entry = kBusyName;
    kernel::Argument argument;
    argument.kind = kernel::Argument::Kind::Scalar;
    argument.bytes.resize(8);
    std::memcpy(argument.bytes.data(), &cycles, 8);
    launch.arguments = {argument};
    launch.maxSteps = 1'000'000;
    const auto report = kernel::run(*module, launch);
    INFO((report ? report->reason : report.error().message));
    REQUIRE(report.ok());
    CHECK(report->verdict == kernel::Verdict::Clean);
    CHECK_FALSE(report->stopped);
    // Its clock is constant: 6 instructions a step, and it takes all its steps.
    CHECK(report->threadInstructions >= 6 * static_cast<i64>(cycles));
    CHECK(report->threadInstructions <= 10 * static_cast<i64>(cycles) + 20);
    CHECK(report->threadInstructions >= before);
    before = report->threadInstructions;
  }
}
