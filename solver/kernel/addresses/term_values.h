// TermValues: a term at every thread of a block.
//
//     TermValues values(terms, launch);
//     values.enter(5);                          block 5 of the grid
//     values.of(t)                              {t at thread 0, at thread 1, ...}; one value if all threads have it
//
// Law: it is the value that terms.h defines, for tid = (x, y, z) of the thread and ctaid of the block.
#pragma once

#include <unordered_map>
#include <vector>

#include "solver/kernel/addresses/terms.h"
#include "solver/kernel/kernel.h"

namespace tessera::kernel {

class TermValues {
 public:
  TermValues(const Terms& terms, const Launch& launch);
  // A value that was computed divides by 0.
  [[nodiscard]] bool undefined() const { return undefined_; }
  // The block of this number in the launch.
  void enter(i64 block);
  // Requires: its only variables are tid and ctaid, and it applies no unknown function. Valid until the next enter().
  [[nodiscard]] const std::vector<u64>& of(Term root);
  [[nodiscard]] u64 at(Term root, i64 thread) {
    const std::vector<u64>& values = of(root);
    return values[values.size() == 1 ? 0 : static_cast<std::size_t>(thread)];
  }

 private:
  [[nodiscard]] std::vector<u64> made(Term t);

  const Terms& terms_;
  const Launch& launch_;
  std::size_t threads_;
  i64 block_ = 0;
  bool undefined_ = false;
  std::unordered_map<Term, std::vector<u64>> known_;
};

}  // namespace tessera::kernel
