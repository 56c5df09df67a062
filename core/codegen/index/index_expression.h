// Spells the values and the guards of index functions (address/expression.h).
//
//     n - 1 - i >= 0                  i < n
#pragma once

#include <string>
#include <vector>

#include "core/codegen/address/expression.h"
#include "core/codegen/index/index_function.h"

namespace tessera::codegen {

// `names`: of the digits, then of the params. Requires facts(e).fits over the box for every root.
[[nodiscard]] SpelledBody spell(const std::vector<Expr>& roots, const Environment& box,
                                const std::vector<std::string>& names, Dialect dialect);
[[nodiscard]] SpelledBody spellValues(const IndexFunction& f, Dialect dialect);
// One condition per bound of a guard that does not always hold; no value: all always hold. "0": one never holds.
[[nodiscard]] SpelledBody spellGuards(const IndexFunction& f, Dialect dialect);

}  // namespace tessera::codegen
