// Arguments of the functions of Axe, Triton and XLA.
#pragma once

#include <optional>
#include <vector>

#include "core/worksheet/functions/functions.h"

namespace tessera {

// Argument k as an Axe or linear layout. Other notations with an equivalent are translated.
[[nodiscard]] Result<axe::Layout> axeOf(const Call& call, std::size_t k);
[[nodiscard]] Result<axe::Layout> axeOf(const Value& value);
[[nodiscard]] Result<linear::Layout> linearOf(const Call& call, std::size_t k);
[[nodiscard]] Result<linear::Layout> linearOf(const Value& value);

// L(c): the places of the element, by name; nullopt for a layout in memory. S o X: a swizzle over an Axe layout.
[[nodiscard]] std::optional<Result<Value>> applyAxe(const Layout& layout, const cute::IntTuple& coord);
[[nodiscard]] std::optional<Result<Value>> composeAxe(const Value& outer, const Value& inner);

// For a Triton memdesc, whose bases are those of its allocation; nullopt for other values.
// The place of a coordinate, if the memdesc is a view or its buffers are not a power of two.
[[nodiscard]] std::optional<Result<axe::Places>> memdescPlaces(const Value& value, const std::vector<i64>& coord);
// Whether the coordinate is in the allocation but outside the view.
[[nodiscard]] bool outsideOfView(const Value& value, const std::vector<i64>& coord);
// The number of elements in the view.
[[nodiscard]] std::optional<i64> memdescSize(const Value& value);

}  // namespace tessera
