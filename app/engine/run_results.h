// RunResults: what the runs of a sheet found, kept beside its text, and which of them are to be run again.
//
//     results.ask("run gemm with M=8");             the Run button: the next answer of that statement runs
//     results.takeAsked("run gemm with M=8")        true, once
//     results.keep({"run gemm with M=8", sumOf(listing), table});
//     results.find("run gemm with M=8")->table      dated, with device and driver, until it is run again
//     results.text()                                JSON, for the file beside the sheet; read(text) takes it back
//
// Laws: read(text()) keeps what was kept. Any thread. A statement has at most one result, its last.
//
// Why a run statement does not run by itself: a measurement takes the device for seconds, and a sheet is evaluated anew whenever
// it is opened or a line above is edited. What was measured is a fact with a date, not a value of the text.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/graphene/listing.h"
#include "solver/measure/comparison.h"

namespace tessera {

struct KeptRun {
  std::string key;      // runKey() of the statement
  std::string program;  // programSum() of what ran
  measure::ComparisonTable table;
};

// Tells programs apart by their texts.
[[nodiscard]] std::string programSum(const graphene::Listing& listing);

class RunResults {
 public:
  [[nodiscard]] std::optional<KeptRun> find(const std::string& key) const;
  void keep(KeptRun run);
  void ask(const std::string& key);
  [[nodiscard]] bool takeAsked(const std::string& key);

  [[nodiscard]] bool empty() const;
  // Counts what was kept and read.
  [[nodiscard]] std::uint64_t revision() const;
  [[nodiscard]] std::string text() const;
  // Instead of what is kept; what cannot be read is passed over. A Diag: no such file at all, and then nothing is kept.
  [[nodiscard]] Result<void> read(std::string_view text);
  void clear();

 private:
  mutable std::mutex mutex_;
  std::map<std::string, KeptRun> kept_;
  std::set<std::string> asked_;
  std::uint64_t revision_ = 0;
};

}  // namespace tessera
