// Steps: a program as a list of moments: every leaf, barrier, commit and wait of one block, in program order, loops unrolled.
//
//     for (k = 0; k < 32; k += 16) { %s <- Move(%a)  sync  %c <- MatMul(%s, %b)  sync }
//
//     step   0 Move k=0    1 sync    2 MatMul k=0    3 sync    4 Move k=16   ...   8 steps
//     phase  0             0         1               1         2
//
// It is the clock of the player: step n of N is found without the others being made, so that a GEMM of 10^9 steps costs what
// a small one costs. A branch is counted both ways; who takes it is asked of each thread (enabled).
//
// Law: at(n) for n = 0 .. count()-1 is the program's own order (tests/graphene holds it to an interpreter that runs loops).
// What it is not: an emulator. Nothing is computed; it says who touches which place, and whether a place was written before.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/graphene/places.h"
#include "core/graphene/spec_tree.h"

namespace tessera::graphene {

struct Step {
  i64 number = 0;
  const Statement* statement = nullptr;
  int row = -1;                                          // of a leaf, in the tree
  int kernel = -1;                                       // row of the kernel; -1: outside of every specification
  std::vector<std::pair<int, i64>> loops;                // variable, value; outermost first
  std::vector<std::pair<const Branch*, bool>> branches;  // true: under its `then`
  i64 phase = 0;                                         // block barriers of the kernel that lie before it
  // The decomposed specifications around it, by row, and the bodies: with the first step of this passage and its steps.
  struct Passage {
    int row = -1;
    const Body* body = nullptr;
    i64 first = 0, steps = 0;
  };
  std::vector<Passage> passages;
};

// Whose turn a place was, when it was written last.
struct Writing {
  i64 step = -1;        // -1: not before
  bool arrived = true;  // false: by an asynchronous move that nobody has waited for
};

class Steps {
 public:
  // `sizes`: of symbolic sizes, by name. Refused: a size that is not given; loops whose bounds differ between threads, or
  // are no numbers; more than 2^60 steps.
  [[nodiscard]] static Result<Steps> of(std::shared_ptr<const Program> program,
                                        const std::map<std::string, i64>& sizes = {},
                                        std::string_view architecture = "sm_80");
  [[nodiscard]] i64 count() const { return count_; }
  [[nodiscard]] Step at(i64 n) const;  // requires 0 <= n < count()
  // The first step inside a specification (itself, when it is a leaf); -1 when loops around it are empty.
  [[nodiscard]] i64 firstOf(int row) const;

  [[nodiscard]] const Program& program() const { return *program_; }
  [[nodiscard]] const SpecTree& tree() const { return tree_; }
  [[nodiscard]] i64 blocks(int kernel) const;
  [[nodiscard]] i64 threads(int kernel) const;  // of a block

  // Of every variable, for one thread of one block at that step.
  [[nodiscard]] std::vector<i64> values(const Step& step, i64 block, i64 thread) const;
  // Whether the thread takes the branches that lead to the step.
  [[nodiscard]] bool enabled(const Step& step, std::span<const i64> values) const;
  // The threads that execute the leaf together with this one, by lane: itself, or those of <<<, #t>>>.
  [[nodiscard]] std::vector<i64> group(const Step& step, std::span<const i64> values) const;
  // The places of operand `o` (outputs, then inputs) of the step's leaf.
  [[nodiscard]] Result<Slots> slots(const Step& step, std::size_t o) const;
  [[nodiscard]] std::span<const i64> sizes() const { return sizes_; }  // by variable; 0 where it is no size

  // When the places of a root were written last before step n, by block `block`: address -> writing, of registers
  // thread * kRegisters + address. At most `work` places are looked at, the newest first; `complete` says whether that was
  // enough to know all.
  static constexpr i64 kRegisters = i64{1} << 24;
  struct Written {
    std::map<i64, Writing> places;
    bool complete = true;
  };
  [[nodiscard]] Written writtenBefore(i64 n, int root, i64 block, i64 work) const;

 private:
  struct Totals {
    i64 steps = 0, syncs = 0;
  };
  struct Bounds {
    Formula lo, hi;
    i64 step = 1;
    bool varies = false;  // loops inside run differently long at each value
  };
  Steps() = default;
  Result<void> prepare(const Body& body, std::vector<int>& around, int depth);
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
  std::vector<Formula> index_;  // by variable: of indices
  i64 count_ = 0;
};

}  // namespace tessera::graphene
