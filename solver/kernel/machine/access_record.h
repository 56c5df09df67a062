// AccessRecord: the accesses of each instruction, counted, with the first executions for layouts and pictures.
#pragma once

#include "solver/emulate/counts.h"
#include "solver/kernel/kernel.h"
#include "solver/kernel/machine/state.h"

namespace tessera::kernel {

// What an instruction moves as a whole: a bulk copy, the operands of a product, a tile of wmma. It has no address of
// each lane, and the order in which hardware accesses shared memory for it is not documented: it has no wavefronts.
struct WholeAccess {
  ptx::Space space = ptx::Space::Shared;
  bool store = false;
  i64 bytes = 0;
  std::vector<i64> sectors = {};  // of global memory, with repetitions
  void add(i64 offset, int width) {
    for (i64 s = offset / 32; s <= (offset + width - 1) / 32; ++s)
      if (sectors.empty() || sectors.back() != s) sectors.push_back(s);
    moved += width;
  }
  i64 moved = 0;  // bytes in these sectors
};

class AccessRecord {
 public:
  explicit AccessRecord(const Program& program) : program_(program), steps_(program.steps.size()) {}
  // A request of a warp: `addresses` by lane, in the memory, kInactive if inactive. `argument`: the parameter whose
  // buffer they lie in, or -1. A request to global memory of an instruction that also accesses shared memory adds its
  // sectors only.
  void add(int step, const Block& block, const Warp& w, ptx::Space space, const AtlasAccess& access,
           const std::array<i64, kLanes>& addresses, int argument);
  void add(int step, WholeAccess access);
  [[nodiscard]] std::vector<AccessLine> takeLines();  // by line; once, after the run

 private:
  using Addresses = std::array<i64, kLanes>;
  // The last request and its cost. Moved as a whole by a multiple of 128 bytes, it costs the same.
  struct Last {
    Addresses addresses{};
    int width = 0;  // 0: none
    graphene::LeafCounts cost;
    i64 lowest = INT64_MAX, highest = -1;  // of the addresses
  };
  // AccessLine::Sample: addresses of the step, all moved by the same number of bytes.
  struct Sample {
    std::uint32_t block = 0, warp = 0, visit = 0, pattern = 0;
    u64 moved = 0;
  };
  // The bytes by which all addresses of `b` are moved to give `a`.
  [[nodiscard]] static std::optional<u64> moved(const Addresses& a, const Addresses& b);
  struct OfStep {
    graphene::LeafCounts counts;
    std::array<Last, 2> last;  // to global and to shared memory
    AccessLine line;
    std::vector<Addresses> patterns;
    std::vector<Sample> samples;
    Mask lanes = 0;  // of the first execution
    bool used = false;
  };
  static void keep(OfStep& s, Sample sample, const Addresses& addresses);
  const Program& program_;
  std::vector<OfStep> steps_;
};

}  // namespace tessera::kernel
