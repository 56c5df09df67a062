// Layouts in C++ types as compilers, profilers and demanglers write them.
//
//     [with LayoutA = cute::Layout<cute::tuple<cute::C<8>, cute::C<64> >, cute::tuple<cute::C<64>, cute::C<1> > >]
//         LayoutA = (_8,_64):(_64,_1)
//     void gemm<cute::ComposedLayout<cute::Swizzle<3,3,3>, cute::C<0>, cute::Layout<..>>>(..)
//         X = Sw<3,3,3> o _0 o ..
//     cute::TiledMMA<cute::MMA_Atom<cute::SM80_16x8x16_F32F16F16F32_TN>, cute::Layout<..>, cute::tuple<..>>
//         make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, .., ..)
//
// Each outermost layout is read once; a type that occurs again under no new name is left out.
#pragma once

#include <string_view>

#include "core/paste/bindings.h"

namespace tessera::paste {

// Whether the text has a type of CuTe in full.
[[nodiscard]] bool hasCuteTypes(std::string_view text);
void bindCuteTypes(std::string_view text, Bindings& bindings);

}  // namespace tessera::paste
