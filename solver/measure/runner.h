// run: compiles generated code, runs it on this machine's GPU, checks and times it.
//
//     auto result = run(source, program,
//                       {.sizes = {{"M", 64}}, .seed = 7, .reference = referenceOf(...), .worker = workerCommand()});
//     result->checks[0]         %C: relative error 0.0004, worst element %C[3,5]
//     result->time.median       41.2 us, quartiles 41.0 and 41.5, 20 runs of 3 launches
//     result->wrong             empty, or "%C is wrong: ..."
//
// Runs in another process (worker.h), so that a kernel that hangs, crashes the driver or exhausts memory costs only a
// message. With no `worker` it runs in this process, which only tests and the worker itself should do. Blocks: call it
// from a job's thread.
//
// Laws: a Diag means there is no measurement: no device, an old driver, no memory, code that does not compile (with the
// line of the generated text and the place in the Graphene text), a launch that failed or did not end, cancellation. A
// wrong result is not a Diag: it is measured and marked wrong. Nothing here reads the clock; `date` is set by the
// caller.
#pragma once

#include "solver/measure/predict/roofline.h"
#include "solver/measure/reference/compare.h"
#include "solver/measure/reference/statistics.h"

namespace tessera::measure {

struct RunOptions : Hooks {
  std::map<std::string, i64> sizes = {};  // of the symbols
  u64 seed = 1;
  int device = 0;
  int warmups = 3, runs = 20;  // 0 runs: check only
  double seconds = 10;         // limit for a launch
  Reference reference = {};    // none: do not compare
  i64 mostCompared = i64{1} << 16;
  std::map<std::string, Tolerance> tolerances = {};  // by output; default: by its type
  std::vector<std::string> worker = {};              // command of the other process
  double silenceSeconds = kSilenceSeconds;           // its allowed silence beyond `seconds`
  std::string date = {};
};

// Microseconds of a run of all kernels; count 0: not timed.
struct Timing : Spread, HowTimed {};

// The results of a run, on a device or emulated.
struct Checked {
  u64 seed = 1;
  std::map<std::string, i64> sizes;
  std::vector<Comparison> checks;  // one per output
  std::string wrong;               // one sentence; empty: no compared element is wrong
  Work work;
  // Compares the outputs; `why`: checksOf's.
  Result<void> check(const Inputs& inputs, const Rounding& rounding, const RunOptions& options,
                     const std::string& why = "");
};

struct Measurement : Report, Checked {
  std::string date;
  Timing time;
  Roofline roofline;
};

[[nodiscard]] Result<Measurement> run(const codegen::CudaSource& source, const graphene::Program& program,
                                      const RunOptions& options);

// The device, or a Diag with the reason why there is none.
[[nodiscard]] Result<DeviceInfo> findDevice(const RunOptions& options = {});

// Command that starts this executable as the worker: {"/proc/self/exe", "measure-worker"}. Its main must then call
// runWorker().
[[nodiscard]] std::vector<std::string> workerCommand();
inline constexpr const char* kWorkerWord = "measure-worker";

// Executes a request here, or in the worker process of the options.
[[nodiscard]] Result<Report> reportOf(const Request& request, SharedMemory& memory, const RunOptions& options);

// Shared by run() and runBaseline(): performs a request on the buffers of `inputs`.
[[nodiscard]] Result<Measurement> measured(Request request, Inputs& inputs, const Work& work, const Rounding& rounding,
                                           const RunOptions& options);

// Compares every output of a run with its reference. A non-empty `why`: nothing was computed, for that reason.
[[nodiscard]] Result<std::vector<Comparison>> checksOf(const Inputs& inputs, const Rounding& rounding,
                                                       const RunOptions& options, const std::string& why = "");

// Number of elements of an output to compute a reference for, at most `most`; fewer if each takes longer.
[[nodiscard]] i64 affordable(const Inputs& inputs, i64 most);

// Where a program rounds: the precision in bits of the narrowest type, if less than fp32's.
//     attention: intermediate probabilities become fp16      values 11, sums 0
//     an hfma that adds to fp16                              values 11, sums 11
[[nodiscard]] Rounding roundingOf(const graphene::Program& program);

}  // namespace tessera::measure
