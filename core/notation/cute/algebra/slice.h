// Structural operations: which modes, in which nesting. No arithmetic; the law is "these leaves, in this order".
//
//     slice((0,_,1), (2,3,4):(1,2,6)) = (3):(2)     the modes marked `_`; sliceAndOffset also gives L(0,0,1) = 6
//     dice ((0,_,1), (2,3,4):(1,2,6)) = (2,4):(1,6) the others
//     group((4,5,6):(1,4,20), 0, 2) = ((4,5),6):((1,4),20)
#pragma once

#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

// Keeps the modes under `_`. Ensures: slice(c, L)(x) == L(c with x in place of the wildcards) - offset.
[[nodiscard]] Result<Layout> slice(const IntTuple& coord, const Layout& layout);
[[nodiscard]] Result<std::pair<Layout, i64>> sliceAndOffset(const IntTuple& coord, const Layout& layout);
// Keeps the modes under integers.
[[nodiscard]] Result<Layout> dice(const IntTuple& coord, const Layout& layout);
// The coordinate with 0 for every wildcard.
[[nodiscard]] IntTuple withoutWildcards(const IntTuple& coord);

// Modes [begin, end) become one mode; end = -1 means the rank.
[[nodiscard]] Result<Layout> group(const Layout& layout, i64 begin, i64 end);
[[nodiscard]] Result<Layout> take(const Layout& layout, i64 begin, i64 end);
[[nodiscard]] Result<Layout> select(const Layout& layout, const std::vector<i64>& modes);
[[nodiscard]] Result<IntTuple> group(const IntTuple& tuple, i64 begin, i64 end);
[[nodiscard]] Result<IntTuple> take(const IntTuple& tuple, i64 begin, i64 end);
[[nodiscard]] Result<IntTuple> select(const IntTuple& tuple, const std::vector<i64>& modes);

// (L1, L2, ...): one mode per layout.
[[nodiscard]] Result<Layout> makeLayout(const std::vector<Layout>& modes);
// The layout with `extra` as an additional last or first mode; a rank-1 integer layout becomes a pair.
[[nodiscard]] Result<Layout> append(const Layout& layout, const Layout& extra);
[[nodiscard]] Result<Layout> prepend(const Layout& layout, const Layout& extra);
// 1:0 in the style of `like`: _1:_0 if `like` has static marks.
[[nodiscard]] Layout unitBeside(const Layout& like);
// append<N>: pads with 1:0 up to rank n; a layout of rank n is unchanged.
[[nodiscard]] IntTuple zeroBeside(const Layout& like);
[[nodiscard]] Result<Layout> padRank(const Layout& layout, int n);

}  // namespace tessera::cute
