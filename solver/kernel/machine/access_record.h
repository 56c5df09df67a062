// AccessRecord: the accesses of each instruction, counted, with the first executions for layouts and pictures.
#pragma once

#include "solver/emulate/counts.h"
#include "solver/kernel/kernel.h"
#include "solver/kernel/machine/state.h"

namespace tessera::kernel {

class AccessRecord {
 public:
  explicit AccessRecord(const Program& program) : program_(program), steps_(program.steps.size()) {}
  // A request of a warp: `addresses` by lane, in the memory, kInactive if inactive. `argument`: the parameter whose
  // buffer they lie in, or -1. A request to global memory of an instruction that also accesses shared memory adds its
  // sectors only.
  void add(int step, const Block& block, const Warp& w, ptx::Space space, const AtlasAccess& access,
           const std::array<i64, kLanes>& addresses, int argument);
  [[nodiscard]] std::vector<AccessLine> takeLines();  // by line; once, after the run

 private:
  // The last request and its cost. Moved as a whole by a multiple of 128 bytes, it costs the same.
  struct Last {
    std::array<i64, kLanes> addresses{};
    int width = 0;  // 0: none
    graphene::LeafCounts cost;
  };
  [[nodiscard]] static bool alike(const std::array<i64, kLanes>& a, const std::array<i64, kLanes>& b);
  struct OfStep {
    graphene::LeafCounts counts;
    std::array<Last, 2> last;  // to global and to shared memory
    AccessLine line;
    bool used = false;
  };
  const Program& program_;
  std::vector<OfStep> steps_;
};

}  // namespace tessera::kernel
