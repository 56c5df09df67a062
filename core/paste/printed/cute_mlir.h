// MLIR of CuTe's Python DSL: types !cute.layout<"..">, alone, as aliases, and as the types of the values of a module.
//
//     !memref_smem_f16_ = !cute.memref<f16, smem, align<128>, S<3,4,3>, "(8,64):(64,1)">
//     !cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x8, elem_type = (f16, f16, f32) -> f32>, atom_layout_MNK = <"..">>
//                                                              make_tiled_mma(mma.m16n8k8.f32.f16.f16.f32, ..)
//     %lay = cute.static : !cute.layout<"(4,8):(8,1)">         lay = (4,8):(8,1)
#pragma once

#include <string_view>

#include "core/paste/bindings.h"

namespace tessera::paste {

void bindCuteMlir(std::string_view text, Bindings& bindings);

}  // namespace tessera::paste
