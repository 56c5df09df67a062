// tune: searches the parameters of a program: proves, compiles and measures every combination that its requirements
// allow.
//
//     candidates  BM=64 stages=2 | BM=64 stages=3 | ...     candidatesOf (core/graphene/reader/parameters.h)
//     each        read -> prove (O1 to O8, for a few seconds) -> CUDA -> run, compare and time -> one line of the log
//
//     tune(request, todo, options, [&](const TuneEntry& e) { return append(print(e)); })
//
// Laws: a refuted candidate never runs. A candidate that hangs or fails becomes an entry with the reason, and the
// search continues. `done` receives complete entries only: stopping a search loses at most the current candidate.
// Without a device no entry has a time: a candidate that compiles and is not refuted is Untimed, with the compiler's
// figures. A search never marks right what was not compared.
#pragma once

#include <functional>

#include "core/graphene/reader/parameters.h"
#include "solver/measure/report/tune_log.h"
#include "solver/measure/runner.h"

namespace tessera::measure {

struct TuneRequest {
  std::string name, text;  // of the program
  std::string architecture = "sm_80";
  graphene::Settings fixed;        // of all candidates; may be lists: {"BM", "64,128"}
  std::vector<std::string> sizes;  // of every symbol: "M=40", or "BM*M=5120" to keep the problem the same for all
  double proveSeconds = 5;         // per candidate
};

// Candidates by key, in the order of the lists, without those incompatible with the sizes. Returns a Diag if no
// parameter has a list or no combination meets the requirements.
[[nodiscard]] Result<std::map<std::string, graphene::Settings>> candidatesByKey(const TuneRequest& request,
                                                                                std::vector<std::string>& order);

// First line of a log, which identifies the search: "# tessera tune gemm sm_80 M=8 9f3a52c1d0e4b687". The number is the
// text's hash.
[[nodiscard]] std::string headOfLog(const TuneRequest& request);
// The first line of a log if it has that form; otherwise "".
[[nodiscard]] std::string headIn(std::string_view log);

struct TuneHooks {
  std::function<Result<void>(const TuneEntry&)> done;  // a Diag ends the search
  std::function<void(std::size_t at, const std::string& what)>
      progress;  // at: index of the candidate; what: "BM=64 stages=2: compiling"
};

// Processes the candidates `todo` in order. `options`: seed, runs, limits, worker, cancel, date. Returns a Diag if
// cancelled, or the Diag of done(). Requires: every one of `todo` is a key of `candidates`.
[[nodiscard]] Result<void> tune(const TuneRequest& request, const std::map<std::string, graphene::Settings>& candidates,
                                const std::vector<std::string>& todo, const RunOptions& options,
                                const TuneHooks& hooks);

// One candidate: what tune() does for each. `device`: that of findDevice(), or a Diag, and nothing is timed. Returns a
// Diag only if cancelled.
[[nodiscard]] Result<TuneEntry> tuneOne(const TuneRequest& request, const std::string& key,
                                        const graphene::Settings& settings, const RunOptions& options,
                                        const Result<DeviceInfo>& device,
                                        const std::function<void(const std::string&)>& tell = {});

// Lines: the ranking with its figures, then the wrong, refuted and failed candidates with reasons, then the count of
// each.
[[nodiscard]] std::string textOf(const TuneLog& log);

}  // namespace tessera::measure
