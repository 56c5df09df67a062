// Index code: a layout as the function that a kernel calls.
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
// One parameter a mode (a nested CuTe mode is one number), then one for each replica that may be chosen, then one for
// each symbolic size; one result, or a struct (Python: a tuple) with an entry for each axis. Beside the function:
// NAME_inside where some coordinates are not real (padding, symbolic extents), NAME_inverse where there is a formula for
// it that was proved here (index_proof.h), NAME_hit where the inverse has holes.
//
// Law: for every coordinate in the ranges that the text names, the function returns what the layout's map has there,
// and no operation in it overflows the type that it is done in (both follow from the intervals of core/expr/facts).
// Outside of these ranges nothing is promised.
//
// Why shifts and masks: floordiv and mod by a power of two are `>>` and `&` in C and CUDA (int is signed, so `/` and `%`
// would cost a correction for negative values that never come, and be wrong where they do come: these round down, C
// towards 0), `//` and `%` in Python, which mean floordiv and mod. Products stay products: `* 64` says what a stride is
// and costs what a shift costs. Bits that are moved whole are masked in place: (x & 0x1c0) >> 3.
//
// It is not a translation for text alone: the layout is read through its arrow, so every notation has index code the
// day it is added; only CUTLASS asks what the layout is, because its text is a CuTe layout or nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/layout/layout.h"

namespace tessera::codegen {

enum class Language : unsigned char { Cuda, C, Python, Cutlass };

// "cuda" "c" "python" "cutlass", "py", "cute", "c++" ...; a Diag that lists them.
[[nodiscard]] Result<Language> languageOf(std::string_view name);

// `name`: of the function, the type for CUTLASS; empty: what the layout gives (offset, place, coordinates; L).
[[nodiscard]] Result<std::string> indexCode(const Layout& layout, Language language, std::string_view name = "");
// The same of an arrow, which no notation wrote. `title`: the first line of the comment. Refused for CUTLASS.
[[nodiscard]] Result<std::string> indexCode(const Arrow& arrow, Language language, std::string_view name = "",
                                            std::string_view title = "");

}  // namespace tessera::codegen
