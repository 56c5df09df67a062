// Product: the dimensions of a dot, from any spelling of them: attributes of dot, or a configuration of cuBLAS.
//
//     f32[2,4,8] x f32[2,8,6], batch {0} and {0}, contracting {2} and {1}      out f32[2,4,6]
//     outputOf(0) == {0, 1, -1},  outputOf(1) == {0, -1, 2}                    -1: contracted
//
// Law: an output element reads, of each side, the elements whose batch and free coordinates are its own, at all
// contracted coordinates. Internal to core/hlo.
#pragma once

#include <array>

#include "core/hlo/ops/op.h"

namespace tessera::hlo {

struct DotDims {
  Ints batch, contracting;
};

struct Product {
  struct Side {
    Ints sizes, batch, contracting;
  };
  std::array<Side, 2> sides;
  Ints out;

  // The output's dimension for each dimension of a side; -1: contracted.
  [[nodiscard]] Ints outputOf(std::size_t side) const;
};

// Of operands 0 and 1 and output 0. A Diag: the sizes and dimensions contradict each other.
[[nodiscard]] Result<Product> productOf(const Op& op, const std::array<DotDims, 2>& dims);
// By the attributes of a dot or scaled-dot.
[[nodiscard]] Result<Product> productOf(const Op& op);

// What a product reads of one side, or of its scales: each covers `block[k]` consecutive elements of dimension k.
[[nodiscard]] Result<Map> productMap(const Product& p, std::size_t side, const Ints& block);
[[nodiscard]] Result<Map> productMap(const Product& p, std::size_t side);

}  // namespace tessera::hlo
