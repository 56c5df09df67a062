// Forward and backward: logical coordinate -> the set of places; place -> the logical coordinates stored there.
//
//     forward(X, (8,16), (2,9))                          = {lane 8, reg 1, warp 6}, {lane 8, reg 1, warp 10}
//     backward(X, (8,16), {lane 8, reg 1, warp 6})       = (2,9)
//     backward(S[(4,4):(1,1)], (4,4), {m 3})             = (0,3) (1,2) (2,1) (3,0)
//
// Law: c in backward(p)  <=>  p in forward(c). Both are exact for every layout: replicas form a Cartesian product (the
// source article's code takes a union), and backward solves for the digits, because (p / stride) mod extent is wrong if
// the strides do not nest (S[(2,2):(1,3)] at 4). Coordinates are range-checked (TVM extrapolates). A place is 0 on the
// axes that it does not name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/map/map.h"
#include "core/notation/axe/layout.h"

namespace tessera::axe {

// The distinct places, sorted. Refused for more than 2^20 places, or a coordinate outside the shape.
[[nodiscard]] Result<std::vector<Place>> forward(const Layout& layout, const std::vector<i64>& shape,
                                                 const std::vector<i64>& coordinate);
// Over layout.domain(): a linear index, or a coordinate of the bound shape.
[[nodiscard]] Result<std::vector<Place>> forward(const Layout& layout, const std::vector<i64>& coordinate);

// The distinct coordinates, sorted. Refused for more than 2^20 coordinates, or a search over more than 2^24 digits.
[[nodiscard]] Result<std::vector<std::vector<i64>>> backward(const Layout& layout, const std::vector<i64>& shape,
                                                             const Place& place);

// The steps of forward, for the step-by-step view.
struct Steps {
  i64 linear = 0;
  std::vector<i64> digits;  // one per shard iter
  Place shard;              // sum of digit * stride
  Place offset;
  std::vector<Place> replicas;  // distinct, sorted
  std::vector<Place> places;    // shard + offset + each replica
};
[[nodiscard]] Result<Steps> forwardSteps(const Layout& layout, const std::vector<i64>& shape,
                                         const std::vector<i64>& coordinate);

// The place of one linear index without replicas, for tables. Requires 0 <= linear < size().
[[nodiscard]] Place basePlace(const Layout& layout, i64 linear);

// The results of forward and backward: places and coordinates.
//
//     forward(X, (8,16), (2,9))      [{lane: 8, reg: 1, warp: 6}, {lane: 8, reg: 1, warp: 10}]
//     backward(X, (8,16), {...})     [(2,9)]

struct Places {
  std::vector<Place> places;  // distinct, sorted
  bool operator==(const Places&) const = default;
};
struct Coords {
  std::vector<std::vector<i64>> coords;  // distinct, sorted
  bool operator==(const Coords&) const = default;
};
[[nodiscard]] std::string print(const Places& places);
[[nodiscard]] std::string print(const Coords& coords);

[[nodiscard]] Result<std::optional<Place>> parsePlacePrefix(Cursor& in);

// Axe layouts as Maps.
//
// toMap(L, (8,16)): Index digits d0 < 8, d1 < 16; one Fan digit r0, r1 .. per replica iter; one axis per hardware axis,
// in alphabetical order. Digits are split row-major (LinearOrder::Lex), so a comparison by colex linear index must use
// the same shape on both sides. If L groups by the shape, each digit is split separately; otherwise the linear index is
// formed first. toMap(L) has one digit x unless a shape is bound.
// Law: imageOf(coordinate) == forward(L, shape, coordinate), axis by axis.

[[nodiscard]] Result<Map> toMap(const Layout& layout, const std::vector<i64>& shape);
[[nodiscard]] Result<Map> toMap(const Layout& layout);  // over layout.domain()

}  // namespace tessera::axe
