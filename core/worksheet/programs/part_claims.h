// Claims about what parts of HLO modules read: per operand, through fusions, over all maps.
//
//     prove equal(a.%f, b.%g)      per operand: both read the same elements at every coordinate of the result
//     prove in_bounds(a.%f)        every element that is read exists
//     prove identity(a)            a chain of reshapes, transposes and bitcasts is the identity
//
// Two run-time values are the same if the same operand holds them at the same place and range; otherwise they are
// distinct.
#pragma once

#include <optional>
#include <vector>

#include "core/claim/claim.h"
#include "core/worksheet/any_value.h"

namespace tessera {

// Claim::unions of Equal (both) or InBounds (`second` is null); nullopt: the values are not parts of modules. A Diag:
// the reads are unknown or not exact.
[[nodiscard]] Result<std::optional<std::vector<MapUnion>>> readsClaimed(const Value& first, const Value* second);
// The part's reads of its only operand, and the identity over the coordinates of its result; nullopt: no part.
[[nodiscard]] Result<std::optional<std::vector<Map>>> identityClaimed(const Value& value);

}  // namespace tessera
