// Two values of different notations as two maps that can be compared, and an Axe layout as the map of a claim.
//
//     Axe, Axe             one shape for both (Axe's linear order is row-major, so no colex index in between), and
//                          every axis that either has: a place that does not name an axis is 0 there
//     Axe, linear, Triton  both as register, lane, warp, block -> tensor
//     Axe or linear, CuTe  a layout over threads and registers as (thread, value) -> colex index of the tile; one axis
//                          (memory) as coordinate -> address, CuTe's leaves against the same shape
//     Axe, indexing map    over the map's domain; results against the axes in alphabetical order
//
// A form that cannot say the other says why (replicas in CuTe, sizes that are not powers of two in Triton).
#pragma once

#include <utility>

#include "core/claim/claim.h"
#include "core/worksheet/value.h"

namespace tessera {

[[nodiscard]] Result<std::pair<Map, Map>> mapsToCompare(const Value& a, const Value& b);
// What a claim about one value is about: for injective of an Axe layout its replicas are in canonical form (two
// replicas of one element may share a place), for in_bounds its axes have the hardware's bounds.
[[nodiscard]] Result<Map> mapForClaim(ClaimKind kind, const Value& value);
// disjoint(X): the replicas of one element, each a place of its own. One Index digit a replica iter.
[[nodiscard]] Result<Map> replicaMap(const Value& value);
// A layout of shared memory as the map tensor -> address, the way every other memory layout goes; a Diag for registers.
[[nodiscard]] Result<Map> addressMapOf(const Value& value);

}  // namespace tessera
