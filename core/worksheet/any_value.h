// A value for code that need not know its alternatives (value.h): its text, its kind and its layout.
//
//     textOf(v)  "(4,8):(8,1)"      kindOf(v)  "layout"      as<cute::Layout>(v)  of any notation, else nullptr
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/layout/layout.h"
#include "core/worksheet/shared.h"

namespace tessera {

struct Value;

// "int" "bool" "text" "tuple" "verdict" "instruction" "tiled_mma" "banks" "search" "program" ..., or the layout's kind:
// the `kind` of --json.
[[nodiscard]] std::string kindOf(const Value& value);
// "a layout", "an integer": for messages.
[[nodiscard]] std::string_view nounOf(const Value& value);
[[nodiscard]] std::string textOf(const Value& value);
// Canonical text, in the format of the value's own tool. Only for Value itself, not for types that convert to it.
template <std::same_as<Value> T>
[[nodiscard]] std::string print(const T& value) {
  return textOf(value);
}

// nullptr: no layout.
[[nodiscard]] const Layout* heldLayout(const Value& value);
// The value as a layout: a shape or number becomes the compact layout over it. A Diag names the kind of other values.
[[nodiscard]] Result<Layout> layoutOf(const Value& value);
// Its arrow and its map.
[[nodiscard]] Result<Arrow> arrowOf(const Value& value);
[[nodiscard]] Result<Map> toMap(const Value& value);

// The notation of its layout; nullptr if it is another one, or no layout.
template <IsNotation T>
[[nodiscard]] const T* as(const Value& value) {
  const Layout* layout = heldLayout(value);
  return layout == nullptr ? nullptr : layout->as<T>();
}
template <IsNotation T>
[[nodiscard]] bool is(const Value& value) {
  return as<T>(value) != nullptr;
}

}  // namespace tessera
