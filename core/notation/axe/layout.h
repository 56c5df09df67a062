// Layout: a tensor placed on named hardware axes, D (shard) + R (replica) + O (offset).
//
//     S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp      an 8 x 16 tile on two warps, stored twice
//
// An iter (e, s@a) is the function x -> x*s on axis a, for x in [0, e). D is an ordered list of iters: a linear index
// is split into one digit per iter, the LAST iter fastest (row-major, unlike CuTe), and each digit goes to its iter's
// axis. R is a multiset of iters that range independently, and an element is stored at every place they reach. O is a
// constant.
//
//     f(x) = { sum_k digit_k(x) * s_k@a_k  +  sum_t r_t * s_t@a_t  +  O   |  0 <= r_t < e_t }
//
// Worked, coordinate (2, 9) of (8, 16): linear 2*16+9 = 41, digits (2,1,0,1) of (8,2,4,2), so
//     lane = 2*4 + 0*1 = 8,  reg = 1,  warp = 1 + {0, 4} + 5 = {6, 10}.
//
// The layout has no intrinsic shape: it admits any logical shape whose product is that of D's extents, and flattens its
// coordinates row-major. `over (8,16)` after the text binds one. It is not a CuTe layout: it is a set-valued map with
// named axes, and two elements that share a place are a mistake (check reports it).
//
// Text forms that parse reads; print writes the first, TVM's:
//     S[(8,2):(4@lane,1@warp)] + R[2:4@warp] + 5@warp          TVM; no `@axis` is @m, no strides is row-major on m
//     ( 8 2 ; 4@lane, 1@warp ) + [ 2 ; 4@warp ] + 5@warp       the paper's two rows, on one line
//     ( 8 2 ) ( 2 )  newline  ( 4@lane, 1@warp ) + ( 4@warp ) + 5@warp       the same on two lines, as typeset
//     D: (8, 4@lane) x (2, 1@warp) | R: (2, 4@warp) | O: 5@warp              the source article's repr
//     Layout(D=((8,2),(4@lane,1@warp)), R=((2),(4@warp)), O=5@warp)          the paper's Python
// Where TVM differs from the paper, the paper's definitions apply; each operation's comment names the difference.
//
// Law: parse(print(L)) == L.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::axe {

inline constexpr const char* kMemoryAxis = "m";

struct Iter {
  i64 extent = 1;
  i64 stride = 1;
  std::string axis = kMemoryAxis;
  bool operator==(const Iter&) const = default;
};

// A place: axis -> value; a missing axis is 0.
using Place = std::map<std::string, i64>;

class Layout {
 public:
  Layout() = default;  // S[1:1]
  // Checks: at least one shard iter (only the algebra turns an empty list into 1:1), extents >= 1, element and replica
  // counts within 64 bits, and values on each axis within 62 bits. Stride 0 is accepted (TVM's broadcast iters; V1 of
  // check reports it). A bound shape must be admitted.
  [[nodiscard]] static Result<Layout> create(std::vector<Iter> shard, std::vector<Iter> replica = {}, Place offset = {},
                                             std::vector<i64> shape = {});

  [[nodiscard]] const std::vector<Iter>& shard() const { return shard_; }
  [[nodiscard]] const std::vector<Iter>& replica() const { return replica_; }
  [[nodiscard]] const Place& offset() const { return offset_; }
  [[nodiscard]] i64 offsetOn(const std::string& axis) const;
  // The shape bound by `over`; empty if there is none.
  [[nodiscard]] const std::vector<i64>& shape() const { return shape_; }
  // The bound shape, or (size) if there is none.
  [[nodiscard]] std::vector<i64> domain() const;
  [[nodiscard]] Result<Layout> over(std::vector<i64> shape) const;
  [[nodiscard]] Layout withoutShape() const;

  [[nodiscard]] i64 size() const;          // E_D
  [[nodiscard]] i64 replicaCount() const;  // E_R
  // All axes named in D, R or O, in alphabetical order.
  [[nodiscard]] std::vector<std::string> axes() const;

  bool operator==(const Layout&) const = default;  // the same text; `equal` compares functions

 private:
  std::vector<Iter> shard_ = {Iter{}};
  std::vector<Iter> replica_;
  Place offset_;  // no zero entries
  std::vector<i64> shape_;
};

[[nodiscard]] Result<Layout> parse(std::string_view text);
// The layout that begins at the cursor, without `over (shape)` (core/base/cursor.h).
[[nodiscard]] Result<std::optional<Layout>> parsePrefix(Cursor& in);
[[nodiscard]] std::string print(const Layout& layout);
// "( 8 2 ; 4@lane, 1@warp ) + [ 2 ; 4@warp ] + 5@warp" and "D: (8, 4@lane) x ... | R: ... | O: ...".
[[nodiscard]] std::string printPaper(const Layout& layout);
[[nodiscard]] std::string printArticle(const Layout& layout);
// "{lane: 8, reg: 1, warp: 6}"
[[nodiscard]] std::string print(const Place& place);
// "(8,16)", "(64)"
[[nodiscard]] std::string printShape(const std::vector<i64>& shape);

}  // namespace tessera::axe
