// Findings: what a run reports, one finding per kind and pair of steps, and why it stopped.
#pragma once

#include <map>
#include <tuple>

#include "solver/kernel/kernel.h"
#include "solver/kernel/machine/state.h"

namespace tessera::kernel {

class Findings {
 public:
  Findings(const Program& program, const Launch& launch) : program_(program), launch_(launch) {}

  // The finding of this kind at `step` with `other`, or null if it was reported before (then it is counted).
  Finding* add(Verdict kind, int step, int other = -1, int detail = 0);
  [[nodiscard]] Point point(std::uint32_t thread, int step) const;
  // A finding without an address.
  void report(Verdict kind, int step, std::uint32_t thread, std::string message, int detail = 0);
  void stop(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
  }
  [[nodiscard]] std::size_t count() const { return kept_.size(); }
  [[nodiscard]] bool stopped() const { return !reason_.empty(); }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // In the order of Verdict.
  [[nodiscard]] std::vector<Finding> all() const;
  [[nodiscard]] std::string threadText(std::uint32_t thread) const;  // "thread 33 of block 2"

 private:
  const Program& program_;
  const Launch& launch_;
  std::map<std::tuple<Verdict, int, int, int>, Finding> kept_;
  std::string reason_;
};

}  // namespace tessera::kernel
