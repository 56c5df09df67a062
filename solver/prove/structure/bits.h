// BitMatrix: an expression over power-of-two digits that is affine over F2, as one 64-bit column per input bit.
//
//     x in [0,8),  x xor (x floordiv 2)      columns 001 -> 1, 010 -> 3, 100 -> 6      value(x) = xor of columns + c
//
// Sums and constant multiples are accepted if no two addends ever share a bit (then a + b == a xor b). Values stay in
// [0, 2^63). Rank and kernel decide injectivity. The image is an affine subspace, so coverage is decided by a rank too.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/map/forms/f2.h"
#include "core/map/map.h"

namespace tessera::prover {

struct BitMatrix {
  std::vector<u64> columns;  // one per input bit, lowest bit of digit 0 first
  u64 constant = 0;
  bool operator==(const BitMatrix&) const = default;
};

// The number of bits of each digit; nullopt if an extent is not a power of two.
[[nodiscard]] std::optional<std::vector<int>> bitsOf(std::span<const Digit> digits);
[[nodiscard]] std::size_t inputsOf(std::span<const int> digitBits);  // their sum
// nullopt if e is not affine over F2 by the rules above or uses a parameter.
[[nodiscard]] std::optional<BitMatrix> bitMatrix(const Expr& e, std::span<const int> digitBits);
// Digit values from a bit mask of input bits.
[[nodiscard]] std::vector<i64> digitsFromBits(const F2Words& bits, std::span<const int> digitBits);

}  // namespace tessera::prover
