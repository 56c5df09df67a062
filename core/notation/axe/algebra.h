// The algebra of Axe layouts. Every operation is stated as a law over the functions f_L of layout.h, and tested as that
// law by enumeration; "refused" means a Diag with the numbers that do not fit.
//
//     canonicalize((8,2,3,6):(6,18,6,1))        = (8,36):(6,1)               the same function, the fewest iters
//     group(S[64:1], (4,16))                    = (4,16):(16,1)              one block of iters a dimension
//     tile((8,8):(8,1), (2,3):(3,1))            = (8,2,8,3):(48,3,6,1)       a 16x24 matrix in 2x3 tiles
//     directSum((2,2):(8,2), (2,2):(4,1))       = 16:1
//     slice((4,4,4,4):(64,4,16,1), [2:3)x[6:10)) = (2,2):(14,1) + 26
//
// The paper's definitions are followed. TVM differs, and each place says how.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/notation/axe/layout.h"

namespace tessera::axe {

// --- canonical form and equality (paper, appendix A) ----------------------------------------------------------------

// f_canonicalize(L) == f_L as sets. D: extent-1 iters drop, neighbours with s_i = e_{i+1} * s_{i+1} on one axis merge;
// this form is unique for the function (theorem A.8). R, per axis: extent 1 and stride 0 drop, negative strides turn
// round into the offset, (E1,s) absorbs (E2,q*s) for 1 <= q <= E1, smallest stride first. R's form is not unique
// without the gap condition ({3:2,3:3,2:6} has two), which is why equal does not compare it.
// Differs from TVM: it only sorts R; and keeps the axis of an all-unit layout, ours is S[1:1].
[[nodiscard]] Layout canonicalize(const Layout& layout);

// f_a == f_b: for every linear index x the same set of places. Exact: the same element count, the same canonical D, and
// per axis the same replica set. Refused only when a replica set has more than 2^20 values and violates the gap
// condition on its axis. Bound shapes do not take part: they name the same linear indices.
[[nodiscard]] Result<bool> equal(const Layout& a, const Layout& b);

// V4: per axis, saturated replica strides s1 < s2 < .. satisfy E_k * s_k < s_{k+1};
// then replica digits are unique and R's canonical form is too.
[[nodiscard]] bool gapCondition(const Layout& layout);

// --- group, permute -------------------------------------------------------------------------------------------------

struct Grouping {
  Layout layout;
  std::vector<std::size_t>
      separators;  // rank+1 positions in layout.shard(): block j is [separators[j], separators[j+1])
  [[nodiscard]] std::vector<Iter> block(std::size_t j) const;
};
// D split and fused into blocks with products shape[j]; f unchanged. With canonicalizeFirst (the default) the answer
// is complete: refused only when no layout of this function groups.
// A unit dimension gets an empty block (paper; TVM emits a unit iter).
[[nodiscard]] Result<Grouping> group(const Layout& layout, const std::vector<i64>& shape,
                                     bool canonicalizeFirst = true);

struct GroupingMany {
  Layout layout;
  std::vector<std::vector<std::size_t>> separators;  // one list a shape
};
// The coarsest D that groups by every shape at once: cut where any shape has a boundary.
[[nodiscard]] Result<GroupingMany> groupMany(const Layout& layout, const std::vector<std::vector<i64>>& shapes);

// f_R(y) = f_L(x) with y[k] = x[order[k]]: dimension order[k] of L becomes dimension k.
[[nodiscard]] Result<Layout> permute(const Layout& layout, const std::vector<i64>& shape,
                                     const std::vector<std::size_t>& order);

// --- size and span --------------------------------------------------------------------------------------------------

// Product of the D extents on this axis.
[[nodiscard]] i64 sizeOn(const Layout& layout, const std::string& axis);
// max - min + 1 over every value on this axis = 1 + sum over D and R of |s|(e-1); 1 for an axis that is not used.
// Differs from TVM's GetSpan: no offset in it, absolute strides.
[[nodiscard]] i64 span(const Layout& layout, const std::string& axis);

// --- tile, direct sum and their inverses (paper 3.3, appendices C, D, F) --------------------------------------------

// T over the interleaved domain (SA[0],SB[0],SA[1],..): f_T(x||y) = f_A(x) (.) W + f_B(y), W = span(B) axis by axis
// (1 where B does not go). Element (i, j) of T is element (i mod SB, ..) of tile (i div SB, ..). Canonical.
// Differs from TVM: A's R and O are scaled too (theorem C.2), and W counts B's replicas.
[[nodiscard]] Result<Layout> tile(const Layout& outer, const std::vector<i64>& outerShape, const Layout& inner,
                                  const std::vector<i64>& innerShape);
// The C with tile(C, ST/SB, B, SB) == T; refused, with the reason, when there is none. The paper's algorithm 3 also
// accepts wrong ones (T = (2,2):(1,2), B = 2:1); here the answer is tiled again and compared.
[[nodiscard]] Result<Layout> tileOuterOf(const Layout& tiled, const std::vector<i64>& tiledShape, const Layout& inner,
                                         const std::vector<i64>& innerShape);
// The C with tile(A, SA, C, ST/SA) == T.
[[nodiscard]] Result<Layout> tileInnerOf(const Layout& tiled, const std::vector<i64>& tiledShape, const Layout& outer,
                                         const std::vector<i64>& outerShape);
// As tile with W = 1: f(x||y) = f_A(x) + f_B(y).
[[nodiscard]] Result<Layout> directSum(const Layout& left, const std::vector<i64>& leftShape, const Layout& right,
                                       const std::vector<i64>& rightShape);
// The C with directSum(A, SA, C, S/SA) == L, and the C with directSum(C, S/SB, B, SB) == L.
[[nodiscard]] Result<Layout> directSumRightOf(const Layout& sum, const std::vector<i64>& shape, const Layout& left,
                                              const std::vector<i64>& leftShape);
[[nodiscard]] Result<Layout> directSumLeftOf(const Layout& sum, const std::vector<i64>& shape, const Layout& right,
                                             const std::vector<i64>& rightShape);

// --- slice ----------------------------------------------------------------------------------------------------------

using Region = std::vector<std::pair<i64, i64>>;  // [begin, end) for each dimension
// f_R(y) = f_L(begin + y) for every y of the box. Exact for boxes of up to 2^20 elements a dimension:
// refused only when no layout does it; beyond, the paper's sufficient rules decide (with the strict capacity test: lemma E.2 is off by one).
[[nodiscard]] Result<Layout> slice(const Layout& layout, const std::vector<i64>& shape, const Region& region);

// --- elements that are packed, storage ------------------------------------------------------------------------------

// Each element becomes n smaller ones, next to each other in memory: f_R(n*x + j) = f_L(x) with memory axes * n, + j@m.
// Differs from TVM: it scales thread-axis strides too, and leaves R and O as they are.
[[nodiscard]] Result<Layout> unpack(const Layout& layout, i64 n);
// The L with unpack(L, n) == layout; refused when n neighbours are not one aligned piece of memory.
[[nodiscard]] Result<Layout> pack(const Layout& layout, i64 n);
// What one thread sees: thread axes dropped from D, R and O. (S[1:1] when nothing is left.)
[[nodiscard]] Layout storage(const Layout& layout);
// TVM's broadcast: an iter (n, 0@axis) inserted at position `at` of D: every index of it lands on the same place.
[[nodiscard]] Result<Layout> broadcast(const Layout& layout, i64 n, std::size_t at,
                                       const std::string& axis = kMemoryAxis);
// Canonical single (e:1) on a memory axis, no replicas, no offset.
[[nodiscard]] bool isTrivial(const Layout& layout);

// --- checks (facts: V1..V7) -----------------------------------------------------------------------------------------

struct Check {
  std::string id;       // "V3"
  std::string subject;  // "injective"
  bool holds = true;
  std::string text;  // what was found, with numbers
};
// V1 strides non-zero, V2 shape admitted, V3 injective, V4 gap condition, V5 axis bounds, V6 thread scopes form one
// chain, V7 places non-negative on memory axes.
[[nodiscard]] std::vector<Check> check(const Layout& layout);

// Two different linear indices that share a place, when there are any. Exact; refused when the search is too long.
struct Collision {
  i64 first = 0, second = 0;  // linear indices
  Place place;
};
[[nodiscard]] Result<std::optional<Collision>> findCollision(const Layout& layout);
[[nodiscard]] Result<bool> isInjective(const Layout& layout);

// --- building blocks that the files of the algebra share ------------------------------------------------------------

namespace detail {
// D0 and D1 on a list; empty when every extent is 1.
[[nodiscard]] std::vector<Iter> canonicalIters(const std::vector<Iter>& iters);
// R's normal form and the offset that negative strides leave behind.
struct Replicas {
  std::vector<Iter> iters;  // positive strides, sorted by axis then stride
  Place shift;
};
[[nodiscard]] Replicas canonicalReplicas(const std::vector<Iter>& iters);
// The values that the replica iters of one axis reach, least first; nullopt beyond 2^20 of them.
[[nodiscard]] std::optional<std::set<i64>> replicaValues(const std::vector<Iter>& iters, const std::string& axis);
// Positive iters whose sums are exactly `values` (which holds 0 and nothing negative); nullopt when there are none.
[[nodiscard]] std::optional<std::vector<std::pair<i64, i64>>> itersOfSet(const std::set<i64>& values);
// L, made of parts that were checked before: an overflow comes back as a Diag.
[[nodiscard]] Result<Layout> build(std::vector<Iter> shard, std::vector<Iter> replica, Place offset);
}  // namespace detail

}  // namespace tessera::axe
