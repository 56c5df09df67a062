// Axe layouts with symbolic sizes: one text for a whole family, to be proved for every size at once.
//
//     S[(n,8):(8@m,1@m)] for n in [1, 4096]      d0 < n, d1 < 8  ->  m = d0 * 8 + d1
//     S[(m,n):(n,1)] + R[2:m*n] for m in [1, 64], n in [1, 64]
//
// Extents and strides are products of integers and names. The meaning is a Map with parameters: one Index digit an iter
// of S, one Fan digit an iter of R, a guard d <= extent - 1 where the extent is symbolic. A claim about it speaks of
// every value of the names; with the linear integers of the prover where products of names do not meet, else by
// enumeration or non-linear arithmetic, or unknown. Law: with the names replaced by numbers the text is an ordinary Axe
// layout with the same map, iter by iter.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera::axe {

// The one that begins at the cursor: a layout with the clause ` for NAME in [` behind it.
[[nodiscard]] Result<std::optional<Map>> parseParametricPrefix(Cursor& in);
// A Diag with its place in the text: an unknown name, an empty range, an extent below 1, overflow, a stray character.
[[nodiscard]] Result<Map> parseParametric(std::string_view text);

}  // namespace tessera::axe
