// Unions: whether several maps together name the same elements as several others, at every coordinate.
//
//     {(d0) -> (d0), d0 in [0, 3];  (d0) -> (d0), d0 in [4, 7]}   and   {(d0) -> (d0), d0 in [0, 7]}        equal
//     {(d0)[s0] -> (d0, s0), s0 in [0, 9]}   and   {(d0)[s0] -> (d0, 9 - s0), s0 in [0, 9]}                 equal
//     {(d0) -> (d0);  (d0) -> (d0 + 1)}   and   {(d0) -> (d0)}             not: at 3 the first alone has 4
//
// Two fusions read the same of an operand when their unions of maps are equal. Coordinates are those that people see; a point outside a
// map's box has no image there. Maps with parameters speak of every value of them, and have to have the same ones, by name.
//
// How: the same maps, in any order; some coordinates, which can only refute; inclusion both ways: each point of a map of one side lies in
// the other. "y lies in g(x)" has no quantifier where the ranges of g can be told from y (Membership), so it is a pointwise obligation and
// every rung of the ladder may answer it, symbolic sizes and all; at last every coordinate, up to a limit.
//
// Law: refuted carries a coordinate and an element that was looked up in both unions through Map::at and Map::imageOf.
#pragma once

#include <string>
#include <vector>

#include "core/claim/claim.h"
#include "solver/prove/prove.h"
#include "solver/prove/rungs.h"

namespace tessera::prover {

[[nodiscard]] Verdict equalUnions(const std::vector<Map>& f, const std::vector<Map>& g, Rungs& rungs);

// "y is in g(x)" over digits in which x and y are expressions: all `conditions` hold. nullopt: a range cannot be told from y.
struct Membership {
  std::vector<Guard> conditions;
};
[[nodiscard]] std::optional<Membership> membership(const Map& g, const std::vector<Expr>& x,
                                                   const std::vector<Expr>& y);

}  // namespace tessera::prover
