// Claims about what parts of HLO modules read: of every operand, through fusions, all maps together.
//
//     prove equal(a.%f, b.%g)      each operand of the two: the same elements at every coordinate of the result
//     prove in_bounds(a.%f)        every element that is read is there
//     prove identity(a)            a chain of reshapes, transpositions and bitcasts changes nothing
//
// A run-time number is the same on both sides where the same operand holds it at the same place, in the same range; else it is another.
#pragma once

#include <optional>

#include "core/claim/claim.h"
#include "core/hlo/listing.h"
#include "core/worksheet/value.h"

namespace tessera {

// An instruction or computation, or a module, which is its entry; nullopt: something else.
[[nodiscard]] std::optional<hlo::Part> partIn(const Value& value);
// Claim::unions of Equal (both) or InBounds (`second` is null). A Diag: what is read is not known, or not exactly.
[[nodiscard]] Result<std::vector<MapUnion>> readsClaimed(const hlo::Part& first, const hlo::Part* second);
// What the part reads of its one operand, and each coordinate of the result as it is.
[[nodiscard]] Result<std::vector<Map>> identityClaimed(const hlo::Part& part);

}  // namespace tessera
