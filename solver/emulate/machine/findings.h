// Findings: what a run reports, and why it stopped.
//
//     if (findings.known(Obligation::Static, leaf, -1, -1)) return;   counted; true: one of its kind was reported
//     findings.fault(span, findings.instance(w, leaf, 3), "thread 3 ...");
//
// One finding is kept per kind, which is the obligation and the pair of statements; repetitions are counted.
#pragma once

#include <unordered_set>

#include "core/graphene/obligation.h"
#include "solver/emulate/counts.h"
#include "solver/emulate/machine/warp.h"

namespace tessera::graphene {

class Findings {
 public:
  Findings(const Plan& plan, const Timeline& now, const MachineOptions& options)
      : plan_(plan), now_(now), most_(options.maxFindings), stopAtFirst_(options.stopAtFirst) {}

  [[nodiscard]] const Timeline& now() const { return now_; }
  [[nodiscard]] const std::vector<Finding>& kept() const { return kept_; }
  [[nodiscard]] i64 count() const { return count_; }                     // including those not kept
  [[nodiscard]] const std::string& stopped() const { return stopped_; }  // why the run stopped early; empty: it did not
  [[nodiscard]] bool halted() const { return !stopped_.empty(); }
  void halt(const char* why) {
    if (stopped_.empty()) stopped_ = why;
  }

  // Counts a finding; returns true if it was reported before.
  bool known(Obligation obligation, int leaf, int operand, int other);
  // The same for a fault of a statement, one kind each.
  bool knownStep(int kind, Span span) {
    return known(Obligation::Static, -2, kind, static_cast<int>(span.begin % (1u << 27)));
  }
  // Keeps it, if there is room.
  void report(Finding finding);
  void add(Finding finding) {
    ++count_;
    report(std::move(finding));
  }
  void fault(Span span, Instance who, std::string message);  // Obligation::Static
  // Reports lanes of the warp that are missing. `what`: "at this barrier with others of their warp"
  void together(const Warp& w, Span span, const char* what) {
    if (w.mask != w.live) absent(w, span, w.live & ~w.mask, what);
  }
  // The lanes `missing` do not reach a step.
  void absent(const Warp& w, Span span, Lanes missing, const char* what);
  // A lane that does not fit the group of its instruction.
  void misplaced(const Warp& w, int leaf, int lane, const char* what);

  // The instance that executes now, and the one of an earlier access.
  [[nodiscard]] Instance instance(const Warp& w, int leaf, int lane) const {
    return instance(leaf, now_.block, w.thread(lane), w.columns.loopsOf(lane));
  }
  [[nodiscard]] Instance instance(const Tag& tag) const;

 private:
  [[nodiscard]] Instance instance(int leaf, i64 block, i64 thread, std::span<const i64> loops) const;

  const Plan& plan_;
  const Timeline& now_;
  std::size_t most_;
  bool stopAtFirst_;
  std::vector<Finding> kept_;
  std::unordered_set<u64> known_;
  i64 count_ = 0;
  std::string stopped_;
};

}  // namespace tessera::graphene
