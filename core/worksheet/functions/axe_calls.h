// Arguments of the functions of Axe, Triton and XLA.
#pragma once

#include "core/worksheet/functions/functions.h"

namespace tessera {

// Argument k as an Axe layout, a linear layout. Every other notation that has such a form is translated.
[[nodiscard]] Result<axe::Layout> axeOf(const Call& call, std::size_t k);
[[nodiscard]] Result<axe::Layout> axeOf(const Value& value);
[[nodiscard]] Result<linear::Layout> linearOf(const Call& call, std::size_t k);
[[nodiscard]] Result<linear::Layout> linearOf(const Value& value);

template <typename T>
[[nodiscard]] Result<Value> valueOf(const Call& call, std::size_t k, Result<T> result) {
  if (!result) return call.at(k, result.error());
  return Value(*std::move(result));
}

}  // namespace tessera
