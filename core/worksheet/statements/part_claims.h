// Claims about what parts of HLO modules read: per operand, through fusions, over all maps.
//
//     prove equal(a.%f, b.%g)      per operand: both read the same elements at every coordinate of the result
//     prove in_bounds(a.%f)        every element that is read exists
//     prove identity(a)            a chain of reshapes, transposes and bitcasts is the identity
//
// Two run-time values are the same if the same operand holds
// them at the same place and range; otherwise they are distinct.
#pragma once

#include <optional>

#include "core/claim/claim.h"
#include "core/hlo/listing.h"
#include "core/worksheet/any_value.h"

namespace tessera {

// An instruction or computation, or a module (its entry computation); nullopt: anything else.
[[nodiscard]] std::optional<hlo::Part> partIn(const Value& value);
// Claim::unions of Equal (both) or InBounds (`second` is null). A Diag: the reads are unknown or not exact.
[[nodiscard]] Result<std::vector<MapUnion>> readsClaimed(const hlo::Part& first, const hlo::Part* second);
// The part's reads of its only operand, and the identity over the coordinates of its result.
[[nodiscard]] Result<std::vector<Map>> identityClaimed(const hlo::Part& part);

}  // namespace tessera
