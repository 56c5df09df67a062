// The layout algebra on values of the worksheet, shared by the function table and the operators.
#pragma once

#include <optional>

#include "core/worksheet/functions/functions.h"

namespace tessera {

// L(_, 3): the layout of what `_` leaves open; the fixed coordinates become its offset (a composed layout keeps it).
[[nodiscard]] Result<Value> sliceValue(const Value& function, const cute::IntTuple& coord);
// L at the coordinate with 0 for `_`: what slice leaves out; nullopt when there is no slice.
[[nodiscard]] std::optional<i64> sliceOffset(const Value& function, const cute::IntTuple& coord);
// A o B for layouts.
[[nodiscard]] Result<Value> compositionOf(const Value& outer, const Value& inner);

}  // namespace tessera
