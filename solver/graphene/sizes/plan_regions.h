// PlanRegions: the place of each step of a plan relative to loops that different threads execute.
//
//     if (@g < 2) { a  for (kt ...) { b }  c } else { for (kt ...) { d } }  e
//
//     a Before    b, d Inside, each of its loop    c, e After
//
// Law: they are the regions of the statements (kernel_text.h).
#pragma once

#include <vector>

#include "solver/emulate/plan.h"
#include "solver/graphene/sizes/kernel_text.h"

namespace tessera::graphene {

struct PlanRegions {
  struct Place {
    TextRegion where = TextRegion::Before;
    int loop = -1;  // of plan.loops, if inside
  };
  PlanRegions(const Plan& plan, const std::vector<int>& loops);  // of plan.loops

  std::vector<Place> ofStep, ofLeaf;
};

}  // namespace tessera::graphene
