// Changes the kind of variables: ranged or run-time variables become coordinates.
//
//     (d0)[s0, s1]{rt0} -> (d0 + s0, s1 + rt0)
//     rangesAsDims(m, {1})      (d0, s1)[s0]{rt0} -> (d0 + s0, s1 + rt0)
//     symbolsAsDims(m)          (d0, d1, d2, d3) -> (d0 + d1, d2 + d3)
//
// New dimensions follow the old ones, in order. symbolsAsDims names them d<place> if that name is free.
// Law: the same points, their coordinates in the new order, with the same values.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera {

// ranges: places among the Fan digits.
[[nodiscard]] Result<Map> rangesAsDims(const Map& map, std::span<const i64> ranges);
// A Diag: a parameter has more than 2^63-1 values.
[[nodiscard]] Result<Map> symbolsAsDims(const Map& map);

// rescaled: a range variable restricted to one residue becomes a counter of its values.
//
//     (d0)[s0] -> (s0), s0 in [0, 41], s0 mod 6 in [3, 3]           (d0)[s0] -> (s0 * 6 + 3), s0 in [0, 6]
//     (d0)[s0] -> (s0 floordiv 6), s0 mod 2 in [0, 0], s0 mod 3 in [0, 0]    (s0 * 6) floordiv 6: simplified() gives s0
//
// Dimensions and parameters are unchanged, because callers refer to their values. Constraints beyond the residue are
// kept, over the new variable.
// Law: imageOf is the same at every index, and each real point is one real point of the new map.

[[nodiscard]] Map rescaled(const Map& map);

// withoutUnused: removes Fan digits and parameters that no value depends on.
//
//     (d0)[s0, s1] -> (d0, s1), s0 in [0, 9]                 (d0)[s0] -> (d0, s0)
//     (d0)[s0] -> (d0), s0 in [0, 9], d0 + s0 in [0, 3]      kept: s0 determines which d0 are real
//
// Index digits are kept, because they are the arguments. The remaining Fan digits and parameters are renamed s0..,
// rt0.. in order.
// Law: imageOf is the same at every index. Guards over removed variables only are dropped only if they always hold.

struct WithoutUnused {
  Map map;
  std::vector<int> params;  // the remaining parameters, by their index in the old map
};
[[nodiscard]] WithoutUnused withoutUnused(const Map& map);

// Also removes variables of constraints that are not connected to anything needed, with those constraints:
//
//     (d0, d1)[s0, s1] -> (s0, d1), d0 mod 3 in [0, 0], s1 + d0 in [0, 5]      dims: (d0)[s0] -> (s0, d0)
//
// A variable is needed if a value reads it and, unless `dims`, if it is an Index digit; a constraint on a parameter is
// kept. A d2 that becomes the first is renamed d0; other names are kept. Unsatisfiable constraints give the empty map.
// Law: the result at a point is the union over what was removed.
[[nodiscard]] Map withoutUnneeded(const Map& map, bool dims);

// withFewerFans: the same sets with as few Fan digits as possible by merging strides.
//
//     R[2:4@lane] + R[2:8@lane]      {0,4} + {0,8} = {0,4,8,12}      ->  R[4:4@lane]
//     R[3:1] + R[2:2]                {0,1,2} + {0,2} = {0,..,4}      ->  R[5:1]      two replicas shared places 2
//     R[6:-4] + 20                   reversed                        ->  R[6:4]
//     R[3:0]                         one place, three times          ->  nothing
//
// {0..n-1}*v plus {0..m-1}*(k*v) with 1 <= k <= n is {0..n-1+k*(m-1)}*v; merged until nothing merges.
// Law: withFewerFans(f).imageOf(x) == f.imageOf(x) for every x. Fan digits that occur in guards, or in an axis other
// than multiplied by a constant, are unchanged.

[[nodiscard]] Map withFewerFans(const Map& f);

// One Fan digit that occurs only in sums: {0 .. extent-1} times one stride per axis, not all of them 0.
struct FanRun {
  std::vector<i128> stride;
  i128 extent = 1;
  bool operator==(const FanRun&) const = default;
};
// Their sum merged as above; first every run is turned so that its first nonzero stride is positive, and `constant`
// (one per axis) receives the difference. Equal results have equal sums; different ones prove nothing.
void mergeFans(std::vector<FanRun>& runs, std::vector<i128>& constant);

// Whether e, over the digits of the map, uses a Fan digit.
[[nodiscard]] bool usesFans(const Expr& e, const Map& map);

}  // namespace tessera
