// Dependence: which values depend on an argument that was not given, or on the order of atomics.
//
//     atom.global.add.u32 %r1, [p], 1;       %r1 does, and so do the bytes at p
//     st.shared.u32 [s], %r1;                the bytes at s do
//     cp.async [s], [g], 16;                 the bytes at s do if those at g do
//
// Kept for each lane of each register, and each byte of memory, if the program has such a source. While no branch, no
// guard and no address depends on one, the run has the accesses and the order of every run.
#pragma once

#include "solver/kernel/machine/memories.h"

namespace tessera::kernel {

class Dependence {
 public:
  Dependence(const Program& program, const Memories& memories);
  [[nodiscard]] bool tracks() const { return tracks_; }

  // Whether the bytes of a target do.
  [[nodiscard]] bool any(const Warp& w, int lane, const Target& t, int width) const;
  void set(Warp& w, int lane, const Target& t, int width, bool value);
  // The results of a step do.
  void results(Warp& w, const Step& s, Mask mask) const;
  // The bytes written to `to` do, if those copied from `from` do; without `from` they do.
  void carry(Warp& w, int lane, const Target* from, const Target& to, int width);

 private:
  const Program& program_;
  const Memories& memories_;
  bool tracks_ = false;
};

}  // namespace tessera::kernel
