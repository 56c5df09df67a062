// Linear algebra over GF(2) on up to 62 bits: a matrix is a list of columns, each the packed coordinates of a basis.
#pragma once

#include <vector>

#include "core/notation/linear/layout.h"

namespace tessera::linear::f2 {

[[nodiscard]] int log2(i64 powerOfTwo);
// The first output in the low bits.
[[nodiscard]] u64 pack(const Basis& basis, const std::vector<Out>& outs);
[[nodiscard]] Basis unpack(u64 packed, const std::vector<Out>& outs);
// One column per input bit, in order.
[[nodiscard]] std::vector<u64> columns(const Layout& l);
[[nodiscard]] int rank(const Layout& l);

}  // namespace tessera::linear::f2
