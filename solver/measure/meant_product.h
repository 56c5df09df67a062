// MeantProduct: the matrix product that the equations of a specification state (`means`, core/graphene/meaning.h), by its parts.
//
//     %Y[i,j] = relu(%bias[j] + sum(k < 256) %A[i,k] * %B[k,j])        A, B, 256 terms, a bias over the columns, relu
//     s[i,j] = sum(k < K) %A[i,k] * %B[j,k]                            B is written turned
//     %C[i,j] = max(%C[i,j] + s[i,j], 0)                               it adds to what was there; max with 0 is relu
//
// Laws: the product of the parts, with what was there, the bias and relu, is the equation's right side, in some order of its sums
// and factors. What is anything else is a Diag that names the part that no such product has.
#pragma once

#include <optional>
#include <span>

#include "core/graphene/meaning.h"

namespace tessera::measure {

struct MeantProduct {
  struct Factor {
    int operand = 0;      // outputs, then inputs
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

// Requires: spec.meaning. `sizes`: of the program's variables, in their order; what is not known stays itself.
[[nodiscard]] Result<MeantProduct> meantProductOf(const graphene::Spec& spec, std::span<const Expr> sizes);

}  // namespace tessera::measure
