// Steps: the execution of one block as a sequence of steps: every leaf, barrier, commit and wait in program order,
// loops unrolled.
//
//     for (k = 0; k < 32; k += 16) { %s <- Move(%a)  sync  %c <- MatMul(%s, %b)  sync }
//
//     step   0 Move k=0    1 sync    2 MatMul k=0    3 sync    4 Move k=16   ...   8 steps
//     phase  0             0         1               1         2
//
// This is the time axis of the player. at(n) computes step n without enumerating the other steps, so a GEMM of 10^9
// steps costs no more than a small one. Both sides of a branch are included; `enabled` tells which threads take it.
//
// Law: at(n) for n = 0 .. count()-1 is program order (tests/graphene compares with an interpreter that runs loops).
// Not an emulator: it computes no values, only which thread accesses which place, and whether the place was written.
// Not a Walk: at(n) skips whole statements by their number of steps, and enters one of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/graphene/slots/slots.h"
#include "core/graphene/spec_tree.h"

namespace tessera::graphene {

struct Step {
  i64 number = 0;
  const Statement* statement = nullptr;
  int row = -1;                                          // of a leaf, in the tree
  int kernel = -1;                                       // row of the kernel; -1: outside every specification
  std::vector<std::pair<int, i64>> loops;                // variable, value; outermost first
  std::vector<std::pair<const Branch*, bool>> branches;  // true: in its `then`
  i64 phase = 0;                                         // the kernel's block barriers before it
  // The decomposed specifications (by row) and bodies around it, with the first step and the step count of this pass.
  struct Passage {
    int row = -1;
    const Body* body = nullptr;
    i64 first = 0, steps = 0;
  };
  std::vector<Passage> passages;
};

// The last write of a place.
struct Writing {
  i64 step = -1;        // -1: none
  bool arrived = true;  // false: an asynchronous move that no wait covers yet
};

class Steps {
 public:
  // `sizes`: values of symbolic sizes, by name. A Diag: a size is missing; loop bounds differ between threads or have
  // no value; there are more than 2^60 steps.
  [[nodiscard]] static Result<Steps> of(std::shared_ptr<const Program> program,
                                        const std::map<std::string, i64>& sizes = {},
                                        std::string_view architecture = "sm_80");
  [[nodiscard]] i64 count() const { return count_; }
  [[nodiscard]] Step at(i64 n) const;  // Requires 0 <= n < count()
  // The first step inside a specification (the leaf itself for a leaf); -1 if loops around it are empty.
  [[nodiscard]] i64 firstOf(int row) const;

  [[nodiscard]] const Program& program() const { return *program_; }
  [[nodiscard]] const SpecTree& tree() const { return tree_; }
  [[nodiscard]] i64 blocks(int kernel) const;
  [[nodiscard]] i64 threads(int kernel) const;  // per block

  // The value of every variable for one thread of one block at that step.
  [[nodiscard]] std::vector<i64> values(const Step& step, i64 block, i64 thread) const;
  // Whether the thread takes the branches around the step.
  [[nodiscard]] bool enabled(const Step& step, std::span<const i64> values) const;
  // The threads that execute the leaf together with this one, by lane: only this one, or those of <<<, #t>>>.
  [[nodiscard]] std::vector<i64> group(const Step& step, std::span<const i64> values) const;
  // The places of operand `o` (outputs, then inputs) of the step's leaf.
  [[nodiscard]] Result<Slots> slots(const Step& step, std::size_t o) const;
  [[nodiscard]] std::span<const i64> sizes() const { return sizes_; }  // by variable; 0: not a size

  // The last write of each place of a root before step n by that block, by address (for registers, by thread *
  // kRegisters + address). Examines at most `work` places, newest first; `complete`: all were examined.
  static constexpr i64 kRegisters = i64{1} << 24;
  struct Written {
    std::map<i64, Writing> places;
    bool complete = true;
  };
  [[nodiscard]] Written writtenBefore(i64 n, int root, i64 block, i64 work) const;

 private:
  struct Totals {
    i64 steps = 0, syncs = 0;
    Result<void> add(const Result<Totals>& other);
  };
  struct Bounds {
    Formula lo, hi;
    i64 step = 1;
    bool varies = false;  // the step count of inner loops depends on this loop's variable
  };
  Steps() = default;
  Result<void> prepare();
  [[nodiscard]] Result<Totals> totals(const Body& body, std::vector<i64>& values, i64& work) const;
  [[nodiscard]] Result<Totals> totals(const Statement& s, std::vector<i64>& values, i64& work) const;
  [[nodiscard]] Result<Totals> ofLoop(const Loop& loop, std::vector<i64>& values, i64& work) const;
  struct Descent;
  void descend(const Body& body, Descent& d) const;
  void enterLoop(const Loop& loop, Descent& d) const;
  [[nodiscard]] bool firstIn(const Body& body, const Spec* wanted, std::vector<i64>& values, i64& n) const;

  std::shared_ptr<const Program> program_;
  SpecTree tree_;
  std::vector<i64> sizes_;
  std::map<const Loop*, Bounds> bounds_;
  std::vector<Formula> index_;  // by variable: of indices()
  i64 count_ = 0;
};

}  // namespace tessera::graphene
