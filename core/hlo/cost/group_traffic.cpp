#include "core/hlo/cost/group_traffic.h"

#include <utility>

#include "core/hlo/compose/fusion.h"

namespace tessera::hlo {
namespace {

Traffic times(Traffic t, i64 runs) {
  t.needed = timesAtMost(t.needed, runs);
  t.asked = timesAtMost(t.asked, runs);
  t.wasted = timesAtMost(t.wasted, runs);
  return t;
}

class Sums {
 public:
  Sums(const Module& module, const Ranking& ranking)
      : module_(module), kernels_(module.computations.size()), whole_(module.computations.size()) {
    for (const KernelWaste& k : ranking.kernels) kernels_[static_cast<std::size_t>(k.where.computation)].push_back(&k);
    state_.assign(module.computations.size(), 0);
  }

  // In one run of the computation.
  std::vector<Traffic> instructionsOf(int computation) {
    const Computation& c = module_.computation(computation);
    std::vector<Traffic> all(c.instructions.size());
    for (const KernelWaste* k : kernels_[static_cast<std::size_t>(computation)])
      all[static_cast<std::size_t>(k->where.instruction)] = {k->needed(), k->asked(), k->wasted(), 1};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Instruction& instruction = c.instructions[i];
      if (!runsOthers(instruction)) continue;
      const auto trips = instruction.opcode == "while" ? tripsOf(module_, {computation, static_cast<int>(i)}) : 1;
      for (const int called : calledBy(module_, instruction)) {
        all[i].add(times(whole(called), trips.value_or(1)));
        all[i].known = all[i].known && trips.has_value();
      }
    }
    return all;
  }

 private:
  static bool runsOthers(const Instruction& i) {
    return i.opcode == "while" || i.opcode == "conditional" || i.opcode == "call";
  }

  const Traffic& whole(int computation) {
    std::vector<int> open{computation};
    while (!open.empty()) {
      const int c = open.back();
      const auto at = static_cast<std::size_t>(c);
      if (state_[at] == 0) {
        state_[at] = 1;
        for (const Instruction& i : module_.computation(c).instructions)
          for (const int called : runsOthers(i) ? calledBy(module_, i) : std::vector<int>())
            if (state_[static_cast<std::size_t>(called)] == 0) open.push_back(called);
        continue;
      }
      open.pop_back();
      if (state_[at] == 2) continue;
      state_[at] = 2;  // now, so that one that calls itself ends
      for (const Traffic& t : instructionsOf(c)) whole_[at].add(t);
    }
    return whole_[static_cast<std::size_t>(computation)];
  }

  const Module& module_;
  std::vector<std::vector<const KernelWaste*>> kernels_;
  std::vector<Traffic> whole_;
  std::vector<int> state_;  // 1: open, 2: done
};

}  // namespace

void Traffic::add(const Traffic& other) {
  needed = plusAtMost(needed, other.needed);
  asked = plusAtMost(asked, other.asked);
  wasted = plusAtMost(wasted, other.wasted);
  kernels += other.kernels;
  known = known && other.known;
}

std::vector<Traffic> trafficOf(const Module& module, const Ranking& ranking, int computation) {
  std::vector<Traffic> all = Sums(module, ranking).instructionsOf(computation);
  const Runs runs = runsOf(module)[static_cast<std::size_t>(computation)];
  for (Traffic& t : all) {
    t = times(t, runs.times);
    t.known = t.known && runs.known;
  }
  return all;
}

}  // namespace tessera::hlo
