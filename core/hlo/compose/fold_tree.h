// The tree of groups over an ordered list of units (fold.h). Internal to core/hlo/compose.
#pragma once

#include <string_view>
#include <vector>

#include "core/hlo/compose/fold.h"

namespace tessera::hlo {

struct FoldScope {
  int parent = -1, depth = 0;
  std::string_view name = {};
};

// Instructions that are never separated: one, or a tree of elementwise ones, in topological order.
struct FoldUnit {
  std::vector<int> members;
  int scope = 0;
};

struct FoldInput {
  const Module* module = nullptr;
  int number = 0;  // of the computation
  const Computation* computation = nullptr;
  std::vector<std::vector<Feed>> feeds;  // by instruction
  std::vector<FoldScope> scopes;         // the first is the empty one; parents come first
};

// Requires: units in topological order.
[[nodiscard]] Fold treeOf(const FoldInput& in, const std::vector<int>& parameters, const std::vector<FoldUnit>& units);

}  // namespace tessera::hlo
