// RunResults: the results of a sheet's runs, kept beside its text, and the set of statements to run again.
//
//     results.ask("run gemm with M=8");             the Run button: the next answer of that statement runs
//     results.takeAsked("run gemm with M=8")        true, once
//     results.keep({"run gemm with M=8", sumOf(listing), table});
//     results.find("run gemm with M=8")->table      with date, device and driver, until the next run
//     results.text()                                JSON, for the file beside the sheet; read(text) is the inverse
//
// Laws: read(text()) restores all results. Thread-safe. A statement has at most one result, its last.
//
// Why run statements do not run automatically: a measurement occupies the device for seconds, and a sheet is
// re-evaluated whenever it is opened or a line above is edited. A measurement is a fact with a date, not a value of the
// text.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/graphene/listing.h"
#include "solver/measure/report/comparison.h"

namespace tessera {

struct KeptRun {
  std::string key;      // runKey() of the statement
  std::string program;  // programSum() of what ran
  measure::ComparisonTable table;
};

// A key that distinguishes programs by their texts.
[[nodiscard]] std::string programSum(const graphene::Listing& listing);

class RunResults {
 public:
  [[nodiscard]] std::optional<KeptRun> find(const std::string& key) const;
  void keep(KeptRun run);
  void ask(const std::string& key);
  [[nodiscard]] bool takeAsked(const std::string& key);

  [[nodiscard]] bool empty() const;
  // Counts changes by keep and read.
  [[nodiscard]] std::uint64_t revision() const;
  [[nodiscard]] std::string text() const;
  // Replaces the kept results; unreadable ones are skipped. Returns a Diag, and keeps nothing, if it is not such a
  // file.
  [[nodiscard]] Result<void> read(std::string_view text);
  void clear();

 private:
  mutable std::mutex mutex_;
  std::map<std::string, KeptRun> kept_;
  std::set<std::string> asked_;
  std::uint64_t revision_ = 0;
};

}  // namespace tessera
