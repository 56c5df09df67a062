// Arguments of the functions of Axe and Triton, read with the usual generosity: a number is a 1-tuple, (2) is (2).
#pragma once

#include <vector>

#include "core/worksheet/functions.h"

namespace tessera {

// Argument k as a flat list of integers: (8,16), 8, (2).
[[nodiscard]] Result<std::vector<i64>> integersOf(const Call& call, std::size_t k);
// Argument k as an Axe layout. A CuTe layout, a linear layout and a Triton layout are translated.
[[nodiscard]] Result<AxeLayout> axeOf(const Call& call, std::size_t k);
[[nodiscard]] Result<AxeLayout> axeOf(const Value& value);
[[nodiscard]] Result<LinearLayout> linearOf(const Call& call, std::size_t k);
[[nodiscard]] Result<LinearLayout> linearOf(const Value& value);

template <typename T>
[[nodiscard]] Result<Value> valueOf(const Call& call, std::size_t k, Result<T> result) {
  if (!result) return call.at(k, result.error());
  return Value(*std::move(result));
}

}  // namespace tessera
