// Extents of arrays as expressions of sizes (formulas.h).
#pragma once

#include <string>
#include <vector>

#include "core/graphene/program.h"

namespace tessera::kernel::reference {

// In a canonical form, for sizes from 1 to 2^20; two extents with one form are equal.
[[nodiscard]] Expr simpleExtent(const Expr& e);
// At least 1 at all sizes.
[[nodiscard]] bool positiveExtent(const Expr& e);
// "(128*M, K)"
[[nodiscard]] std::string shapeText(const std::vector<Expr>& shape, const graphene::Program& program);

}  // namespace tessera::kernel::reference
