// Repetitions in a list of parts (fold.h): neighbouring copies of equal structure, wired alike inside.
//
//     tokens  a b c b c b c d       one repetition: start 1, period 2, 3 copies
//
// Laws: repetitions are disjoint and in order; the copies of one have equal tokens, and an instruction that reads
// another of its copy reads the same one in each copy. A repetition has at least two copies. Internal to
// core/hlo/compose.
#pragma once

#include <cstddef>
#include <vector>

#include "core/hlo/compose/fold.h"

namespace tessera::hlo {

// A part of a list that is to be grouped. Equal tokens: equal structures, instruction by instruction.
struct FoldItem {
  int group = 0, token = 0;
  int from = 0, to = 0;  // Fold::order
};

// `copies` times `period` items from `start`.
struct Repetition {
  std::size_t start = 0, period = 0, copies = 0;
  [[nodiscard]] std::size_t end() const { return start + period * copies; }
};

struct FoldWiring {
  const std::vector<int>& order;                // Fold::order
  const std::vector<std::vector<Feed>>& feeds;  // by instruction
  const std::vector<int>& position;             // of each instruction in the order; -1: plumbing
  const std::vector<int>& alive;                // values before each position
};

[[nodiscard]] std::vector<Repetition> repetitionsOf(const std::vector<FoldItem>& items, const FoldWiring& wiring);

}  // namespace tessera::hlo
