#include "solver/graphene/sizes/plan_regions.h"

#include <algorithm>

namespace tessera::graphene {

PlanRegions::PlanRegions(const Plan& plan, const std::vector<int>& loops)
    : ofStep(plan.steps.size()), ofLeaf(plan.leaves.size()) {
  struct Part {
    bool before, then;  // a loop ended before the branch; in its first part
  };
  std::vector<Part> parts;
  bool ended = false;
  int loop = -1;
  std::size_t end = 0;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const PlanStep& step = plan.steps[s];
    if (loop >= 0 && s == end) {
      loop = -1;
      ended = true;
    }
    if (loop < 0 && step.code == PlanStep::Code::Loop && std::ranges::find(loops, step.index) != loops.end()) {
      loop = step.index;
      end = step.target;
    }
    if (loop < 0) switch (step.code) {
        case PlanStep::Code::If:
          parts.push_back({ended, false});
          break;
        case PlanStep::Code::Else:
          parts.back().then = ended;
          ended = parts.back().before;
          break;
        case PlanStep::Code::EndIf:
          ended = ended || parts.back().then;
          parts.pop_back();
          break;
        default:
          break;
      }
    const TextRegion where = loop >= 0 ? TextRegion::Inside : ended ? TextRegion::After : TextRegion::Before;
    ofStep[s] = {where, loop};
    if (step.code == PlanStep::Code::Leaf) ofLeaf[step.index] = ofStep[s];
  }
}

}  // namespace tessera::graphene
