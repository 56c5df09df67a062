// synthesizeSwizzle: uses Z3 to find an F2-linear swizzle that makes every access conflict-free, or to show that there
// is none.
//
//     unknown   one bit per (bank bit, address bit): which address bits are xored into which bank bit
//     for each access and each non-zero difference v of two lanes (and words) of one phase that are different words:
//               some bank bit of M v is 1, or M v stays within a word
//
// Addresses of a linear layout differ by the same v at every position, so finitely many differences (at most 31 per
// access) represent the whole tile. It first tries the form bank ^= higher bits, which is always invertible, with as
// few xors as possible; if that is unsatisfiable, any 5 independent rows. Elements narrower than a word may also be
// moved into one word, where sharing a bank is free: the differences that fall within a word are then unknowns too (a
// subspace whose dimension is the number of address bits of a word), and v may be among them. If that is unsatisfiable,
// no invertible linear map of the address bits serves all accesses, and the answer says so. Sw<B,M,S> within those bits
// is such a map, so core/analysis/swizzle/find_swizzle.h finds none either. The accesses keep their positions on the
// original layout.
//
// Law: a returned swizzle has passed the bank model on every access of the tile.
#pragma once

#include "core/analysis/swizzle/swizzle_forms.h"
#include "core/base/result.h"
#include "core/worksheet/requests.h"
#include "solver/prove/prove.h"

namespace tessera {

// Returns a Diag if the layout is not linear over F2 (extents that are not powers of two, strides that carry), an
// access does not fit, time runs out, or this build has no Z3.
[[nodiscard]] Result<LinearSwizzle> synthesizeSwizzle(const FindRequest& request, const ProveOptions& options = {});

}  // namespace tessera
