// F2Matrix: a linear map over the two-element field, with columns as 64-bit words. A layout whose extents are powers of
// two and whose strides and swizzles only move and xor bits is y = A x (+ constant), with x and y bit vectors; queries
// are then linear algebra.
//
//     (4,8):(8,1), bits of (i,j) = i0 i1 j0 j1 j2 (column per input bit):  i0 -> 8, i1 -> 16, j0 -> 1, j1 -> 2, j2 -> 4
//     Sw<1,0,3>: column k is 1<<k, but column 3 is 0b1001
//
// Laws: apply(A*B, x) == apply(A, apply(B, x)); injective iff rank == columns; A * inverse(A) == identity.
// Why columns: applying is one xor per set input bit, and a column is the image of one coordinate bit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace tessera {

struct F2Matrix {
  int rows = 0;              // output bits, <= 64
  std::vector<u64> columns;  // one word per input bit, at most 64 of them

  [[nodiscard]] static F2Matrix identity(int bits);
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
