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

#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/analysis/access/chain.h"
#include "core/analysis/memory/banks.h"
#include "core/analysis/swizzle/find_swizzle.h"
#include "core/atlas/tiled.h"
#include "core/base/result.h"
#include "core/base/types.h"
#include "core/claim/claim.h"
#include "core/graphene/listing.h"
#include "core/layout/layout.h"
#include "core/notation/axe/eval.h"
#include "core/notation/cute/algebra/explain.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/int_tuple.h"
#include "core/worksheet/any_value.h"

namespace tessera {

// Text in a value. Tilers, also listed below: a by-mode tiler <3:4, 8:2> or a tuple (_3:_3,(_2,_4):(_1,_8)), [..;..];
// `_` keeps a mode whole; the type is in core/notation/cute/algebra.
struct Text {
  std::string text;
  bool operator==(const Text&) const = default;
};

// A class, not an alias of the variant, so that code that only passes values on can declare it (any_value.h).
struct Value final : std::variant<i64, bool, Text, cute::IntTuple, Layout, cute::Tiler, cute::Explanation, Verdict,
                                  AtlasRow, TiledMma, TiledCopy, BankAccess, SwizzleFinding, Chain, axe::Place,
                                  axe::Places, axe::Coords, graphene::Listing> {
  using variant::variant;
};

// A shape, a stride or a coordinate: an integer is its only leaf; nullopt if it is neither an integer nor a tuple.
[[nodiscard]] std::optional<cute::IntTuple> tupleIn(const Value& value);
// An integer, or the only leaf of a tuple.
[[nodiscard]] std::optional<i64> integerIn(const Value& value);

// The algebra operation that produced a value: drawn as "inputs beside result".
struct Operation {
  std::string function;  // "composition"
  std::vector<Value> inputs;
};

namespace value_detail {
template <typename T, typename V>
inline constexpr bool kIsAlternative = false;
template <typename T, typename... Ts>
inline constexpr bool kIsAlternative<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> || ...);
}  // namespace value_detail
template <typename T>
concept IsAlternative = value_detail::kIsAlternative<T, Value::variant>;

// The value as a T; nullptr if it is another alternative. Of a notation: any_value.h.
template <IsAlternative T>
[[nodiscard]] const T* as(const Value& value) {
  return std::get_if<T>(&value);
}
template <IsAlternative T>
[[nodiscard]] bool is(const Value& value) {
  return std::holds_alternative<T>(value);
}

}  // namespace tessera
