// Maps as arguments, shared by the functions on maps and the code that lists the steps of simplify.
#pragma once

#include "core/notation/indexing/map.h"
#include "core/worksheet/functions/functions.h"

namespace tessera {

// Whether the value is a map itself, not a layout of a notation that lowers to one.
[[nodiscard]] bool isPlainMap(const Value& value);
// "First inner, then outer", if one of them is a map.
[[nodiscard]] std::optional<Result<Value>> composeMaps(const Value& outer, const Value& inner);
// Argument k as an indexing map.
[[nodiscard]] Result<indexing::IndexingMap> indexingAt(const Call& call, std::size_t k);
// Argument 0 of simplify as an indexing map: a map, a layout,
// or a formula over named ranges. A Diag: none, or UNDEFINED.
[[nodiscard]] Result<indexing::IndexingMap> simplifiableAt(const Call& c);

}  // namespace tessera
