// Warp: 32 threads of a block that execute together, and WarpColumns: the values of a plan's expressions in each of
// them.
//
//     w.mask == 0b1011                        lanes 0, 1 and 3 execute the step plan.steps[w.pc]
//     for (const int lane : lanesIn(w.mask))  0, 1, 3
//     w.columns(7)[3]                         column 7 of the plan in lane 3
//
// A column is computed for all lanes at once, and again only after a step of a loop that it reads.
#pragma once

#include <array>
#include <bit>

#include "solver/emulate/guards/boxes.h"
#include "solver/emulate/memory/cells.h"
#include "solver/emulate/plan.h"

namespace tessera::graphene {

class GuardedValues;

inline constexpr int kLanes = 32;
inline constexpr Boxes::Id kNoBox = -2;
using Lanes = std::uint32_t;  // a set of lanes, a bit for each
using LaneValues = std::array<i64, kLanes>;

struct LaneIterator {
  Lanes rest = 0;
  int operator*() const { return std::countr_zero(rest); }
  LaneIterator& operator++() {
    rest &= rest - 1;
    return *this;
  }
  bool operator==(const LaneIterator&) const = default;
};
struct LaneRange {
  Lanes lanes = 0;
  [[nodiscard]] LaneIterator begin() const { return {lanes}; }
  [[nodiscard]] LaneIterator end() const { return {}; }
};
// The lanes of a set, ascending.
[[nodiscard]] inline LaneRange lanesIn(Lanes lanes) { return {lanes}; }
[[nodiscard]] inline bool holds(Lanes lanes, i64 lane) { return (lanes >> lane & 1) != 0; }

class WarpColumns {
 public:
  // The threads first .. first + 31 of a block; loops are at 0.
  void begin(const Plan& plan, i64 block, i64 first);
  [[nodiscard]] i64 thread(int lane) const { return threads_[lane]; }
  [[nodiscard]] const LaneValues& operator()(int column);
  // The values of a loop. Whoever changes them calls stepped().
  [[nodiscard]] LaneValues& loop(int index) { return loops_[index]; }
  void stepped(int loop) { stepped_[loop] = ++clock_; }
  // The values of all loops in a lane; they stay the same until clock() advances.
  [[nodiscard]] std::vector<i64> loopsOf(int lane) const;
  [[nodiscard]] u64 clock() const { return clock_; }

 private:
  const Plan* plan_ = nullptr;
  LaneValues blocks_{}, threads_{};
  std::vector<LaneValues> loops_, columns_;
  u64 clock_ = 1;
  std::vector<u64> stepped_;   // by loop: clock of its last step
  std::vector<u64> computed_;  // by column: clock of the evaluation; 0: never
  std::vector<const i64*> digits_;
  std::vector<i64> scratch_;
};

struct Warp {
  enum class Status : unsigned char { Ready, Waiting, Blocked, Done };  // Waiting: at `sync`; Blocked: at mbarrier.wait

  int index = 0;
  Lanes live = 0, mask = 0;
  std::size_t pc = 0;
  std::vector<std::pair<Lanes, Lanes>> masks;  // the mask before an `if` or a loop, and the lanes in its other part
  GuardedValues* guards = nullptr;             // null: the plan has no guards
  std::array<Boxes::Id, kLanes> box{};         // the sizes at which a lane executes; kNoBox: not a box
  std::vector<std::array<std::array<Boxes::Id, kLanes>, 2>> boxes;  // before an `if`, and in its other part
  Status status = Status::Ready;
  std::uint16_t epoch = 0;
  WarpColumns columns;
  std::vector<std::uint32_t> instance;  // by root: number of declarations so far
  std::uint32_t moment = 0;             // index of the loop values that were noted last,
  u64 noted = 0;                        // and columns.clock() then

  [[nodiscard]] i64 thread(int lane) const { return columns.thread(lane); }
};

// Timeline: the current position of a run, from which the tags of its accesses are made.

struct Timeline {
  int kernel = 0;  // in plan.specs
  i64 block = 0;
  i64 phase = 0;             // barriers of the block so far
  Clocks clocks;             // used if the block has mbarriers
  std::vector<i64> moments;  // concatenated loop values of the recorded moments, for findings
};

// The tag of a lane's current access.
[[nodiscard]] Tag tagOf(Timeline& now, Warp& w, int leaf, int lane);

}  // namespace tessera::graphene
