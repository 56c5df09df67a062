// Value: what an expression of the worksheet means: a number, a text, a tuple, a result (verdict, instruction, search ...)
// or a layout of any notation.
//
//     size(A)                  i64              prove injective(A)     Verdict
//     (4,8)                    cute::IntTuple         atlas(mma.m16n8k16)    AtlasRow
//     (4,8):(8,1), f32[4,8]    Layout           find swizzle ...       SwizzleFinding
//     graphene NAME { ... }    graphene::Listing
//
// A notation is not an alternative of its own: whoever reads a layout reads its arrow (arrowOf), and only the notation's
// own functions and views ask what it is (as<xla::Shape>(value)). A new notation adds nothing here.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/analysis/banks.h"
#include "core/analysis/chain.h"
#include "core/analysis/find_swizzle.h"
#include "core/analysis/linear_swizzle.h"
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

// A by-mode tiler <3:4, 8:2> or a tiler tuple (_3:_3,(_2,_4):(_1,_8)), [..;..]; `_` keeps a mode whole.
// The type lives with the algebra (core/notation/cute/algebra); this header only lists it as a value.
struct Text {
  std::string text;
  bool operator==(const Text&) const = default;
};

// One warp-wide access to shared memory and what the bank model says of it: wavefronts([0, 4, 8], 4).
struct BankAccess {
  WarpAccess access;
  BankReport report;
  bool operator==(const BankAccess&) const = default;
};

// find swizzle for A where ...: what was asked, and every answer.
struct SwizzleFinding {
  cute::Layout layout;
  int elementBits = 16;
  std::vector<AccessSpec> specs;
  SwizzleSearch search;
  // by z3: one F2-linear swizzle, or (no pieces, a reason) the proof that there is none.
  std::optional<LinearSwizzle> linear;
};
// The answers as text: a line each, the simplest first, or the clash.
[[nodiscard]] std::string print(const SwizzleFinding& finding);

using Value =
    std::variant<i64, bool, Text, cute::IntTuple, Layout, cute::Tiler, cute::Explanation, Verdict, AtlasRow, TiledMma,
                 TiledCopy, BankAccess, SwizzleFinding, Chain, axe::Place, axe::Places, axe::Coords, graphene::Listing>;

namespace value_detail {
template <typename T, typename V>
inline constexpr bool kIsAlternative = false;
template <typename T, typename... Ts>
inline constexpr bool kIsAlternative<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> || ...);
}  // namespace value_detail

// The value as a T: an alternative of Value, or the notation of its layout; nullptr when it is something else.
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

// "int" "bool" "text" "tuple" "verdict" "instruction" "tiled_mma" "banks" "search" "program" ..., or the layout's own: the `kind`
// of --json.
[[nodiscard]] std::string kindOf(const Value& value);
// "a layout", "an integer": for messages.
[[nodiscard]] std::string_view nounOf(const Value& value);
[[nodiscard]] std::string textOf(const Value& value);
// Canonical text, as its own tool prints it. Of a Value and nothing that turns into one.
template <std::same_as<Value> T>
[[nodiscard]] std::string print(const T& value) {
  return textOf(value);
}
// The value as a layout: a shape or a number is the compact layout over it. Else a Diag that says what it is.
[[nodiscard]] Result<Layout> layoutOf(const Value& value);
// Its arrow and its map: what it means.
[[nodiscard]] Result<Arrow> arrowOf(const Value& value);
[[nodiscard]] Result<Map> toMap(const Value& value);

}  // namespace tessera
