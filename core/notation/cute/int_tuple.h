// IntTuple: an integer, or a tuple of IntTuples. Shapes, strides and coordinates in CuTe are IntTuples.
//
//     8            a leaf              _8           a leaf known at compile time: Int<8>, C<8>
//     (4,(2,3))    a tree              ?            a leaf of unknown value; ?{i64 div=8} with known properties
//     (_,3)        `_` selects all     1@0@1        a scaled basis: 1 in mode 0 of mode 1, C++ E<1,0>
//
// Worked: S = (4,(2,3)) has rank 2, depth 2, leaves 4 2 3 and size 24 (the product of the leaves); print(S) is
// "(4,(2,3))".
//
// Law: print(parse(s)) == s for canonical s (no blanks). == compares values and structure and ignores static marks,
// which only tell when a value is known: _8 == 8, as in CuTe. It is not a vector: (8), 8 and ((8)) are three profiles
// of the same size.
//
// Why a depth limit: every algorithm recurses over the tree. The parser and Layout::make refuse more than kMaxDepth
// levels, so no input can overflow the stack.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::cute {

class IntTuple {
 public:
  enum class Kind : unsigned char { Known, Unknown, Wildcard, Tuple };
  static constexpr int kMaxDepth = 200;
  static constexpr std::size_t kMaxLeaves = 1024;

  IntTuple() = default;                                 // the leaf 0
  IntTuple(i64 value) : value_(value) {}                // a plain leaf
  [[nodiscard]] static IntTuple staticLeaf(i64 value);  // _8
  [[nodiscard]] static IntTuple wildcard();             // _
  [[nodiscard]] static IntTuple tuple(std::vector<IntTuple> children);
  // (a, b, ..); a single child is returned without a tuple.
  [[nodiscard]] static IntTuple tupleOrOne(std::vector<IntTuple> children);
  // `?`, `?{i64}`, `?{div=4}`, `?{i64 div=8}`: bits 0 and divisor 1 mean unspecified.
  [[nodiscard]] static IntTuple unknown(int bits = 0, i64 divisor = 1);
  // value@path; the path starts at the outermost mode: scaledBasis(5, {1, 0}) prints 5@0@1.
  [[nodiscard]] static IntTuple scaledBasis(i64 value, std::vector<int> path, bool isStatic = false);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool isLeaf() const { return kind_ != Kind::Tuple; }
  [[nodiscard]] bool isTuple() const { return kind_ == Kind::Tuple; }
  [[nodiscard]] bool isKnown() const { return kind_ == Kind::Known; }  // a leaf with a value (a basis leaf included)
  [[nodiscard]] bool isWildcard() const { return kind_ == Kind::Wildcard; }
  [[nodiscard]] bool isStatic() const { return static_; }
  [[nodiscard]] i64 value() const { return value_; }                   // Known; otherwise 0
  [[nodiscard]] bool isPlain() const { return isKnown() && !extra_; }  // an integer: a known leaf that is not a basis
  [[nodiscard]] const std::vector<int>& basis() const;                 // empty: a plain integer
  [[nodiscard]] const std::vector<IntTuple>& children() const;         // Tuple; otherwise empty
  [[nodiscard]] int unknownBits() const;                               // Unknown
  [[nodiscard]] i64 unknownDivisor() const;                            // Unknown

  [[nodiscard]] int depth() const;  // leaf 0; tuple 1 + deepest child (the empty tuple has depth 1)
  [[nodiscard]] int rank() const;   // leaf 1; tuple the number of children
  [[nodiscard]] std::size_t leafCount() const;
  // Mode k; a leaf is its own mode 0. Requires 0 <= k < rank().
  [[nodiscard]] const IntTuple& mode(int k) const;
  [[nodiscard]] std::vector<IntTuple> leaves() const;
  [[nodiscard]] bool allKnown() const;   // every leaf has a value
  [[nodiscard]] bool allStatic() const;  // every leaf carries the static mark (true for the empty tuple)
  [[nodiscard]] bool hasBasis() const;   // some leaf is a scaled basis
  [[nodiscard]] bool hasWildcard() const;
  [[nodiscard]] IntTuple withStatic(bool isStatic) const;  // sets or clears the mark of every known leaf

  friend bool operator==(const IntTuple& a, const IntTuple& b);

 private:
  struct Extra;
  IntTuple(Kind kind, std::shared_ptr<const Extra> extra) : kind_(kind), extra_(std::move(extra)) {}
  i64 value_ = 0;
  Kind kind_ = Kind::Known;
  bool static_ = false;
  std::shared_ptr<const Extra> extra_;
};

struct IntTuple::Extra {
  std::vector<IntTuple> children = {};
  std::vector<int> basis = {};
  int unknownBits = 0;
  i64 unknownDivisor = 1;
  int depth = 0;
  std::size_t leaves = 1;
};

namespace detail {
inline const std::vector<int> kNoBasis;
inline const std::vector<IntTuple> kNoChildren;
}  // namespace detail

inline const std::vector<int>& IntTuple::basis() const { return extra_ ? extra_->basis : detail::kNoBasis; }
inline const std::vector<IntTuple>& IntTuple::children() const {
  return extra_ ? extra_->children : detail::kNoChildren;
}
inline int IntTuple::unknownBits() const { return extra_ ? extra_->unknownBits : 0; }
inline i64 IntTuple::unknownDivisor() const { return extra_ ? extra_->unknownDivisor : 1; }
inline int IntTuple::depth() const { return isTuple() ? extra_->depth : 0; }
inline int IntTuple::rank() const { return isTuple() ? static_cast<int>(extra_->children.size()) : 1; }
inline std::size_t IntTuple::leafCount() const { return isTuple() ? extra_->leaves : 1; }

// f(leaf) for every leaf from left to right. everyLeaf: whether f holds for all.
template <typename F>
void forEachLeaf(const IntTuple& t, F&& f) {
  if (t.isLeaf()) return static_cast<void>(f(t));
  for (const IntTuple& c : t.children()) forEachLeaf(c, f);
}
template <typename F>
[[nodiscard]] bool everyLeaf(const IntTuple& t, const F& f) {
  if (t.isLeaf()) return f(t);
  for (const IntTuple& c : t.children())
    if (!everyLeaf(c, f)) return false;
  return true;
}

[[nodiscard]] std::string print(const IntTuple& t);
// Also reads Int<8>, C<8>, E<0>, Shape<..>, make_shape(..), pycute's (8,) and !cute.shape<"..">.
[[nodiscard]] Result<IntTuple> parseIntTuple(std::string_view text);

// Same tree. weaklyCongruent(a, b): a's tree is a prefix of b's (a leaf of a may match a tuple of b).
[[nodiscard]] bool congruent(const IntTuple& a, const IntTuple& b);
// size equal at every node of a: each coordinate of a is a coordinate of b (b refines a).
[[nodiscard]] bool compatible(const IntTuple& a, const IntTuple& b);

// (f(0), f(1), .. f(n - 1)) for an f that returns a Result, or the first Diag.
template <typename F>
[[nodiscard]] Result<IntTuple> tupleOf(int n, const F& f) {
  std::vector<IntTuple> out;
  for (int k = 0; k < n; ++k) {
    TESSERA_TRY(IntTuple child, f(k));
    out.push_back(std::move(child));
  }
  return IntTuple::tuple(std::move(out));
}

// Product of the leaves; a Diag if a leaf is `?`, `_` or a basis, or on 64-bit overflow.
[[nodiscard]] Result<i64> product(const IntTuple& t);
// The product of each mode: ((2,3),4) -> (6,4). A leaf stays a leaf.
[[nodiscard]] Result<IntTuple> productEach(const IntTuple& t);
[[nodiscard]] IntTuple flatten(const IntTuple& t);  // a leaf stays a leaf; a tuple becomes the tuple of its leaves
// The tree of `profile` with the given leaves. Requires leaves.size() == profile.leafCount().
[[nodiscard]] IntTuple withLeaves(const IntTuple& profile, const std::vector<IntTuple>& leaves);
// (8) -> 8, ((8)) -> 8; anything else unchanged.
[[nodiscard]] IntTuple unwrapped(const IntTuple& t);

// Ceiling-like quotient of shapes: a / b if b divides a, 1 if a divides b, otherwise a Diag. A tuple a is consumed from
// the left: shape_div((4,5,6), 40) == (1,1,3).
[[nodiscard]] Result<IntTuple> shapeDiv(const IntTuple& a, const IntTuple& b);

}  // namespace tessera::cute
