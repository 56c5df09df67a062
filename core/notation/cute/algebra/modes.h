// Structural operations: they select and nest modes, without arithmetic. Each law states the leaves and their order.
//
//     slice((0,_,1), (2,3,4):(1,2,6)) = (3):(2)     the modes marked `_`; sliceAndOffset also gives L(0,0,1) = 6
//     dice ((0,_,1), (2,3,4):(1,2,6)) = (2,4):(1,6) the other modes
//     group((4,5,6):(1,4,20), 0, 2) = ((4,5),6):((1,4),20)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/int_tuple.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

// Keeps the modes under `_`. Ensures: slice(c, L)(x) == L(c with x in place of the wildcards) - offset.
[[nodiscard]] Result<Layout> slice(const IntTuple& coord, const Layout& layout);
[[nodiscard]] Result<std::pair<Layout, i64>> sliceAndOffset(const IntTuple& coord, const Layout& layout);
// Keeps the modes under integers.
[[nodiscard]] Result<Layout> dice(const IntTuple& coord, const Layout& layout);

// Modes [begin, end) become one mode; end = -1 is the rank.
[[nodiscard]] Result<Layout> group(const Layout& layout, i64 begin, i64 end);
[[nodiscard]] Result<Layout> take(const Layout& layout, i64 begin, i64 end);
[[nodiscard]] Result<Layout> select(const Layout& layout, const std::vector<i64>& modes);
[[nodiscard]] Result<IntTuple> group(const IntTuple& tuple, i64 begin, i64 end);
[[nodiscard]] Result<IntTuple> take(const IntTuple& tuple, i64 begin, i64 end);
[[nodiscard]] Result<IntTuple> select(const IntTuple& tuple, const std::vector<i64>& modes);

// (L1, L2, ...): one mode per layout. joined: the same, but a single leaf stays a leaf.
[[nodiscard]] Result<Layout> makeLayout(const std::vector<Layout>& modes);
[[nodiscard]] Result<Layout> joined(const std::vector<Layout>& modes);
// The layout with `extra` as an additional last or first mode; a rank-1 integer layout becomes a pair.
[[nodiscard]] Result<Layout> append(const Layout& layout, const Layout& extra);
[[nodiscard]] Result<Layout> prepend(const Layout& layout, const Layout& extra);
// 1:0 and 0 with the static marks of `like`: _1:_0 if it has any, _0 if it is static.
[[nodiscard]] Layout unitBeside(const Layout& like);
[[nodiscard]] IntTuple zeroBeside(const Layout& like);
// append<N>: pads with 1:0 up to rank n; a layout of at least that rank is unchanged.
[[nodiscard]] Result<Layout> padRank(const Layout& layout, int n);

// Tiler: one layout per mode, applied mode by mode: CuTe's tuples of layouts.
//
//     <3:4, 8:2>              mode 0 by 3:4, mode 1 by 8:2
//     (_3:_3,(_2,_4):(_1,_8)) as CuTe C++ prints it;   [(4,8):(1,4);_;(2,3):(1,2)] as CuTe DSL does
//     <2, _, <4, 8>>          an integer n is n:1, `_` keeps the mode whole, a tuple descends into a nested mode
//
// A shape used as a tiler is the tiler of its integers: (2,8) is <2,8>.
// It is not a layout: composition(A, <a,b>) composes mode 0 of A with a and mode 1 with b, and drops further modes.

struct TilerEntry;

struct Tiler {
  std::vector<TilerEntry> entries;
  bool operator==(const Tiler& other) const;
};

struct TilerEntry {
  enum class Kind : unsigned char { Whole, Layout, Nested };
  Kind kind = Kind::Whole;
  Layout layout;             // Layout
  bool fromInteger = false;  // written as n, short for n:1
  Tiler nested;              // Nested
  bool operator==(const TilerEntry&) const = default;
};

[[nodiscard]] std::string print(const Tiler& tiler);
// (2,(4,_)) -> <2,<4,_>>. A Diag: `?`, bases, or extents below 1.
[[nodiscard]] Result<Tiler> tilerOfShape(const IntTuple& shape);

// Queries for the worksheet: a Diag if the layout has unknown numbers.

[[nodiscard]] Result<i64> size(const Layout& layout);
// An integer; for basis strides a tuple, one extent per coordinate.
[[nodiscard]] Result<IntTuple> cosize(const Layout& layout);
[[nodiscard]] Result<i64> size(const ComposedLayout& layout);
// The inner layout's cosize, without swizzle and offset, as in CuTe. The axis extent of toMap is the true codomain.
[[nodiscard]] Result<IntTuple> cosize(const ComposedLayout& layout);

// Layouts from shapes, with compact strides in a chosen order.
//
//     makeLayoutLeft((2,3)) = (2,3):(1,2)     makeLayoutRight((2,3)) = (2,3):(3,1)
//     makeOrderedLayout((2,3,4), (2,0,1)) = (2,3,4):(12,1,3)    the mode with the smallest order is fastest
//
// Law: compact = bijective onto [0, size). Extent-1 modes get stride 0 (C++; pycute writes the running product).

[[nodiscard]] Result<Layout> makeLayoutLeft(const IntTuple& shape);
[[nodiscard]] Result<Layout> makeLayoutRight(const IntTuple& shape);
// Ties are broken by position; an integer order for a nested mode orders its inside colexicographically.
[[nodiscard]] Result<Layout> makeOrderedLayout(const IntTuple& shape, const IntTuple& order);
// Same shape, compact in the order of |stride|; stride-0 modes stay 0.
[[nodiscard]] Result<Layout> makeLayoutLike(const Layout& layout);
// A register layout for it: mode 0 (a thread's values) is contiguous, and the other modes follow in stride order.
// Stride 0 is kept in mode 0.
[[nodiscard]] Result<Layout> makeFragmentLike(const Layout& layout);
// Maps each coordinate to itself: strides 1@0, 1@1, ...
[[nodiscard]] Result<Layout> makeIdentityLayout(const IntTuple& shape);
// domain_distribute((15,14), 6) = (3,2):(1,15): distributes b over the modes, from the left, by common factors.
[[nodiscard]] Result<Layout> domainDistribute(const IntTuple& shape, i64 b);

}  // namespace tessera::cute
