// Value: the value of a worksheet expression: a number, a text, a tuple, a result (verdict, instruction, search ...) or
// a layout of any notation.
//
//     size(A)                  i64              prove injective(A)     Verdict
//     (4,8)                    cute::IntTuple         atlas(mma.m16n8k16)    AtlasRow
//     (4,8):(8,1), f32[4,8]    Layout           find swizzle ...       SwizzleFinding
//     graphene NAME { ... }    graphene::Listing
//
// A notation is not an alternative of the variant: consumers of a layout use its arrow (arrowOf), and only the
// notation's own functions and views test for it (as<xla::Shape>(value)). A new notation needs no change here.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/analysis/banks.h"
#include "core/analysis/chain.h"
#include "core/analysis/find_swizzle.h"
#include "core/atlas/tiled.h"
#include "core/base/result.h"
#include "core/base/types.h"
#include "core/claim/claim.h"
#include "core/graphene/listing.h"
#include "core/layout/layout.h"
#include "core/map/map.h"
#include "core/notation/axe/places.h"
#include "core/notation/cute/algebra/tiler.h"
#include "core/notation/cute/explain.h"
#include "core/notation/cute/int_tuple.h"

namespace tessera {

// Text in a value. Tilers, also listed below: a by-mode tiler <3:4, 8:2> or a tuple (_3:_3,(_2,_4):(_1,_8)), [..;..];
// `_` keeps a mode whole; the type is in core/notation/cute/algebra.
struct Text {
  std::string text;
  bool operator==(const Text&) const = default;
};

using Value =
    std::variant<i64, bool, Text, cute::IntTuple, Layout, cute::Tiler, cute::Explanation, Verdict, AtlasRow, TiledMma,
                 TiledCopy, BankAccess, SwizzleFinding, Chain, axe::Place, axe::Places, axe::Coords, graphene::Listing>;

namespace value_detail {
template <typename T, typename V>
inline constexpr bool kIsAlternative = false;
template <typename T, typename... Ts>
inline constexpr bool kIsAlternative<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> || ...);
}  // namespace value_detail

// The value as a T: an alternative of Value, or the notation of its layout; nullptr if it is neither.
template <typename T>
[[nodiscard]] const T* as(const Value& value) {
  if constexpr (value_detail::kIsAlternative<T, Value>) {
    return std::get_if<T>(&value);
  } else {
    const auto* layout = std::get_if<Layout>(&value);
    return layout == nullptr ? nullptr : layout->as<T>();
  }
}
template <typename T>
[[nodiscard]] bool is(const Value& value) {
  return as<T>(value) != nullptr;
}

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
// The value as a layout: a shape or number is the compact layout
// over it. Otherwise a Diag that names the kind of value.
[[nodiscard]] Result<Layout> layoutOf(const Value& value);
// Its arrow and its map.
[[nodiscard]] Result<Arrow> arrowOf(const Value& value);
[[nodiscard]] Result<Map> toMap(const Value& value);

}  // namespace tessera
