// run: generated code on the GPU of this machine: compiled, checked, timed.
//
//     auto result = run(source, program, {.sizes = {{"M", 64}}, .seed = 7, .reference = referenceOf(...), .worker = workerCommand()});
//     result->checks[0]         %C: relative error 0.0004, worst element %C[3,5]
//     result->time.median       41.2 us, quartiles 41.0 and 41.5, 20 runs of 3 launches
//     result->wrong             empty, or "%C is wrong: ..."
//
// In another process (worker.h), so that a kernel that hangs, crashes the driver or eats the memory costs nothing but a message; with no
// `worker` in this one, which only tests and the worker itself should do. Blocks until it is done: call it from a job's thread.
//
// Laws: a Diag says why there is no measurement: no device, an old driver, no memory, code that does not compile (with the line of
// the generated text and the place in the Graphene text), a launch that failed or did not end, cancelled. A wrong result is no Diag:
// it is measured, and says so. Nothing here reads the date: `date` is the caller's.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "solver/measure/compare.h"
#include "solver/measure/roofline.h"
#include "solver/measure/statistics.h"
#include "solver/measure/worker.h"

namespace tessera::measure {

struct RunOptions {
  std::map<std::string, i64> sizes = {};  // of the symbols
  u64 seed = 1;
  int device = 0;
  int warmups = 3, runs = 20;  // 0 runs: checked and not timed
  double seconds = 10;         // that a launch may take
  Reference reference = {};    // none: not compared
  i64 mostCompared = i64{1} << 16;
  std::map<std::string, Tolerance> tolerances = {};  // by output; otherwise by its type
  std::vector<std::string> worker = {};              // the command of the other process
  double patienceSeconds = kPatienceSeconds;         // that it may be silent beside `seconds`
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const Stage&)> progress = {};
  std::string date = {};
};

struct Measurement {
  DeviceInfo device;
  std::string architecture, compiler, log;  // compiled for sm_90 by NVRTC 13.0, and what that said
  std::string date;
  u64 seed = 1;
  std::map<std::string, i64> sizes;
  std::vector<KernelReport> kernels;
  std::vector<Comparison> checks;  // of every output
  std::string wrong;               // a sentence; empty: nothing that was compared is wrong
  Spread time;                     // microseconds of all kernels together; count 0: not timed
  int launchesPerRun = 1, copies = 1;
  Work work;
  Roofline roofline;
};

[[nodiscard]] Result<Measurement> run(const codegen::CudaSource& source, const graphene::Program& program,
                                      const RunOptions& options);

// Which device there is; a Diag says why there is none.
[[nodiscard]] Result<DeviceInfo> findDevice(const RunOptions& options = {});

// How this executable is started as the other process: {"/proc/self/exe", "measure-worker"}. Its main must then call runWorker().
[[nodiscard]] std::vector<std::string> workerCommand();
inline constexpr const char* kWorkerWord = "measure-worker";

// What run() and runBaseline() share: a request that says what is done, on the buffers of `inputs`.
[[nodiscard]] Result<Measurement> measured(Request request, Inputs& inputs, const Work& work, const Rounding& rounding,
                                           const RunOptions& options);

// Every output of a run beside its reference. `why` not empty: nothing was computed, and that is why.
[[nodiscard]] Result<std::vector<Comparison>> checksOf(const Inputs& inputs, const Rounding& rounding,
                                                       const RunOptions& options, const std::string& why = "");

// Elements of an output that a reference is computed for, at most: fewer where each takes longer.
[[nodiscard]] i64 affordable(const Inputs& inputs, i64 most);

// Where a program rounds: bits of precision of the narrowest type, where that is fewer than fp32's.
//     attention: probabilities become fp16 on the way        values 11, sums 0
//     an hfma that adds to fp16                              values 11, sums 11
[[nodiscard]] Rounding roundingOf(const graphene::Program& program);

}  // namespace tessera::measure
