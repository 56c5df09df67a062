// synthesizeSwizzle: Z3 looks for an F2-linear swizzle that makes every access conflict-free, or shows there is none.
//
//     unknown   a bit for each (bank bit, address bit): which address bits are xored into which bank bit
//     for each access and each non-zero difference v of two lanes (and words) of one phase that are different words:
//               some bank bit of M v is 1, or M v stays within a word
//
// Addresses of a linear layout differ by v at every position, so finitely many differences (at most 31 for each
// access) speak for the whole tile. First the form bank ^= higher bits, which is invertible by itself, with as few xors
// as can be; if that is unsatisfiable, any 5 independent rows. Elements narrower than a word may also be brought into
// one word, where they share a bank for free: then the differences that fall within a word are unknown, too (a subspace
// of as many dimensions as a word has address bits), and v may lie in it. When that is unsatisfiable, no invertible
// linear map of the address bits serves all accesses, and the answer says so; Sw<B,M,S> within those bits is one, so
// core/analysis/find_swizzle.h finds none either. Accesses stand where they stand on the layout as it is.
// Law: what is returned was run through the bank model on every access of the tile.
#pragma once

#include "core/analysis/linear_swizzle.h"
#include "core/base/result.h"
#include "core/worksheet/requests.h"
#include "solver/prove/prove.h"

namespace tessera {

// A Diag when the layout is not linear over F2 (extents that are no powers of two, strides that carry), an access does
// not fit, the time is up, or this build has no Z3.
[[nodiscard]] Result<LinearSwizzle> synthesizeSwizzle(const FindRequest& request, const ProveOptions& options = {});

}  // namespace tessera
