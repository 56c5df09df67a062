// Prints index functions in C, CUDA and Python, and a CuTe layout as a CUTLASS type. Examples: index_code.h.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/codegen/address/expression.h"
#include "core/codegen/index/index_function.h"
#include "core/layout/layout.h"

namespace tessera::codegen {

// C99, or C++11 with CUDA's __host__ __device__ before every function.
[[nodiscard]] std::string printC(const IndexFunctions& functions, const std::string& title, bool cuda);
[[nodiscard]] std::string printPython(const IndexFunctions& functions, const std::string& title);
// `using NAME = cute::Layout<...>;` A Diag: why it is not a CuTe layout.
[[nodiscard]] Result<std::string> printCutlass(const Layout& layout, const std::string& name);

// A text as one comment line: no line breaks, no trailing backslash, at most 200 characters.
[[nodiscard]] std::string commentLine(std::string_view text);
// "0 <= i < 64, 0 <= j < 64. The result lies in [0, 4095]."
[[nodiscard]] std::vector<std::string> commentOf(const IndexFunction& f);

// Spells the values and the guards of index functions (address/expression.h).
//
//     n - 1 - i >= 0                  i < n

// `names`: of the digits, then of the params. Requires facts(e).fits over the box for every root.
[[nodiscard]] SpelledBody spell(const std::vector<Expr>& roots, const Environment& box,
                                const std::vector<std::string>& names, Dialect dialect);
[[nodiscard]] SpelledBody spellValues(const IndexFunction& f, Dialect dialect);
// One condition per bound that does not always hold; no values: all hold always. "0": a guard never holds.
[[nodiscard]] SpelledBody spellGuards(const IndexFunction& f, Dialect dialect);

}  // namespace tessera::codegen
