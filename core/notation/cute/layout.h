// Layout: CuTe's Layout, a function from coordinates to integers given as shape:stride.
//
//     (4,8):(8,1)            row-major 4x8                      (i,j) -> 8*i + j
//     ((2,2),8):((1,16),2)   hierarchical first mode
//
//          j=0  1  2  3
//     i=0    0  1  2  3      (4,4):(4,1). A coordinate has three forms: (1,2), the linear index 9 (colex: mode 0 is
//     i=1    4  5  6  7      fastest, so 9 = 1 + 2*4), and, for nested shapes, fully split.
//     i=2    8  9 10 11
//     i=3   12 13 14 15      L(9) = L(1,2) = 1*4 + 2*1 = 6.
//
// Law: L(c) = sum over leaves of digit * stride. An integer coordinate of a tuple mode is split colexicographically,
// and the last digit takes the unreduced quotient (no bounds check), as in CuTe C++; negative indices truncate as in
// C++, so L(-i) = -L(i). Two layouts of the same size are the same function iff their coalesced forms are equal.
//
// It is not a memory: several coordinates may share an offset ((4,2):(1,2)), offsets may be negative, and there may be
// gaps. If strides are scaled bases (1@0), L maps to coordinates instead of integers, like CuTe's identity layouts.
//
// make() checks: congruent trees, extents >= 1, size and partial offsets within 64 bits, and the depth and leaf limits
// of IntTuple. Unknown leaves (`?`) can be parsed, printed and restructured; using their values is a Diag (free
// functions) or a bug (members marked "Known" or "Plain").
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/notation/cute/int_tuple.h"

namespace tessera::cute {

class Layout {
 public:
  Layout();  // 1:0
  [[nodiscard]] static Result<Layout> make(IntTuple shape, IntTuple stride);
  // Compact column-major strides (mode 0 fastest; stride 0 for modes of extent 1): the meaning of a bare shape.
  [[nodiscard]] static Result<Layout> compact(IntTuple shape);

  [[nodiscard]] const IntTuple& shape() const { return shape_; }
  [[nodiscard]] const IntTuple& stride() const { return stride_; }
  [[nodiscard]] int rank() const { return shape_.rank(); }
  [[nodiscard]] int depth() const { return shape_.depth(); }
  [[nodiscard]] Layout mode(int k) const;  // Requires 0 <= k < rank(); mode 0 of a leaf layout is itself
  [[nodiscard]] std::vector<Layout> modes() const;

  [[nodiscard]] bool isKnown() const { return known_; }   // no `?` leaf
  [[nodiscard]] bool isStatic() const;                    // every leaf carries the static mark
  [[nodiscard]] bool hasBasis() const { return basis_; }  // strides are scaled bases: values are coordinates
  [[nodiscard]] bool isPlain() const { return known_ && !basis_; }

  [[nodiscard]] Layout withStatic(bool isStatic) const;  // sets or clears every mark

  // Known: the product of the extents.
  [[nodiscard]] i64 size() const;
  // Plain: 1 + sum (s-1)*|d| (CuTe C++; pycute differs for negative strides).
  [[nodiscard]] i64 cosize() const;
  // Plain: the smallest and the largest value.
  [[nodiscard]] i64 minOffset() const;
  [[nodiscard]] i64 maxOffset() const;

  // Plain, 0 <= index < size(): the value at a linear (colex) index. Unchecked. For hot loops, use toMap.
  [[nodiscard]] i64 operator()(i64 index) const;
  // Plain: the value at one digit per leaf.
  [[nodiscard]] i64 at(std::span<const i64> digits) const;
  // CuTe's crd2idx for any coordinate (integer, tuple, nested): an integer for plain layouts, a tuple for basis
  // strides.
  [[nodiscard]] Result<IntTuple> crd2idx(const IntTuple& coord) const;

  // == compares values and profiles, not static marks.
  bool operator==(const Layout&) const = default;

 private:
  Layout(IntTuple shape, IntTuple stride, bool known, bool basis)
      : shape_(std::move(shape)), stride_(std::move(stride)), known_(known), basis_(basis) {}
  IntTuple shape_;
  IntTuple stride_;
  bool known_ = true;
  bool basis_ = false;
};

// One leaf of a known layout.
struct LayoutLeaf {
  i64 extent = 1;
  IntTuple stride;  // a known leaf; its basis gives the axis
};
[[nodiscard]] std::vector<LayoutLeaf> flatLeaves(const Layout& layout);  // Requires isKnown()
// A mode for each leaf, all with or without the static mark; a single leaf is not made a tuple.
[[nodiscard]] Result<Layout> ofLeaves(const std::vector<LayoutLeaf>& leaves, bool isStatic);
// The profile with leaves[k] in place of its leaf k; several leaves become a tuple there. Requires one list per leaf.
[[nodiscard]] Result<Layout> refined(const IntTuple& profile, const std::vector<std::vector<LayoutLeaf>>& leaves,
                                     bool isStatic);

[[nodiscard]] std::string print(const Layout& layout);
// print_layout of CuTe C++ for a rank-2 layout: the text, then the table. A Diag for other ranks or above 2^20 cells.
[[nodiscard]] Result<std::string> printTable(const Layout& layout);

// Reads every form in text/text.h: (4,8):(8,1), static marks, a shape alone, C++ types and calls, pycute, MLIR.
[[nodiscard]] Result<Layout> parseLayout(std::string_view text);

// idx2crd(i, shape): the coordinate of a linear index; the last digit of each tuple is not reduced (C++).
// With strides: (i / d) % s for each leaf; an extent-1 leaf yields 0.
[[nodiscard]] Result<IntTuple> idx2crd(const IntTuple& index, const IntTuple& shape);
[[nodiscard]] Result<IntTuple> idx2crd(const IntTuple& index, const IntTuple& shape, const IntTuple& stride);
[[nodiscard]] Result<IntTuple> crd2idx(const IntTuple& coord, const IntTuple& shape, const IntTuple& stride);

// A Diag if the layout has `?` leaves (or, for requirePlain, basis strides): "composition needs numbers, but ...".
[[nodiscard]] Result<void> requireKnown(const Layout& layout, std::string_view operation);
[[nodiscard]] Result<void> requirePlain(const Layout& layout, std::string_view operation);

// Why Layout::make fails, with the place, from which parsers compute a span.
struct LayoutFault {
  enum class Part : unsigned char { Shape, Stride };
  Diag diag;
  Part part = Part::Shape;
  int leaf = -1;  // position among the leaves of that part; -1: the whole part
};
[[nodiscard]] std::optional<LayoutFault> findFault(const IntTuple& shape, const IntTuple& stride);

}  // namespace tessera::cute
