// fragments: what `holds [16,16] as mma.m16n8k16.f32.f16.f16.f32 A` means: the operand of the atlas row.
//
// The B of an mma is written K x N, as MatMul reads it; the atlas counts N x K. Copies that count bits (the src and dst of
// ldmatrix) are refused: their elements are D.
#pragma once

#include "core/notation/graphene/holds.h"

namespace tessera::graphene {

[[nodiscard]] Result<Fragment> atlasFragment(std::string_view instruction, std::string_view operand);

}  // namespace tessera::graphene
