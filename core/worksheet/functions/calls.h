// What functions of different notations share: application, slices, composition, places, and arguments that are
// translated to the notation of the function.
#pragma once

#include <optional>
#include <vector>

#include "core/layout/arrow.h"
#include "core/notation/axe/eval.h"
#include "core/notation/indexing/map.h"
#include "core/worksheet/functions/typed.h"

namespace tessera {

// ---- CuTe's functions, also used by the operators

// L(_, 3): the layout of the modes given as `_`; the fixed coordinates become its offset (a composed layout keeps it).
[[nodiscard]] Result<Value> sliceValue(const Value& function, const cute::IntTuple& coord);
// L at the coordinate with 0 for `_`: the offset that slice drops; nullopt if nothing is sliced.
[[nodiscard]] std::optional<i64> sliceOffset(const Value& function, const cute::IntTuple& coord);
[[nodiscard]] std::optional<Result<Value>> applyCute(const Layout& layout, const cute::IntTuple& coord);
// A o B.
[[nodiscard]] Result<Value> composeCute(const Value& outer, const Value& inner);

// ---- maps

// Whether the value is a map itself, not a layout of a notation that lowers to one.
[[nodiscard]] bool isPlainMap(const Value& value);
// "First inner, then outer", if one of them is a map.
[[nodiscard]] std::optional<Result<Value>> composeMaps(const Value& outer, const Value& inner);
// Argument k as an indexing map.
[[nodiscard]] Result<indexing::IndexingMap> indexingAt(const Call& call, std::size_t k);
// Argument 0 of simplify as an indexing map: a map, a layout, or a formula over named ranges. A Diag: none of these, or
// UNDEFINED.
[[nodiscard]] Result<indexing::IndexingMap> simplifiableAt(const Call& c);

template <>
inline constexpr auto kReader<indexing::IndexingMap> = indexingAt;

// ---- Axe and Triton

// Argument k as an Axe or linear layout. Other notations with an equivalent are translated.
[[nodiscard]] Result<axe::Layout> axeOf(const Call& call, std::size_t k);
[[nodiscard]] Result<linear::Layout> linearOf(const Call& call, std::size_t k);
template <>
inline constexpr auto kReader<axe::Layout> = axeOf;
template <>
inline constexpr auto kReader<linear::Layout> = linearOf;

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

// ---- forward and backward of a layout of elements in any notation, through its arrow
//
//     Sw<1,0,1> o (2,2):(2,1) at (1,0)        {m: 3}
//     Sw<1,0,1> o (2,2):(2,1) back from 3     (1,0)
//     (4,4):(1,1) back from 3                 (0,3) (1,2) (2,1) (3,0)
//     to_map(S[8:1@lane]) at (5)              {lane: 5}
//
// Law: c in backward(p) <=> p in forward(c); equal layouts of one shape give equal answers.

// nullopt: the arrow does not map elements to one address or to hardware, has symbolic sizes, or (backward) has no
// inverse and more than 2^20 points. Coordinates have one number per mode; an axis that a place does not name is 0.
[[nodiscard]] std::optional<Result<axe::Places>> forwardOf(const Arrow& arrow, const std::vector<i64>& coordinate);
[[nodiscard]] std::optional<Result<axe::Coords>> backwardOf(const Arrow& arrow, const axe::Place& place);

// The values of the map at these digits, one per replica; nullopt if there are more than `most`.
[[nodiscard]] std::optional<std::vector<std::vector<i64>>> imagesAt(const Arrow& arrow, const std::vector<i64>& digits,
                                                                    i64 most);
// The coordinates, one number per mode, at which the map has these values, sorted; nullopt if there is no inverse
// formula and more than `most` points to search.
[[nodiscard]] std::optional<std::vector<std::vector<i64>>> coordinatesAt(const Arrow& arrow,
                                                                         const std::vector<i64>& values, i64 most);

// ---- ACCESS over LAYOUT, TYPE

// Whether the first argument is an access, an instruction or a thread-value layout; accessOverCall then handles
// over(ACCESS, LAYOUT, TYPE).
[[nodiscard]] bool isAccessLike(const Call& call);
[[nodiscard]] Result<Value> accessOverCall(const Call& call);

}  // namespace tessera
