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
#pragma once

#include "core/map/map.h"

namespace tessera {

[[nodiscard]] Map withFewerFans(const Map& f);
// Whether e, over the digits of the map, uses a Fan digit.
[[nodiscard]] bool usesFans(const Expr& e, const Map& map);

}  // namespace tessera
