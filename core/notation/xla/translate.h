// An XLA array as a CuTe layout: a tile becomes a nested mode, the tiles' parts leftmost (fastest).
//
//     bf16[4,8]{1,0:T(2,4)(2,1)}  ->  ((2,2),(4,2)):((1,16),(2,8))
//     f32[2,3]{0,1}               ->  (2,3):(1,2)
//
// Law: toMap(toCute(P)) and toMap(P) are the same function of the logical index.
// Refused, with the numbers: a dimension that its tile does not divide (the index
// space of a padded tile is not a product of modes), and merged dimensions (*).
#pragma once

#include "core/base/result.h"
#include "core/notation/cute/layout.h"
#include "core/notation/xla/shape.h"

namespace tessera::xla {

[[nodiscard]] Result<cute::Layout> toCute(const Shape& shape);

}  // namespace tessera::xla
