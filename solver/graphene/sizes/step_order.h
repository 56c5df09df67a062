// StepOrder: that mbarriers order the steps of growing loops alike at every larger size (growth.h).
//
//     consumers   mbarrier.wait %full[kt%4], kt/4    ...   mbarrier.arrive %empty[kt%4]
//     producer    mbarrier.wait %empty[kt%4], kt/4 - 1     copies that arrive at %full[kt%4]
//
// A phase, which is position place + 4*phase of its barriers, consists of its arrivals and its waits. In the run at s:
//
//     phases     build those at s + period: instances before the cut + steps as they are, those from the cut on
//                `steps` later and some positions further. Each must be a phase of the run, as it is or moved as a
//                whole
//     forward    no thread waits for an arrival in a later step. So what orders two steps is between them, and at
//                s + period it is there, too
//     overlap    all that threads do in step cut - overlap + lag and before is ordered before all that they do from the
//                cut on. So accesses further apart are in order at every size, and nearer ones are as in the run
//
// Law: if these hold and the run at s has no finding of O1, O6 or O7, the run at s + period has none.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "solver/graphene/sizes/cut.h"

namespace tessera::graphene {

class StepOrder : public Witness {
 public:
  // `regions`: outlive it.
  StepOrder(const Plan& plan, CutAt at, const PlanRegions& regions);

  // Why it does not follow; empty: it does. Requires a finished run.
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }

  void begins(const Machine<Terms>& machine) override { machine_ = &machine; }
  [[nodiscard]] bool wants(int root) const override { return plan_.roots[root].memory == Memory::Shared; }
  [[nodiscard]] int loopOfLeaf(int leaf) const override { return regions_.ofLeaf[leaf].loop; }
  [[nodiscard]] int loopOfStep(std::size_t step) const override { return regions_.ofStep[step].loop; }
  void touch(const Touched& t) override;
  void signal(const Signal& s) override;
  void compared(Terms::Value, Terms::Value) override {}
  void ended(Terms& terms) override;

 private:
  // Steps, with everything before and after the loops.
  static constexpr i64 kBefore = INT64_MIN, kAfter = INT64_MAX;
  struct OfThread {
    bool early = false, inBase = false;  // acts in the loop before the base, and in the base
    bool acts = false;                   // in the base or before
    std::uint32_t last = 0;              // its clock then
    Clocks::Row known;                   // of its first action from the cut on
  };
  using Participant = std::tuple<bool, i64, i64, i64>;  // waits; step; leaf or statement; thread
  using Phase = std::vector<Participant>;
  using Position = std::pair<int, i64>;  // root, place + places * phase

  [[nodiscard]] i64 base() const { return at_.at - at_.overlap + at_.lag; }
  static i64 stepOf(const PlanRegions::Place& place, i64 iteration);
  void act(i64 thread, i64 step);
  void phases();
  void forward();
  void overlap();
  [[nodiscard]] Phase moved(const Phase& phase, i64 from) const;
  [[nodiscard]] std::string nameOf(int root) const { return "%" + plan_.roots[root].tensor.name; }
  void fail(std::string why) {
    if (obstacle_.empty()) obstacle_ = std::move(why);
  }

  const Plan& plan_;
  const CutAt at_;
  const PlanRegions& regions_;
  const Machine<Terms>* machine_ = nullptr;
  std::vector<OfThread> threads_;
  std::map<std::size_t, std::uint32_t> landed_;  // by barrier: phases of copies issued in the base or before
  std::map<Position, Phase> phases_;
  std::map<int, std::vector<i64>> counts_;  // by root: the arrivals of a phase of each barrier
  std::string obstacle_;
};

}  // namespace tessera::graphene
