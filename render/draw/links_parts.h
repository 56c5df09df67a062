// Links for operations that take a layout apart or combine copies of it: which point of the input a point of the result
// is.
//
//     R = slice((0,_,1), L)         R's x is L's (0,x,1): the given digits are fixed
//     R = dice((0,_,1), L)          R's (a,b) are all of L's (a,_,b)
//     R = tile_to_shape(A, shape)   R's c is A's c mod A's extents, mode by mode
//     R = GetTileLayout(L, t, k)    R's c is L's t * k + c
//     R = invert(L)                 R's y are the coordinates of L's x with L(x) = y
//
// Law (tests/render/algebra_links_test.cpp): linked points have the addresses given by the operation's post-condition.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "render/draw/views.h"
#include "render/figure/linked.h"

namespace tessera {

// `coord` has `_` for the modes of `whole` that the result keeps (Keep::Wildcards) or drops (Keep::Numbers). Null if
// the result has other digits.
enum class Keep : unsigned char { Wildcards, Numbers };
[[nodiscard]] LinkPtr partLink(const SubjectPtr& result, const SubjectPtr& whole, const cute::IntTuple& coord,
                               Keep keep);
// The result consists of copies of `block`, mode by mode. Null if some mode is not a multiple.
[[nodiscard]] LinkPtr copiesLink(const SubjectPtr& result, const SubjectPtr& block);
// The result is the part of `whole` that starts at `corner`.
[[nodiscard]] LinkPtr cornerLink(const SubjectPtr& result, const SubjectPtr& whole, const std::vector<i64>& corner);
// Point i of `f` is the point of `to` whose coordinates are f's axes at i. Null unless there is one axis per mode, or
// beyond 2^16.
[[nodiscard]] LinkPtr coordinateLink(const SubjectPtr& f, const SubjectPtr& to);

}  // namespace tessera
