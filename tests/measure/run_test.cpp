// A run from source to result with the fake driver: the successful path, and every failure.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>

#include "measure/fakes.h"
#include "solver/measure/reference/reference.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

// In this process, or in another one: everything must hold in both.
RunOptions optionsOf(bool apart) {
  RunOptions out;
  out.runs = 5;
  out.seconds = 30;
  if (apart) out.worker = {WORKER};
  out.reference = *statedReference(moveProgram());
  return out;
}

Result<Measurement> runOf(const std::string& kernel, const RunOptions& options) {
  return run(moveSource(kernel), moveProgram(), options);
}

void checkFails(const Result<Measurement>& result, const std::vector<std::string>& says) {
  REQUIRE_FALSE(result.ok());
  const Diag& d = result.error();
  INFO(d.message << " / " << d.expected << " / " << d.hint);
  for (const std::string& part : says) {
    INFO(part);
    CHECK((d.message + d.expected + d.hint).find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("the good path: compiled, right, timed") {
  for (const bool apart : {false, true}) {
    INFO("another process: " << apart);
    const Fakes fakes("cache=1024");
    RunOptions options = optionsOf(apart);
    options.seed = 7;
    options.date = "2026-11-22";
    std::vector<std::string> stages;
    options.progress = [&](const Stage& s) { stages.push_back(s.what); };
    const auto result = runOf("copy", options);
    INFO((result ? "" : result.error().message));
    REQUIRE(result.ok());
    CHECK(result->device.name == "Fake GPU");
    CHECK(result->architecture == "sm_80");
    CHECK(result->compiler == "NVRTC 12.4");
    CHECK(result->date == "2026-11-22");
    CHECK(result->seed == 7);
    CHECK(result->wrong.empty());
    REQUIRE(result->checks.size() == 1);
    CHECK(result->checks[0].output == "y");
    CHECK(result->checks[0].compared == 64);
    CHECK(result->checks[0].relativeError == 0);
    CHECK(result->checks[0].unwritten == 0);
    REQUIRE(result->kernels.size() == 1);
    CHECK(result->kernels[0].registers == 24);
    CHECK(result->kernels[0].spillStores == 8);
    CHECK(result->kernels[0].spillLoads == 4);
    CHECK(result->kernels[0].blocksPerMultiprocessor == 32);
    // A launch takes 40 to 43 us, so three are a run of 100 us.
    CHECK(result->time.launchesPerRun == 3);
    CHECK_FALSE(result->time.graph);
    CHECK(result->time.lateRuns == 0);
    CHECK(result->time.note.empty());
    CHECK(result->time.count == 5);
    CHECK(result->time.least >= 40);
    CHECK(result->time.most <= 43);
    CHECK(result->time.lower <= result->time.median);
    CHECK(result->time.median <= result->time.upper);
    CHECK(result->time.copies == 17);  // between two uses of 256 bytes, 4 * 1024 others: four times the cache
    CHECK(result->time.setBytes == 256);
    CHECK(result->work.bytesRead == 128);
    CHECK(result->work.bytesWritten == 128);
    CHECK(result->roofline.memoryMicroseconds == Approx(256 / 128e9 * 1e6));
    if (!apart) {
      CHECK(fakes.live() == 0);
      CHECK(fakes.durations() >= kWarmMicroseconds);
      CHECK(fakes.copies() == 17);
    }
    CHECK(std::find(stages.begin(), stages.end(), "timing 5 of 5") != stages.end());
    CHECK(std::find(stages.begin(), stages.end(), "compiling for sm_80") != stages.end());
  }
}

TEST_CASE("the same seed gives the same inputs, and what the kernel gets is what the reference gets") {
  static std::vector<std::string> seen;
  seen.clear();
  const Fakes fakes;
  fakes.add("look", [](unsigned, unsigned, void** a) {
    const char* const x = *static_cast<char**>(a[0]);
    char* const y = *static_cast<char**>(a[1]);
    seen.emplace_back(x, 128);
    std::copy(x, x + 128, y);
  });
  RunOptions options = optionsOf(false);
  options.runs = 0;
  options.warmups = 0;
  for (const u64 seed : {1u, 1u, 2u}) {
    options.seed = seed;
    const auto result = runOf("look", options);
    REQUIRE(result.ok());
    CHECK(result->wrong.empty());
    CHECK(result->time.count == 0);
  }
  REQUIRE(seen.size() == 3);
  CHECK(seen[0] == seen[1]);
  CHECK(seen[0] != seen[2]);
}

TEST_CASE("a wrong result is measured and said: values, elements never written, writes beyond the end") {
  for (const bool apart : {false, true}) {
    const Fakes fakes;
    const RunOptions options = optionsOf(apart);
    const auto swapped = runOf("swapped", options);
    REQUIRE(swapped.ok());
    CHECK(swapped->wrong.find("%y is wrong: relative error") == 0);
    CHECK((swapped->checks[0].coordinate == std::vector<i64>{10} ||
           swapped->checks[0].coordinate == std::vector<i64>{11}));
    CHECK(swapped->time.count == 5);
    const auto lazy = runOf("lazy", options);
    REQUIRE(lazy.ok());
    CHECK(lazy->checks[0].unwritten == 1);
    CHECK(lazy->wrong.find("1 of 64 elements were never written; %y[63] is nan") != std::string::npos);
    const auto overrun = runOf("overrun", options);
    REQUIRE(overrun.ok());
    CHECK(overrun->wrong == "the run wrote beyond the end of %y");
  }
}

TEST_CASE("without a reference, or with one that has none, nothing is compared and that is said") {
  const Fakes fakes;
  RunOptions options = optionsOf(false);
  options.reference = {};
  auto result = runOf("swapped", options);
  REQUIRE(result.ok());
  CHECK(result->checks[0].compared == 0);
  CHECK(result->checks[0].why == "no reference");
  options.reference = [](const Inputs&, const std::string&, const std::vector<i64>&) -> Result<std::vector<double>> {
    return Diag{"too large to be known", "", "", {}};
  };
  result = runOf("swapped", options);
  REQUIRE(result.ok());
  CHECK(result->checks[0].why == "too large to be known");
  options.reference = [](const Inputs&, const std::string&, const std::vector<i64>&) -> Result<std::vector<double>> {
    return std::vector<double>{1};
  };
  result = runOf("swapped", options);
  REQUIRE(result.ok());
  CHECK(result->checks[0].why == "the reference has 1 values for 64 elements");
}

TEST_CASE("every way in which a run fails is a message, and nothing is left behind") {
  struct Row {
    std::string behaviour, kernel;
    std::vector<std::string> says;
  };
  const std::vector<Row> rows = {
      {"no-device", "copy", {"there is no CUDA device"}},
      {"driver=10020", "copy", {"the CUDA driver is too old"}},
      {"memory=500", "copy", {"the device has no memory for 640 bytes", "500 of 500 bytes are free", "out of memory"}},
      {"image", "copy", {"cuModuleLoadData", "the driver is older than the compiler"}},
      {"launch",
       "copy",
       {"kernel 'copy' with 1 blocks of 64 threads was not launched", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
        "too many registers"}},
      {"", "illegal", {"kernel 'illegal' failed", "illegal memory access", "tessera check"}},
      {"major=7,minor=5", "copy", {"the code is for sm_80, but this device is sm_75"}},
      {"compiler-memory", "copy", {"NVRTC 12.4 failed for sm_80"}},
  };
  for (const bool apart : {false, true}) {
    for (const Row& row : rows) {
      INFO(row.behaviour << " " << row.kernel << " another process: " << apart);
      const Fakes fakes(row.behaviour);
      checkFails(runOf(row.kernel, optionsOf(apart)), row.says);
      if (!apart) CHECK(fakes.live() == 0);
    }
    const Fakes fakes;
    const auto refused = run(moveSource("copy", "SYNTAX"), moveProgram(), optionsOf(apart));
    checkFails(refused, {"line 3 of the generated code for sm_80: identifier \"SYNTAX\" is undefined", "3 |   SYNTAX"});
    CHECK(refused.error().span == Span{30, 40});
    codegen::CudaSource other = moveSource("copy");
    other.kernels[0].name = "elsewhere";
    checkFails(run(other, moveProgram(), optionsOf(apart)), {"has no kernel 'elsewhere'"});
    other = moveSource("copy");
    other.kernels[0].params[0].name = "z";
    checkFails(run(other, moveProgram(), optionsOf(apart)), {"a parameter 'z' that the program does not have"});
    checkFails(run({}, moveProgram(), optionsOf(apart)), {"there is no kernel to run"});
  }
}

TEST_CASE("too little memory for copies of the buffers is no error: fewer take turns") {
  // 768 bytes for a set with its guards; the cache asks for 16 sets.
  const Fakes fakes("memory=4000,cache=1024");
  const auto result = runOf("copy", optionsOf(false));
  REQUIRE(result.ok());
  CHECK(result->time.copies == 3);  // 1280 bytes with guards
  CHECK(result->wrong.empty());
  CHECK(fakes.live() == 0);
}

TEST_CASE("a kernel that never ends is stopped, in this process and in another") {
  for (const bool apart : {false, true}) {
    const Fakes fakes;
    RunOptions options = optionsOf(apart);
    options.seconds = 0.05;
    checkFails(runOf("hang", options), {"kernel 'hang' did not end within 0.05 s and was stopped"});
    // The next one works: another process always, this one because the fake forgets.
    const Fakes again;
    CHECK(runOf("copy", optionsOf(apart)).ok());
  }
}

TEST_CASE("what hangs or crashes inside of the driver takes the other process with it and nothing else") {
  RunOptions options = optionsOf(true);
  {
    const Fakes fakes("stuck");  // cuModuleLoadData never returns
    options.seconds = 0.05;
    options.silenceSeconds = 0.3;
    checkFails(runOf("copy", options), {"sent nothing for 0.35 s while", "was killed"});
  }
  options = optionsOf(true);
  {
    const Fakes fakes;
    checkFails(runOf("crash", options), {"was ended by signal 6", "while running", "nothing else was lost"});
  }
  const Fakes fakes;
  options.worker = {"/nowhere/worker"};
  checkFails(runOf("copy", options), {"cannot be started"});
  options.worker = {"/bin/true"};
  checkFails(runOf("copy", options), {"ended with exit code 0"});
  options.worker = {WORKER};
  CHECK(runOf("copy", options).ok());
}

TEST_CASE("cancelling ends it, wherever it is") {
  for (const bool apart : {false, true}) {
    const Fakes fakes;
    std::atomic<bool> cancel = false;
    RunOptions options = optionsOf(apart);
    options.cancel = &cancel;
    for (const std::string stage :
         {"drawing the inputs", "looking for a device", "copying the inputs", "timing 2 of 5"}) {
      INFO(stage << " another process: " << apart);
      cancel = false;
      options.progress = [&](const Stage& s) { cancel = cancel || s.what == stage; };
      const auto result = runOf("copy", options);
      // What was nearly done may end well.
      if (result) continue;
      CHECK(result.error().message == "cancelled");
      if (!apart) CHECK(fakes.live() == 0);
    }
    cancel = false;
    options.seconds = 1e6;
    options.progress = [&](const Stage& s) { cancel = cancel || s.what == "running"; };
    checkFails(runOf("hang", options), {"cancelled"});
    const Fakes again;
  }
}

TEST_CASE("this machine's own device runs a kernel, where there is one") {
  RunOptions options;
  options.worker = {WORKER};
  const auto device = findDevice(options);
  if (!device) {
    WARN("skipped: " + device.error().message);
    return;
  }
  codegen::CudaSource source = moveSource("copy");
  source.text = "#include <cuda_fp16.h>\n" + source.text;
  options.reference = *statedReference(moveProgram());
  const auto result = run(source, moveProgram(), options);
  INFO((result ? "" : result.error().message));
  REQUIRE(result.ok());
  CHECK(result->wrong.empty());
  CHECK(result->time.median > 0);
}
