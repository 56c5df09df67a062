// Unions: whether the union of some maps equals the union of others as sets of elements, at every coordinate.
//
//     {(d0) -> (d0), d0 in [0, 3];  (d0) -> (d0), d0 in [4, 7]}   and   {(d0) -> (d0), d0 in [0, 7]}        equal
//     {(d0)[s0] -> (d0, s0), s0 in [0, 9]}   and   {(d0)[s0] -> (d0, 9 - s0), s0 in [0, 9]}                 equal
//     {(d0) -> (d0);  (d0) -> (d0 + 1)}   and   {(d0) -> (d0)}             not: at 3 only the first has 4
//
// Two fusions read the same elements of an operand if their unions of maps are equal. Coordinates are the displayed
// ones; a point outside a map's box has no image there. Maps with parameters are compared for all their values and must
// have the same parameters, by name.
//
// Methods, in order: the same maps in any order; a sample of coordinates, which can only refute; inclusion in both
// directions: each point of a map of one side is in the other side's union. "y in g(x)" is quantifier-free if the
// ranges of g can be computed from y (membership); then it is a pointwise obligation that every rung can decide,
// symbolic sizes included. Last, every coordinate, up to a limit.
//
// Law: a refutation names a coordinate and an element, looked up in both unions through Map::at and Map::imageOf.
#pragma once

#include <vector>

#include "core/claim/claim.h"
#include "solver/prove/prove.h"
#include "solver/prove/rungs.h"

namespace tessera::prover {

[[nodiscard]] Verdict equalUnions(const std::vector<Map>& f, const std::vector<Map>& g, Rungs& rungs);

// "y is in g(x)", for expressions x and y over some digits: all guards hold. nullopt: a range cannot be computed from
// y.
[[nodiscard]] std::optional<std::vector<Guard>> membership(const Map& g, const std::vector<Expr>& x,
                                                           const std::vector<Expr>& y);

}  // namespace tessera::prover
