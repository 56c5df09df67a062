// Links of operations that take a layout apart or put copies of it together: which point of the input a point of the result is.
//
//     R = slice((0,_,1), L)         R's x is L's (0,x,1): the digits that were fixed stand still
//     R = dice((0,_,1), L)          R's (a,b) are all of L's (a,_,b)
//     R = tile_to_shape(A, shape)   R's c is A's c mod A's extents, mode by mode
//     R = GetTileLayout(L, t, k)    R's c is L's t * k + c
//     R = invert(L)                 R's y are the coordinates of L's x with L(x) = y
//     R = upcast(L, 4)              R's element b are L's with addresses 4b to 4b + 3: the same bits
//
// Law (tests/render/algebra_links_test.cpp): what is linked has the address that the operation's post-condition says.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "render/draw/views.h"
#include "render/figure/linked.h"

namespace tessera {

// `coord` with `_` under which the result has (Keep::Wildcards) or leaves out (Keep::Numbers) the modes of `whole`. Null
// where the result's digits are not those.
enum class Keep : unsigned char { Wildcards, Numbers };
[[nodiscard]] LinkPtr partLink(const SubjectPtr& result, const SubjectPtr& whole, const cute::IntTuple& coord,
                               Keep keep);
// The result is made of copies of `block`, mode by mode. Null where a mode of it is no multiple.
[[nodiscard]] LinkPtr copiesLink(const SubjectPtr& result, const SubjectPtr& block);
// The result is the part of `whole` that begins at `corner`.
[[nodiscard]] LinkPtr cornerLink(const SubjectPtr& result, const SubjectPtr& whole, const std::vector<i64>& corner);
// Elements of `oldBits` each, and of `newBits`, in the same memory.
[[nodiscard]] LinkPtr recastLink(const SubjectPtr& result, i64 newBits, const SubjectPtr& old, i64 oldBits);
// Point i of `f` is the point of `to` whose coordinates are f's axes at i. Null where they are not one a mode, or beyond 2^16.
[[nodiscard]] LinkPtr coordinateLink(const SubjectPtr& f, const SubjectPtr& to);

}  // namespace tessera
