// Names of the atlas in the texts of Graphene's tensors: element types, and the operands that fragments are held as.
//
//     %a:[8].fp16.GL      valid
//     %a:[8].fp99.GL      'fp99' is not an element type; did you mean fp64?
//     holds [16,16] as mma.m16n8k16.f32.f16.f16.f32 A      that operand of the atlas row
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/notation/graphene/holds.h"
#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

// The Diag for an invalid type of a tensor that was read from `text` at `span`; nullopt: valid. Valid are the element
// types of the atlas under any of their names, and thread, block and mbarrier.
[[nodiscard]] std::optional<Diag> elementFault(const Tensor& tensor, std::string_view text, Span span);

// The B of an mma is written K x N, as MatMul reads it; the atlas has it as N x K. Operands counted in bits (src and
// dst of ldmatrix) are rejected; use D, which has elements.
[[nodiscard]] Result<Fragment> atlasFragment(std::string_view instruction, std::string_view operand);

}  // namespace tessera::graphene
