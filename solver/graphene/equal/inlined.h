// Inlined: what a chain of specifications states about an output, as one text over the program's inputs.
//
//     %Z[i,j] = sum(k < 64) %A[i,k] * %B[k,j]                     first kernel
//     %Y[i,j] = relu(%Z[i,j] + %b[j])                             second kernel
//
//     of %Y: relu((%b[i1] + reduce<+>(i2 = 0 < 64: (%A[i0,i2] * %B[i2,i1]))))
//
// Named values, and tensors that an earlier kernel wrote, are replaced by their equations; operands of + * max min are
// sorted; an index is called by the number of indices around it. MatMul of matrices, Move and element-wise kernels are
// equations, too.
//
// Law: two programs whose kernels compute what they state, with equal texts for an output, compute equal outputs over
// the real numbers. nullopt: a value refers to itself (a recurrence), or the text becomes too long.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/graphene/program.h"

namespace tessera::graphene {

// The output `output` of kernels[kernel]. `names`: of the program's variables. Requires: operands are whole tensors.
[[nodiscard]] std::optional<std::string> inlinedText(const std::vector<const Spec*>& kernels, std::size_t kernel,
                                                     std::size_t output, const std::vector<std::string>& names);
// "[128*M,128]"
[[nodiscard]] std::string extentsOf(const Tensor& t, const std::vector<std::string>& names);

}  // namespace tessera::graphene
