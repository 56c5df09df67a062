// Counts: the memory cost of a run's instructions, counted as they execute: shared-memory wavefronts by the phases of
// the atlas row and global-memory sectors (core/analysis/memory/banks.h).
//
// Law: sectors() is sectorReport(...).sectors.
#pragma once

#include <atomic>
#include <span>

#include "core/analysis/memory/banks.h"

namespace tessera::graphene {

struct LeafCounts {
  i64 executions = 0;                               // warp executions
  i64 lanes = 0;                                    // active threads
  i64 wavefronts = 0, idealWavefronts = 0;          // shared memory
  i64 requests = 0, sectors = 0, idealSectors = 0;  // global memory
  bool operator==(const LeafCounts&) const = default;
  LeafCounts& operator+=(const LeafCounts& o) {
    executions += o.executions, lanes += o.lanes, wavefronts += o.wavefronts, idealWavefronts += o.idealWavefronts;
    requests += o.requests, sectors += o.sectors, idealSectors += o.idealSectors;
    return *this;
  }
};

struct Sectors {
  i64 sectors = 0, ideal = 0;
};
// Of the lanes' byte addresses, kInactive if inactive; each lane moves `width` bytes.
[[nodiscard]] Sectors sectors(std::span<const i64> addresses, int width);
// Adds what a warp's request costs.
void count(LeafCounts& counts, const WarpAccess& access);

// MachineOptions: how a machine runs. Observer: receives its accesses.

// One access by one thread to one value, register tensors included.
struct Touched {
  bool write = false;
  int leaf = 0;  // in the plan
  int operand = 0;
  i64 block = 0, thread = 0;
  int root = 0;
  i64 address = 0;
  std::span<const i64> coordinate;  // in global memory
  i64 iteration = 0;                // value of the loop Observer::loopOfLeaf(), in this thread
};

// What one thread does with one mbarrier of its block.
struct Signal {
  enum class Kind : unsigned char {
    Init,    // phase: the arrivals of each phase
    Arrive,  // in this phase
    Wait,    // the wait for this phase is over
    Issue,   // of a TMA copy; its phase is not known yet
    Land,    // the thread's copy arrives in this phase; iteration: of the issue
  };
  Kind kind = Kind::Arrive;
  std::size_t barrier = 0;  // Root::barriers + place
  i64 thread = 0, phase = 0;
  int leaf = -1;         // of a copy
  std::size_t step = 0;  // of another statement
  i64 iteration = 0;     // value of the loop Observer::loopOfLeaf() or loopOfStep()
};

// The memory request of a warp for one operand of one instruction, as counted (counts.h).
struct WarpRequest {
  int leaf = 0, operand = 0;
  i64 block = 0;
  int warp = 0;
  std::span<const i64> loops;  // by plan.loops, of the first lane
  const WarpAccess& access;
};

class Observer {
 public:
  virtual ~Observer() = default;
  // Which roots' accesses are passed to touch().
  [[nodiscard]] virtual bool wants(int /*root*/) const { return true; }
  virtual void touch(const Touched&) {}
  virtual void signal(const Signal&) {}
  // The loop of the plan around a leaf or step whose value touch() and signal() receive; -1: none.
  [[nodiscard]] virtual int loopOfLeaf(int /*leaf*/) const { return -1; }
  [[nodiscard]] virtual int loopOfStep(std::size_t /*step*/) const { return -1; }
  // Whether requested() is called.
  [[nodiscard]] virtual bool wantsRequests() const { return false; }
  virtual void requested(const WarpRequest&) {}
};

struct MachineOptions {
  u64 seed = 0;               // 0: blocks and warps in order
  i64 maxSteps = 50'000'000;  // warp steps
  std::size_t maxFindings = 64;
  bool stopAtFirst = false;
  bool count = true;  // wavefronts and sectors
  Observer* observer = nullptr;
  const std::atomic<bool>* cancel = nullptr;
};

}  // namespace tessera::graphene
