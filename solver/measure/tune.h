// tune: a search over the parameters of a program: every combination that its requirements allow is proved, compiled, measured.
//
//     candidates    BM=64 stages=2 | BM=64 stages=3 | BM=128 stages=2 | ...         candidatesOf (core/graphene/parameters.h)
//     each          read -> proved (O1 to O8, for a few seconds) -> CUDA -> run, compared and timed -> one line of the log
//
//     tune(request, todo, options, [&](const TuneEntry& e) { return append(print(e)); })
//
// Laws: a candidate that the prover refutes is never run. One that hangs or fails is an entry that says so, and the search goes
// on. What is handed to `done` is whole: a search that is stopped has lost the candidate at hand and nothing else. Without a device
// no entry has a time: what compiles and is not refuted is Untimed, with what the compiler says of it.
// A search never calls right what was not compared.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/graphene/parameters.h"
#include "solver/measure/runner.h"
#include "solver/measure/tune_log.h"

namespace tessera::measure {

struct TuneRequest {
  std::string name, text;  // of the program
  std::string architecture = "sm_80";
  graphene::Settings fixed;        // of all candidates; some of a list: {"BM", "64,128"}
  std::vector<std::string> sizes;  // of every symbol: "M=40", or "BM*M=5120", which is one problem for all
  double proveSeconds = 5;         // of a candidate
};

// By their keys, in the order of the lists; those that cannot have the sizes are none. A Diag: no parameter has a list, or nothing
// keeps the requirements.
[[nodiscard]] Result<std::map<std::string, graphene::Settings>> candidatesByKey(const TuneRequest& request,
                                                                                std::vector<std::string>& order);

// What a log is a log of, as its first line: "# tessera tune gemm sm_80 M=8 9f3a52c1d0e4b687". The number is the text's.
[[nodiscard]] std::string headOfLog(const TuneRequest& request);
// The first line of a log's text, if it is one; "" otherwise.
[[nodiscard]] std::string headIn(std::string_view log);

struct TuneHooks {
  std::function<Result<void>(const TuneEntry&)> done;  // a Diag ends the search
  std::function<void(std::size_t at, const std::string& what)>
      progress;  // of which candidate, "BM=64 stages=2: compiling"
};

// The candidates `todo`, one after the other. `options`: seed, runs, limits, worker, cancel, date. A Diag: cancelled, or of done().
// Requires: every one of `todo` is a key of `candidates`.
[[nodiscard]] Result<void> tune(const TuneRequest& request, const std::map<std::string, graphene::Settings>& candidates,
                                const std::vector<std::string>& todo, const RunOptions& options,
                                const TuneHooks& hooks);

// Lines: the ranking with its figures, then what is wrong, refuted or failed and why, then how many of each.
[[nodiscard]] std::string textOf(const TuneLog& log);

}  // namespace tessera::measure
