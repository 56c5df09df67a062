// CuTe's functions on worksheet values, shared by the function table and the operators. A layout of another notation is
// its CuTe layout.
#pragma once

#include <optional>

#include "core/worksheet/functions/functions.h"

namespace tessera {

// L(_, 3): the layout of the modes given as `_`; the fixed coordinates become its offset (a composed layout keeps it).
[[nodiscard]] Result<Value> sliceValue(const Value& function, const cute::IntTuple& coord);
// L at the coordinate with 0 for `_`: the offset that slice drops; nullopt if nothing is sliced.
[[nodiscard]] std::optional<i64> sliceOffset(const Value& function, const cute::IntTuple& coord);
[[nodiscard]] std::optional<Result<Value>> applyCute(const Layout& layout, const cute::IntTuple& coord);
// A o B.
[[nodiscard]] Result<Value> composeCute(const Value& outer, const Value& inner);

}  // namespace tessera
