// Links of layouts: relations from a layout's points to other points, given by its arrow (render/figure/linked.h
// describes how pictures use them).
//
//     #ttg.blocked over (16,8)         (register, lane, warp) -> element (r,c); element -> thread warp * 32 + lane
//     ((4,8),(2,2)):((32,1),(16,8))    (thread, value) -> element of the 16 x 8 tile; -> thread
//
// Thread t is the same point in every picture: lane t of an instruction, of an access, of a layout.
#pragma once

#include <memory>
#include <vector>

#include "render/draw/placed/placed.h"
#include "render/draw/subject.h"
#include "render/figure/linked.h"

namespace tessera {

[[nodiscard]] Point threadPoint(i64 thread);
[[nodiscard]] bool isThread(Point point);
// Of `threads`: the hue is the quad of lanes, with more than two warps the warp.
[[nodiscard]] Paint threadPaint(i64 thread, i64 threads);
// Domain of a layout's elements: the extents of its arrow's top-level modes. 0 if it has no subject.
[[nodiscard]] u64 pointDomainOf(const Layout& layout);

// Point i of `from` is point f(i) of `to`, if that is in [0, size). Requires one axis.
[[nodiscard]] Result<LinkPtr> valueLink(const SubjectPtr& f, u64 from, u64 to, i64 size);
// Relates points of a and b in the same memory: equal addresses, unless elements have different widths. Requires one
// axis each.
[[nodiscard]] Result<LinkPtr> addressLink(const SubjectPtr& a, const SubjectPtr& b, i64 bitsOfA = 1, i64 bitsOfB = 1);
// (thread, value): the first mode is the thread. Only for layouts shown that way: (64,64):(64,1) could be one.
[[nodiscard]] LinkPtr firstModeLink(const Subject& subject);
// Relates the elements of a tensor to the threads that hold them.
[[nodiscard]] LinkPtr placedLink(std::shared_ptr<const Placed> placed);

// Links of the layout's own arrow, independent of the view: hardware -> elements, elements -> threads.
[[nodiscard]] std::vector<FigureLink> linksOf(const Layout& layout);

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
