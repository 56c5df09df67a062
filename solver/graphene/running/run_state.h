// SpecRun: one specification on terms, a kernel or a decomposition inside one: the machine, the accesses, the verdicts
// so far, and the comparison of actual with expected values.
#pragma once

#include "solver/emulate/equality/same_value.h"
#include "solver/graphene/check.h"
#include "solver/graphene/running/run_kernel.h"
#include "solver/graphene/values/functions.h"

namespace tessera::graphene {

// The verdicts so far of one specification.
struct Known {
  std::map<Obligation, Finding> findings;
  std::map<Obligation, std::string> open, proved;
  std::string notStated;  // O8
  bool generic = false;   // no O5

  void refute(Finding f) {
    const Obligation o = f.obligation;
    findings.try_emplace(o, std::move(f));
  }
  void unknownAll(const std::string& reason);
  void provedAll(const std::string& reason);
  [[nodiscard]] std::vector<ObligationVerdict> verdicts() const;
};

// Records the accesses of a run to global memory and to the outputs.
class Watch : public Observer {
 public:
  struct Range {
    std::vector<i64> least, most;
  };
  enum Bits : std::uint8_t { Read = 1, Written = 2, WrittenTwice = 4 };

  // `beside`: another observer of the same accesses; may be null.
  Watch(const Plan& plan, const PlanSpec& spec, Observer* beside);
  [[nodiscard]] bool wants(int root) const override { return watched_[root] != 0 || beside(root); }
  void signal(const Signal& s) override {
    if (beside_ != nullptr) beside_->signal(s);
  }
  [[nodiscard]] int loopOfLeaf(int leaf) const override { return beside_ == nullptr ? -1 : beside_->loopOfLeaf(leaf); }
  [[nodiscard]] int loopOfStep(std::size_t step) const override {
    return beside_ == nullptr ? -1 : beside_->loopOfStep(step);
  }
  void touch(const Touched& t) override;
  void clear();
  // Bits of a place of an output; 0: not accessed.
  [[nodiscard]] std::uint8_t at(int root, i64 block, const PlaceOf& place) const;
  [[nodiscard]] const std::vector<std::uint8_t>& touched(int root) const { return touched_[root]; }
  // Range of the coordinates of each global access, by leaf and operand.
  [[nodiscard]] const std::map<std::pair<int, int>, Range>& ranges() const { return ranges_; }

 private:
  [[nodiscard]] bool beside(int root) const { return besideWants_[root] != 0; }

  const Plan& plan_;
  Observer* beside_;
  std::vector<char> watched_;      // 2: an output
  std::vector<char> besideWants_;  // by root
  std::vector<std::vector<std::uint8_t>> touched_;
  std::map<std::pair<int, int>, Range> ranges_;
  Range* last_ = nullptr;  // the range of the access before
  std::pair<int, int> lastOf_;
};

class SpecRun {
 public:
  SpecRun(const Plan& plan, int number, const CheckOptions& options, Witness* witness = nullptr);  // of plan.specs

  // Pseudo-copy of a register input: the element that the register holds.
  static constexpr i64 kElement = -1;
  // The initial value of a place.
  Terms::Value initial(int root, i64 block, const PlaceOf& at);
  // Compares the value at a place with `expected`; adds a difference to what is known, and returns false, or an open
  // comparison: neither proved equal nor shown different. A sum that lacks a summand or has one twice also violates O4
  // or O5.
  bool judge(int root, i64 block, const PlaceOf& place, Terms::Value expected);
  // The finding for a different value at a place.
  [[nodiscard]] Finding finding(int root, i64 block, const PlaceOf& place, Terms::Value expected);
  // "%C[0,8] is never written"
  [[nodiscard]] Finding findingAt(Obligation o, int root, i64 block, const PlaceOf& place, const std::string& what,
                                  std::string_view between = " ") const;
  [[nodiscard]] SameValue& same() { return same_; }
  // Whether the values are equal, by the first two steps of `same`; tells the witness.
  [[nodiscard]] bool isEqual(Terms::Value expected, Terms::Value actual) {
    if (witness_ != nullptr) witness_->compared(expected, actual);
    return same_.equal(expected, actual);
  }
  // "" if all values were equal as terms, otherwise the laws of real numbers used.
  [[nodiscard]] std::string how() const;

  [[nodiscard]] std::vector<i64> coordinateOf(int root, i64 address) const;   // in the declared dimensions
  [[nodiscard]] static std::string text(const std::vector<i64>& values);      // "[0,8]"
  [[nodiscard]] std::string placeText(int root, const PlaceOf& place) const;  // "%C[0,8]", "%d register 3 of thread 5"

 protected:
  friend class EquationCheck;
  [[nodiscard]] const Root& rootOf(int root) const { return plan_.roots[root]; }
  [[nodiscard]] bool written(int root, i64 block, const PlaceOf& at) const {
    return at.address >= 0 && (watch_.at(root, block, at) & Watch::Written) != 0;
  }

  const Plan& plan_;
  const int number_;
  const PlanSpec& spec_;
  Terms terms_;
  Watch watch_;
  Machine<Terms> machine_;
  Witness* witness_;  // may be null
  Known known_;

 private:
  [[nodiscard]] std::string nameOf(int root, i64 copy, i64 element) const;

  SameValue same_{terms_};
};

}  // namespace tessera::graphene
