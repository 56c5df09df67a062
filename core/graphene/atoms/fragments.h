// Fragments: resolves `holds [16,16] as mma.m16n8k16.f32.f16.f16.f32 A` to that operand of the atlas row.
//
// The B of an mma is written K x N, as MatMul reads it; the atlas has it as N x K. Operands counted in bits (src and
// dst of ldmatrix) are rejected; use D, which has elements.
#pragma once

#include "core/notation/graphene/holds.h"

namespace tessera::graphene {

[[nodiscard]] Result<Fragment> atlasFragment(std::string_view instruction, std::string_view operand);

}  // namespace tessera::graphene
