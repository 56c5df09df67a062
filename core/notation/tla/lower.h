// Lowers a TLA layout to a Map: that of its CuTe layout, with
// guards that mark the coordinates inside originShape as real.
// Law: the map's value at c is crd2offset(c), and c is real iff each of its modes is inside originShape.
#pragma once

#include "core/base/result.h"
#include "core/map/map.h"
#include "core/notation/tla/tla.h"

namespace tessera::tla {

[[nodiscard]] Result<Map> toMap(const Layout& layout);

}  // namespace tessera::tla
