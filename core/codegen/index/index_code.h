// Index code: a layout as source code, an index function for a kernel.
//
//     Sw<3,3,3> o (64,64):(64,1)  as CUDA C++
//
//         // 0 <= i < 64, 0 <= j < 64. The result lies in [0, 4095].
//         __host__ __device__ inline int offset(int i, int j) {
//           return (i * 64 + j) ^ ((i & 7) * 8);
//         }
//         // 0 <= offset < 4096. The coordinates that offset takes to this place. Proved: ...
//         __host__ __device__ inline offset_inverse_result offset_inverse(int offset) {
//           return {offset >> 6, ((offset & 0x1c0) >> 3) ^ (offset & 63)};
//         }
//
//     (4,8):(8,1)  as CUTLASS C++     using L = cute::Layout<cute::Shape<cute::Int<4>, cute::Int<8>>, ...>;
//
// The parameters are one per mode (a nested CuTe mode is one number), one per selectable replica and one per symbolic
// size. The result is one number, or a struct (Python: a tuple) with one entry per axis. Further functions: NAME_inside
// if some coordinates are invalid (padding, symbolic extents), NAME_inverse if an inverse formula was proved
// (index_function.h), NAME_hit if the inverse has holes.
//
// Law: for every coordinate in the ranges that the text states, the function returns the value of the layout's map, and
// no operation overflows its type (by the intervals of core/expr/facts). Outside these ranges the result is
// unspecified.
//
// Why shifts and masks: in C and CUDA, floordiv and mod by a power of two become `>>` and `&`, because `/` and `%` of
// int round towards 0 and need a correction for negative values. In Python they are `//` and `%`, which round down.
// Products stay products: `* 64` shows the stride and costs the same as a shift. Bits that move as a block are masked
// in place: (x & 0x1c0) >> 3.
//
// The layout is read through its arrow, so every notation has index code. Only CUTLASS output depends on the notation:
// its text is a CuTe layout.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/layout/layout.h"

namespace tessera::codegen {

enum class Language : unsigned char { Cuda, C, Python, Cutlass };

// "cuda" "c" "python" "cutlass", "py", "cute", "c++" ...; otherwise a Diag that lists them.
[[nodiscard]] Result<Language> languageOf(std::string_view name);

// `name`: of the function, or for CUTLASS of the type; empty: derived from the layout (offset, place, bank ...; L).
[[nodiscard]] Result<std::string> indexCode(const Layout& layout, Language language, std::string_view name = "");
// The same for an arrow without a notation. `title`: the first line of the comment. Not supported: CUTLASS.
[[nodiscard]] Result<std::string> indexCode(const Arrow& arrow, Language language, std::string_view name = "",
                                            std::string_view title = "");

}  // namespace tessera::codegen
