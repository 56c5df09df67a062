// Converse: a read turned round, from the elements that are read to the coordinates that read them.
//
//     (d0, d1)[s0] -> (d0, s0) of [4,8], d1 in [0, 5]       (d0, d1)[s0] -> (d0, s0), s0 in [0, 5]
//     (d0) -> (d0 * 2) of [8], d0 in [0, 3]                 (d0)[s0] -> (s0), s0 * 2 - d0 in [0, 0]
//
// A coordinate that a value is alone (d0, d0 + 3) is solved for; any other value becomes a constraint, and the old
// coordinates range. So rules need to state one direction only.
//
// Law: y is in converse(map)(x) if and only if x is in map(y), for every element x of the array and every coordinate y.
// Internal to core/hlo.
#pragma once

#include <iterator>

#include "core/hlo/ops/op.h"

namespace tessera::hlo {

// `sizes`: of the array that is read. Requires: a map without parameters, one axis for each size.
[[nodiscard]] Result<Map> converse(const Map& map, const Ints& sizes);

// Turns one Reach, of an array of those sizes, into the use by output `output`. A read of a run-time place becomes
// Unknown. A read of another replica, from a loop (any of a group), becomes a use by any of that group.
[[nodiscard]] Result<Reach> turned(const Reach& read, std::size_t output, const xla::Shape& array);

// What `operand`, or one element of it, is used for, one Reach per output; those of further elements follow.
// `reads(o)`: the reads of output o, or a Result of them. `element`: -1: each.
template <class Reads>
Reaches usesByReads(const Op& op, int operand, int element, Reads reads) {
  TESSERA_TRY(const xla::Shape* const shape, op.operand(n(operand)));
  std::vector<Reach> more;
  const auto one = [&](std::size_t o, const std::vector<Reach>& found) -> Result<Reach> {
    Reach first = none(o);
    bool met = false;
    for (const Reach& read : found) {
      if (read.slot != operand || (element >= 0 && read.element >= 0 && read.element != element)) continue;
      if (read.maps.empty() && read.soundness != Soundness::Unknown) continue;
      TESSERA_TRY(Reach use, turned(read, o, read.element < 0 ? *shape : shape->leaf(n(read.element))));
      if (met) {
        more.push_back(std::move(use));
      } else {
        first = std::move(use);
        met = true;
      }
    }
    return first;
  };
  TESSERA_TRY(std::vector<Reach> all, each(op.outputs(), [&](std::size_t o) -> Result<Reach> {
                const auto& found = reads(static_cast<int>(o));
                if constexpr (requires { found.error(); }) {
                  if (!found) return found.error();
                  return one(o, *found);
                } else {
                  return one(o, found);
                }
              }));
  std::ranges::move(more, std::back_inserter(all));
  return all;
}

}  // namespace tessera::hlo
