// Observer: sees what the machine executes: each attempt of a group, and each lane's bytes in a memory.
//
//     observer.step(block, w, s, mask)           w.group is about to execute s; the guard holds for `mask`
//     observer.access(w, lane, target, 4, true)  any number of times: within it, lane `lane` writes 4 bytes
//     observer.executed(block, findings)         it is done; the run has so many findings
//
// Law: the lanes of all groups are Report::threadInstructions. Registers, local memory and parameters are not observed.
// Whoever adds another way to memory calls access() there too (MemoryUnit::observer).
#pragma once

#include "solver/kernel/kernel.h"
#include "solver/kernel/machine/state.h"

namespace tessera::kernel {

class Memories;
struct Target;

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin(const Program& program, const Memories& memories) = 0;
  // Before the group executes `s`; false ends the run.
  virtual bool step(const Block& block, const Warp& w, const Step& s, Mask mask) = 0;
  virtual void access(const Warp& w, int lane, const Target& target, int width, bool write) = 0;
  virtual void executed(const Block& block, std::size_t findings) = 0;
};

// run() of kernel.h, observed.
[[nodiscard]] Result<Report> runObserved(const ptx::Module& module, const Launch& launch, Observer& observer);

}  // namespace tessera::kernel
