// Product: factors in a fixed order and a constant coefficient. linearSum treats it as one term in any input order.
//
//     (x floordiv 4 * 4) * y      ->  {x floordiv 4, y}, 4
//     y * (x floordiv 4) * 4      ->  the same
//
// Law: productOf(factors) * coefficient has the value of the original expression wherever that is defined.
#pragma once

#include <optional>
#include <vector>

#include "core/expr/expr.h"

namespace tessera {

struct Product {
  std::vector<Expr>
      factors;  // no products, no constants; digits after terms built from them, parameters last: row * stride
  i64 coefficient = 1;
};

// nullopt: the coefficient exceeds 64 bits, or there are more than 16 factors.
[[nodiscard]] std::optional<Product> factorsOf(const Expr& e);
// The product of the factors, put in order first; 1 if there are none.
[[nodiscard]] Expr productOf(std::vector<Expr> factors);
// The factors without those of `taken`, with multiplicity; nullopt unless all of them occur.
[[nodiscard]] std::optional<std::vector<Expr>> without(std::vector<Expr> factors, const std::vector<Expr>& taken);

}  // namespace tessera
