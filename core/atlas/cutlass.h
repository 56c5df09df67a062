// CUTLASS's spellings of the table's atoms: C++ names, with namespaces and template arguments.
//
//     cute::SM100_MMA_F16BF16_SS<cutlass::half_t, half_t, float, 128, 256, UMMA::Major::K, UMMA::Major::MN>
//         -> sm100_mma_f16bf16_ss<f16,f16,f32,128,256>
//     SM90::GMMA::SPARSE::GMMA_64x8x32_F16F16F16_SS<GMMA::Major::K, GMMA::Major::K>
//         -> gmma_64x8x32_f16f16f16_ss
//     MMA_Traits<SM100_MMA_F8F6F4_SS, float_e4m3_t, float_e4m3_t, float, cute::C<128>, cute::C<64>, ...>
//         -> sm100_mma_f8f6f4_ss<e4m3,e4m3,f32,128,64>
//
// The key keeps the arguments that select a row: types, under the atlas's names, and extents. The others (the major
// order of an operand in shared memory, its sign, saturation) do not change the thread-value layout; they are parsed,
// to reject what CUTLASS would not compile, and dropped. Defaults may be omitted, as in C++, and so may the majors.
//
// Law: other namespaces, blanks, wrappers (MMA_Atom, MMA_Traits, Copy_Atom, Copy_Traits), other names of the same types
// and trailing arguments give the same key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera {

// The key; nullopt if the text is not a C++ name (PTX), or not one of CUTLASS's templates. A Diag: a CUTLASS template
// with invalid arguments, or an atom that the table lacks, with the nearest ones.
[[nodiscard]] Result<std::optional<std::string>> cutlassKey(std::string_view text);

// The bits of the elements of Copy_Atom<OPERATION, TYPE>; nullopt for another text.
[[nodiscard]] std::optional<int> copyAtomBits(std::string_view text);

struct ElementType {
  std::string_view name;  // "f16", "e4m3", as in the table
  int bits = 0;
};
// By any of its names: "f16", "fp16", "half_t", "float_e4m3_t" in any case, optionally after "cute::" or "cutlass::".
[[nodiscard]] std::optional<ElementType> elementType(std::string_view text);

}  // namespace tessera
