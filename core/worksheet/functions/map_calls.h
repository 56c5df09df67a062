// The argument of simplify, shared with the code that lists the simplification steps.
#pragma once

#include "core/notation/indexing/map.h"
#include "core/worksheet/functions/functions.h"

namespace tessera {

// Whether the value is a map itself, not a layout of a notation that lowers to one.
[[nodiscard]] bool isPlainMap(const Value& value);
// "First inner, then outer", if one of them is a map.
[[nodiscard]] std::optional<Result<Value>> composeMaps(const Value& outer, const Value& inner);
// Argument 0 of simplify as an indexing map: a map, a layout,
// or a formula over named ranges. A Diag: none, or UNDEFINED.
[[nodiscard]] Result<indexing::IndexingMap> simplifiableAt(const Call& c);

}  // namespace tessera
