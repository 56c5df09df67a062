// Axe layouts with symbolic sizes: one text for a family of layouts, proved for all sizes at once.
//
//     S[(n,8):(8@m,1@m)] for n in [1, 4096]      d0 < n, d1 < 8  ->  m = d0 * 8 + d1
//     S[(m,n):(n,1)] + R[2:m*n] for m in [1, 64], n in [1, 64]
//
// Extents and strides are products of integers and names. The meaning is a Map with parameters: one Index digit per
// iter of S, one Fan digit per iter of R, and a guard d <= extent - 1 for each symbolic extent. A claim must hold for
// all values of the names. Without products of names, the prover uses linear integer arithmetic; otherwise enumeration
// or non-linear arithmetic, and the verdict may be unknown.
// Law: with numbers for the names, the text is an ordinary Axe layout with the same map, iter by iter.
#pragma once

#include <optional>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera::axe {

// The layout at the cursor, if the clause ` for NAME in [` follows it. A Diag, with its place, for an unknown name, an
// empty range, an extent below 1, overflow, or a stray character.
[[nodiscard]] Result<std::optional<Map>> parseParametricPrefix(Cursor& in);

}  // namespace tessera::axe
