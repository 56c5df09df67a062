// F2Matrix: a linear map over the two-element field, with columns as 64-bit words. A layout whose extents are powers of
// two and whose strides and swizzles only move and xor bits is y = A x (+ constant), with x and y bit vectors; queries
// are then linear algebra.
//
//     (4,8):(8,1), bits of (i,j) = i0 i1 j0 j1 j2 (column per input bit):  i0 -> 8, i1 -> 16, j0 -> 1, j1 -> 2, j2 -> 4
//     Sw<1,0,3>: column k is 1<<k, but column 3 is 0b1001
//
// Laws: apply(A*B, x) == apply(A, apply(B, x)); injective iff rank == columns; A * inverse(A) == identity.
// Why columns: applying is one xor per set input bit, and a column is the image of one coordinate bit.
//
// F2Echelon is the elimination, the only one outside tests: of words, or of longer vectors as a list of words.
//
//     columns 011, 110, 101     rows 011 = column 0, 101 = columns 0 and 1; kernel: columns 0, 1 and 2 (bit mask 111)
//
// Law: a kernel vector is one column and the unique set of earlier independent columns whose sum it is, so kernel and
// solve do not depend on how pivots are chosen.
#pragma once

#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/base/work.h"

namespace tessera {

using F2Words = std::vector<u64>;

namespace f2_detail {
// The highest set bit; -1: none.
[[nodiscard]] inline int leading(u64 v) { return static_cast<int>(std::bit_width(v)) - 1; }
[[nodiscard]] int leading(const F2Words& v);
[[nodiscard]] inline bool bit(u64 v, int k) { return (v >> k & 1) != 0; }
[[nodiscard]] inline bool bit(const F2Words& v, int k) {
  const auto word = static_cast<std::size_t>(k / 64);
  return word < v.size() && (v[word] >> (k % 64) & 1) != 0;
}
inline void add(u64& a, u64 b) { a ^= b; }
void add(F2Words& a, const F2Words& b);
template <class V>
[[nodiscard]] V unit(int k);
}  // namespace f2_detail

// V: u64 (at most 64 columns of 64 bits) or F2Words.
template <class V>
class F2Echelon {
 public:
  struct Row {
    V value;        // non-zero; no later row has its leading bit
    V combination;  // the columns that add up to it, as a bit mask
    int lead = 0;
  };

  F2Echelon() = default;
  explicit F2Echelon(const std::vector<V>& columns) {
    for (const V& column : columns) add(column);
  }
  void add(V column) {
    spend(static_cast<Work>(rows_.size()) + 1);
    V combination = f2_detail::unit<V>(count_++);
    reduce(column, combination);
    const int lead = f2_detail::leading(column);
    if (lead < 0)
      kernel_.push_back(std::move(combination));
    else
      rows_.push_back({std::move(column), std::move(combination), lead});
  }

  [[nodiscard]] int rank() const { return static_cast<int>(rows_.size()); }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  // For each dependent column in order: it and the independent columns that add up to it.
  [[nodiscard]] const std::vector<V>& kernel() const { return kernel_; }
  // The columns that add up to y, all independent; nullopt: y is not in their span.
  [[nodiscard]] std::optional<V> solve(V y) const {
    V combination{};
    reduce(y, combination);
    return f2_detail::leading(y) < 0 ? std::optional(std::move(combination)) : std::nullopt;
  }

 private:
  void reduce(V& value, V& combination) const {
    for (const Row& row : rows_) {
      if (!f2_detail::bit(value, row.lead)) continue;
      f2_detail::add(value, row.value);
      f2_detail::add(combination, row.combination);
    }
  }

  std::vector<Row> rows_;
  std::vector<V> kernel_;
  int count_ = 0;
};

struct F2Matrix {
  int rows = 0;              // output bits, <= 64
  std::vector<u64> columns;  // one word per input bit, at most 64 of them

  [[nodiscard]] bool bit(int row, int column) const {
    return ((columns[static_cast<std::size_t>(column)] >> row) & 1) != 0;
  }
  [[nodiscard]] u64 apply(u64 x) const;  // xor of the columns of x's set bits
  bool operator==(const F2Matrix&) const = default;
};

[[nodiscard]] F2Matrix operator*(const F2Matrix& a, const F2Matrix& b);  // a after b
[[nodiscard]] int rank(const F2Matrix& m);
// A non-zero x with m.apply(x) == 0, the smallest of a basis; nullopt if the columns are independent.
[[nodiscard]] std::optional<u64> kernelVector(const F2Matrix& m);
// Left inverse of an injective matrix: inverse(m).apply(m.apply(x)) == x; nullopt if it is not injective. Outputs
// outside the image have unspecified results.
[[nodiscard]] std::optional<F2Matrix> inverse(const F2Matrix& m);
// For any matrix: m.apply(pseudoInverse(m).apply(y)) == y for every y in the image. For an injective one, its inverse.
[[nodiscard]] F2Matrix pseudoInverse(const F2Matrix& m);
// A basis of m's kernel, reduced (each vector's highest bit is in no other one), ascending.
[[nodiscard]] std::vector<u64> kernelBasis(const F2Matrix& m);
// The same reduction of arbitrary vectors: a basis of their span.
[[nodiscard]] std::vector<u64> spanBasis(const std::vector<u64>& vectors);
// Rows of 0 and 1, most significant row first.
[[nodiscard]] std::string print(const F2Matrix& m);

}  // namespace tessera
