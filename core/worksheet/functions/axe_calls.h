// Arguments of the functions of Axe, Triton and XLA.
#pragma once

#include <optional>
#include <vector>

#include "core/worksheet/functions/functions.h"

namespace tessera {

// Argument k as an Axe layout, a linear layout. Every other notation that has such a form is translated.
[[nodiscard]] Result<axe::Layout> axeOf(const Call& call, std::size_t k);
[[nodiscard]] Result<axe::Layout> axeOf(const Value& value);
[[nodiscard]] Result<linear::Layout> linearOf(const Call& call, std::size_t k);
[[nodiscard]] Result<linear::Layout> linearOf(const Value& value);

// Of a Triton memdesc, whose bases are those of its allocation; nothing of other values.
// The place of a coordinate, where the memdesc is a view or its buffers are no power of two.
[[nodiscard]] std::optional<Result<axe::Places>> memdescPlaces(const Value& value, const std::vector<i64>& coord);
// True for what the allocation holds beyond a view.
[[nodiscard]] bool outsideOfView(const Value& value, const std::vector<i64>& coord);
// How many elements are seen.
[[nodiscard]] std::optional<i64> memdescSize(const Value& value);

template <typename T>
[[nodiscard]] Result<Value> valueOf(const Call& call, std::size_t k, Result<T> result) {
  if (!result) return call.at(k, result.error());
  return Value(*std::move(result));
}

}  // namespace tessera
