// Layouts from shapes, with compact strides in a chosen order.
//
//     makeLayoutLeft((2,3)) = (2,3):(1,2)     makeLayoutRight((2,3)) = (2,3):(3,1)
//     makeOrderedLayout((2,3,4), (2,0,1)) = (2,3,4):(12,1,3)    the mode with the smallest order is fastest
//
// Law: compact = bijective onto [0, size). Extent-1 modes get stride 0 (C++; pycute writes the running product).
#pragma once

#include "core/base/result.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

[[nodiscard]] Result<Layout> makeLayoutLeft(const IntTuple& shape);
[[nodiscard]] Result<Layout> makeLayoutRight(const IntTuple& shape);
// Ties are broken by position; an integer order for a nested mode orders its inside colexicographically.
[[nodiscard]] Result<Layout> makeOrderedLayout(const IntTuple& shape, const IntTuple& order);
// Same shape, compact in the order of |stride|; stride-0 modes stay 0.
[[nodiscard]] Result<Layout> makeLayoutLike(const Layout& layout);
// A register layout for it: mode 0 (a thread's values) becomes contiguous first, then the other modes in stride order;
// stride 0 is kept in mode 0.
[[nodiscard]] Result<Layout> makeFragmentLike(const Layout& layout);
// The identity: coordinate c to itself, strides 1@0, 1@1, ...
[[nodiscard]] Result<Layout> makeIdentityLayout(const IntTuple& shape);
// domain_distribute((15,14), 6) = (3,2):(1,15): spreads b elements
// over the modes of a, as far as they divide, from the left.
[[nodiscard]] Result<Layout> domainDistribute(const IntTuple& shape, i64 b);

}  // namespace tessera::cute
