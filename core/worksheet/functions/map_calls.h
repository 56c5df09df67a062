// What simplify takes, for whoever tells its steps.
#pragma once

#include "core/notation/indexing/map.h"
#include "core/worksheet/functions/functions.h"

namespace tessera {

// A map by itself, and no notation's layout that means one.
[[nodiscard]] bool isPlainMap(const Value& value);
// Argument 0 of simplify as an indexing map: a map, a layout, a formula of named ranges. A Diag: UNDEFINED, or none of them.
[[nodiscard]] Result<indexing::IndexingMap> simplifiableAt(const Call& c);

}  // namespace tessera
