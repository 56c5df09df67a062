// Timeline: where a run is, and the tags that order what happens there (shadow.h).
#pragma once

#include <vector>

#include "solver/emulate/machine/warp.h"
#include "solver/emulate/memory/clocks.h"
#include "solver/emulate/memory/shadow.h"

namespace tessera::graphene {

struct Timeline {
  int kernel = 0;  // in plan.specs
  i64 block = 0;
  i64 phase = 0;             // barriers of the block so far
  Clocks clocks;             // used if the block has mbarriers
  std::vector<i64> moments;  // loop values at noted moments, one after another, for findings
};

// The tag of what a lane does now.
[[nodiscard]] Tag tagOf(Timeline& now, Warp& w, int leaf, int lane);

}  // namespace tessera::graphene
