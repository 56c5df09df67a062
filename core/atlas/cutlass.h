// How CUTLASS spells the atoms of the table: C++ names, with namespaces and template arguments.
//
//     cute::SM100_MMA_F16BF16_SS<cutlass::half_t, half_t, float, 128, 256, UMMA::Major::K, UMMA::Major::MN>
//         -> sm100_mma_f16bf16_ss<f16,f16,f32,128,256>
//     SM90::GMMA::SPARSE::GMMA_64x8x32_F16F16F16_SS<GMMA::Major::K, GMMA::Major::K>
//         -> gmma_64x8x32_f16f16f16_ss
//     MMA_Traits<SM100_MMA_F8F6F4_SS, float_e4m3_t, float_e4m3_t, float, cute::C<128>, cute::C<64>, ...>
//         -> sm100_mma_f8f6f4_ss<e4m3,e4m3,f32,128,64>
//
// The key keeps the arguments that choose a row: types, by the atlas's names, and extents. The others (which way an
// operand lies in shared memory, its sign, saturation) choose no other thread-value layout; they are read, so that what
// CUTLASS would not compile is refused, and left away. Defaults may be left out, as in C++, and so may the majors.
//
// Law: other namespaces, blanks, wrappers (MMA_Atom, MMA_Traits, Copy_Atom, Copy_Traits), names of the same types and
// trailing arguments give the same key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera {

// The key; nullopt for what is no C++ name (PTX), or is none of CUTLASS's templates. A Diag for a template of
// CUTLASS's with arguments it does not take, and for an atom that the table lacks, with what is nearest.
[[nodiscard]] Result<std::optional<std::string>> cutlassKey(std::string_view text);

struct ElementType {
  std::string_view name;  // "f16", "e4m3", as the table writes it
  int bits = 0;
};
// By any of its names: "f16", "fp16", "half_t", "float_e4m3_t" in any case, with "cute::" or "cutlass::" before it.
[[nodiscard]] std::optional<ElementType> elementType(std::string_view text);

}  // namespace tessera
