// Kept: what other folders derive from a module and keep with it, so that further queries do not derive it again.
//
//     kept.loops[{computation, instruction}]      what each output of that while reads (core/hlo/compose/loop.h)
//     kept.callers                                by computation: the only instruction that calls it; {-1, -1}: none
//     kept.ranking                                its kernels by waste, within a budget (core/hlo/cost/waste.h)
//     kept.whys[{computation, instruction}]       the causes of that kernel's traffic (core/hlo/cost/why.h)
//
// Law: a kept value is a function of the module and its place alone, so a copy of the module may share it. The guard is
// held while the map is read or changed, and never while a value is derived.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/hlo/text/module.h"

namespace tessera::hlo {

struct Kept {
  std::mutex guard;
  std::map<std::pair<int, int>, std::shared_ptr<const void>> loops;
  std::shared_ptr<const std::vector<Where>> callers;
  std::shared_ptr<const void> ranking;
  std::map<std::pair<int, int>, std::shared_ptr<const void>> whys;
};

}  // namespace tessera::hlo
