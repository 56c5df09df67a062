// The algebra of Axe layouts. The law of each operation is a statement about the functions f_L of layout.h, and tests
// check it by enumeration. "Refused" is a Diag with the numbers that do not fit.
//
//     canonicalize((8,2,3,6):(6,18,6,1))        = (8,36):(6,1)               the same function, the fewest iters
//     group(S[64:1], (4,16))                    = (4,16):(16,1)              one block of iters per dimension
//     tile((8,8):(8,1), (2,3):(3,1))            = (8,2,8,3):(48,3,6,1)       a 16x24 matrix in 2x3 tiles
//     directSum((2,2):(8,2), (2,2):(4,1))       = 16:1
//     slice((4,4,4,4):(64,4,16,1), [2:3)x[6:10)) = (2,2):(14,1) + 26
//
// The definitions are the paper's; each difference from TVM is noted.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/notation/axe/layout.h"

namespace tessera::axe {

// --- canonical form and equality (paper, appendix A) ----------------------------------------------------------------

// f_canonicalize(L) == f_L as sets. D: extent-1 iters are dropped, and neighbours with s_i = e_{i+1} * s_{i+1} on one
// axis merge; this form is unique for the function (theorem A.8). R, per axis: extent 1 and stride 0 are dropped,
// negative strides become positive with a shifted offset, and (E1,s) absorbs (E2,q*s) for 1 <= q <= E1, smallest stride
// first. Without the gap condition R's form is not unique ({3:2,3:3,2:6} has two), so equal does not compare it.
// Differs from TVM, which only sorts R and keeps the axis of an all-unit layout (S[1:1] here).
[[nodiscard]] Layout canonicalize(const Layout& layout);

// f_a == f_b: the same set of places for every linear index x. Exact: compares the element counts, the canonical D, and
// the replica set of each axis. Refused only if a replica set has more than 2^20 values and violates the gap condition
// on its axis. Bound shapes are ignored, because they name the same linear indices.
[[nodiscard]] Result<bool> equal(const Layout& a, const Layout& b);

// V4: on each axis, saturated replica strides s1 < s2 < .. satisfy E_k * s_k < s_{k+1}. Then replica digits and R's
// canonical form are unique.
[[nodiscard]] bool gapCondition(const Layout& layout);

// --- group, permute -------------------------------------------------------------------------------------------------

struct Grouping {
  Layout layout;
  // rank+1 positions in layout.shard(); block j is [separators[j], separators[j+1]).
  std::vector<std::size_t> separators;
  [[nodiscard]] std::vector<Iter> block(std::size_t j) const;
};
// Splits and fuses D into blocks with products shape[j]; f is unchanged. With canonicalizeFirst, refused only if no
// layout of this function groups. A unit dimension gets an empty block, as in the paper (TVM emits a unit iter).
[[nodiscard]] Result<Grouping> group(const Layout& layout, const std::vector<i64>& shape,
                                     bool canonicalizeFirst = true);

struct GroupingMany {
  Layout layout;
  std::vector<std::vector<std::size_t>> separators;  // one list per shape
};
// The coarsest D that groups by every shape: split at the boundaries of all shapes.
[[nodiscard]] Result<GroupingMany> groupMany(const Layout& layout, const std::vector<std::vector<i64>>& shapes);

// f_R(y) = f_L(x) with y[k] = x[order[k]]: dimension order[k] of L becomes dimension k.
[[nodiscard]] Result<Layout> permute(const Layout& layout, const std::vector<i64>& shape,
                                     const std::vector<std::size_t>& order);

// --- size and span --------------------------------------------------------------------------------------------------

// The product of the D extents on this axis.
[[nodiscard]] i64 sizeOn(const Layout& layout, const std::string& axis);
// max - min + 1 over all values on this axis = 1 + sum over D and R of |s|(e-1); 1 for an unused axis.
// Differs from TVM's GetSpan, which includes the offset and uses signed strides.
[[nodiscard]] i64 span(const Layout& layout, const std::string& axis);
// The smallest and the largest place on the axis.
[[nodiscard]] std::pair<i64, i64> rangeOn(const Layout& layout, const std::string& axis);

// --- tile, direct sum and their inverses (paper 3.3, appendices C, D, F) --------------------------------------------

// T over the interleaved domain (SA[0],SB[0],SA[1],..): f_T(x||y) = f_A(x) (.) W + f_B(y), with W = span(B) per axis (1
// on axes that B does not use). Element (i, j) of T is element (i mod SB, ..) of tile (i div SB, ..). The result is
// canonical. Differs from TVM: A's R and O are scaled too (theorem C.2), and W includes B's replicas.
[[nodiscard]] Result<Layout> tile(const Layout& outer, const std::vector<i64>& outerShape, const Layout& inner,
                                  const std::vector<i64>& innerShape);
// The C with tile(C, ST/SB, B, SB) == T; refused, with the reason, if there is none. The paper's algorithm 3 also
// accepts wrong inputs (T = (2,2):(1,2), B = 2:1); here the result is verified by tiling it again.
[[nodiscard]] Result<Layout> tileOuterOf(const Layout& tiled, const std::vector<i64>& tiledShape, const Layout& inner,
                                         const std::vector<i64>& innerShape);
// The C with tile(A, SA, C, ST/SA) == T.
[[nodiscard]] Result<Layout> tileInnerOf(const Layout& tiled, const std::vector<i64>& tiledShape, const Layout& outer,
                                         const std::vector<i64>& outerShape);
// tile with W = 1: f(x||y) = f_A(x) + f_B(y).
[[nodiscard]] Result<Layout> directSum(const Layout& left, const std::vector<i64>& leftShape, const Layout& right,
                                       const std::vector<i64>& rightShape);
// The C with directSum(A, SA, C, S/SA) == L, and the C with directSum(C, S/SB, B, SB) == L.
[[nodiscard]] Result<Layout> directSumRightOf(const Layout& sum, const std::vector<i64>& shape, const Layout& left,
                                              const std::vector<i64>& leftShape);
[[nodiscard]] Result<Layout> directSumLeftOf(const Layout& sum, const std::vector<i64>& shape, const Layout& right,
                                             const std::vector<i64>& rightShape);

// --- slice ----------------------------------------------------------------------------------------------------------

using Region = std::vector<std::pair<i64, i64>>;  // [begin, end) per dimension
// f_R(y) = f_L(begin + y) for every y of the box. Exact for up to 2^20 elements per dimension: refused only if no
// layout exists. Beyond that, the paper's sufficient rules decide, with a strict capacity test (lemma E.2 is off by 1).
[[nodiscard]] Result<Layout> slice(const Layout& layout, const std::vector<i64>& shape, const Region& region);

// --- packed elements, storage ---------------------------------------------------------------------------------------

// Each element becomes n smaller ones, adjacent in memory: f_R(n*x + j) = f_L(x) with memory axes * n, + j@m.
// Differs from TVM, which also scales the strides of thread axes, and does not scale R and O.
[[nodiscard]] Result<Layout> unpack(const Layout& layout, i64 n);
// The L with unpack(L, n) == layout; refused unless each n neighbours are one aligned piece of memory.
[[nodiscard]] Result<Layout> pack(const Layout& layout, i64 n);
// The view of one thread: D, R and O without thread axes; S[1:1] if nothing remains.
[[nodiscard]] Layout storage(const Layout& layout);

// --- checks (facts: V1..V7) -----------------------------------------------------------------------------------------

struct Check {
  std::string id;       // "V3"
  std::string subject;  // "injective"
  bool holds = true;
  std::string text;  // the finding, with numbers
};
// V1: nonzero strides; V2: shape admitted; V3: injective; V4: gap condition; V5: axis bounds; V6: thread scopes form
// one chain; V7: no negative places on memory axes.
[[nodiscard]] std::vector<Check> check(const Layout& layout);

// Two different linear indices that share a place, if any. Exact; refused if the search is too long.
struct Collision {
  i64 first = 0, second = 0;  // linear indices
  Place place;
};
[[nodiscard]] Result<std::optional<Collision>> findCollision(const Layout& layout);

// --- building blocks shared by the files of the algebra -------------------------------------------------------------

namespace detail {
[[nodiscard]] std::vector<Iter> onAxis(const std::vector<Iter>& iters, const std::string& axis);
[[nodiscard]] i64 reachOf(const std::vector<Iter>& iters);  // sum of |stride| * (extent - 1)
// Drops iters of extent 1 and merges neighbours (D0 and D1 of the paper); empty if every extent is 1.
[[nodiscard]] std::vector<Iter> canonicalIters(const std::vector<Iter>& iters);
// The normal form of R, and the offset that negative strides contribute.
struct Replicas {
  std::vector<Iter> iters;  // positive strides, sorted by axis then stride
  Place shift;
};
[[nodiscard]] Replicas canonicalReplicas(const std::vector<Iter>& iters);
// The values of one axis's replica iters, ascending; nullopt for more than 2^20.
[[nodiscard]] std::optional<std::set<i64>> replicaValues(const std::vector<Iter>& iters, const std::string& axis);
// Positive iters whose sums are exactly `values` (which contain 0 and no negative value); nullopt if there are none.
[[nodiscard]] std::optional<std::vector<std::pair<i64, i64>>> itersOfSet(const std::set<i64>& values);
// A layout from parts that were checked before; overflow is a Diag. built: its canonical form.
[[nodiscard]] Result<Layout> build(std::vector<Iter> shard, std::vector<Iter> replica, Place offset);
[[nodiscard]] Result<Layout> built(std::vector<Iter> shard, std::vector<Iter> replica, Place offset);
// Sum of digit * stride over the digits of x, 0 <= x < product of the extents; every axis has an entry.
[[nodiscard]] Place placeAt(const std::vector<Iter>& iters, i64 x);
// Strides and offsets times the factor of their axis; a Diag on overflow.
using Scales = std::map<std::string, i64>;  // a missing axis has the factor 1
[[nodiscard]] i64 factor(const Scales& scales, const std::string& axis);
[[nodiscard]] Result<std::vector<Iter>> scaled(std::vector<Iter> iters, const Scales& scales);
[[nodiscard]] Result<Place> scaled(Place offset, const Scales& scales);
// a + times * b, axis by axis, without zero entries.
[[nodiscard]] Place sum(Place a, const Place& b, i64 times = 1);

// Digit search: all solutions of sum_k digit_k * stride_k == target with low_k <= digit_k < low_k + extent_k. An exact
// depth-first search, largest |stride| first, pruned by the range and the gcd of the remaining digits. If the strides
// nest (a mixed radix), every level has one candidate, and the search is linear.
struct DigitIter {
  i64 extent = 1;
  i64 stride = 1;
  i64 low = 0;
};

// Calls found(digits), in the order of `iters`, for each solution until found returns false. Returns false if the
// budget (visited levels) is exhausted, so that the search may be incomplete.
[[nodiscard]] bool searchDigits(const std::vector<DigitIter>& iters, i64 target, i64& budget,
                                const std::function<bool(const std::vector<i64>&)>& found);
}  // namespace detail

}  // namespace tessera::axe
