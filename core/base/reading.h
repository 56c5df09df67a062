// Reading: how deep and how far the readers of a thread have read. Every Cursor carries it, so that readers which hand
// a text to one another share one depth and one budget.
//
//     Cursor in("((8))");
//     in.accept('(')            one step of work, charged to the WorkBudgets of the thread (work.h)
//     const Nesting level(in);  one level, until the end of the block (nesting.h)
//
// Law: a text costs the same levels and the same work whichever reader begins, and however they hand it on.
#pragma once

#include "core/base/work.h"

namespace tessera {

class Reading {
 public:
  // The one of this thread.
  [[nodiscard]] static Reading& ofThread() {
    static constinit thread_local Reading reading;
    return reading;
  }
  // Throws OutOfBudget when a WorkBudget of the thread is at its end.
  void step(Work steps = 1) const { spend(steps); }
  [[nodiscard]] int levels() const { return levels_; }
  void enter() { ++levels_; }
  void leave() { --levels_; }

 private:
  int levels_ = 0;
};

}  // namespace tessera
