// EquationProduct: the matrix product stated by the equations of a specification (`means`, core/graphene/meaning.h), in
// parts.
//
//     %Y[i,j] = relu(%bias[j] + sum(k < 256) %A[i,k] * %B[k,j])        A, B, 256 terms, a bias over the columns, relu
//     s[i,j] = sum(k < K) %A[i,k] * %B[j,k]                            B is transposed
//     %C[i,j] = max(%C[i,j] + s[i,j], 0)                               accumulates into C; max with 0 is relu
//
// Law: the product of the parts, plus the old value, the bias and relu, is the right side of the equation up to the
// order of sums and factors. Anything else is a Diag that names the part that does not fit.
#pragma once

#include <optional>
#include <span>

#include "core/graphene/meaning.h"

namespace tessera::measure {

struct EquationProduct {
  struct Factor {
    int operand = 0;      // index: outputs, then inputs
    bool turned = false;  // %A[k,i], %B[j,k]
  };
  struct Bias {
    int operand = 0;
    bool ofRows = false;  // %bias[i]
  };
  Factor a, b;
  i64 terms = 0;  // of the sum
  std::optional<Bias> bias;
  bool accumulate = false, relu = false;
};

// Requires: spec.meaning. `sizes`: values of the program's variables, in order; an unknown one stays symbolic.
[[nodiscard]] Result<EquationProduct> equationProductOf(const graphene::Spec& spec, std::span<const Expr> sizes);

}  // namespace tessera::measure
