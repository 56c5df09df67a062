// Uses through: where an element of an instruction goes, through everything that stands on it: the maps of each user, composed along every
// path, and each different map once. The other direction of fusion.h.
//
//     t = f32[1000,1000] transpose(p); r = f32[1000000] reshape(t)       from p: t: (d0, d1) -> (d1, d0)
//                                                                                r: (d0, d1) -> (d1 * 1000 + d0)
//     p + transpose(p)                                                   (d0, d1) -> (d0, d1) and (d0, d1) -> (d1, d0)
//     from t to the root of its fusion                                   XLA's epilogue indexing, where there is one path
//
// Laws: y is used by x through the computation exactly where x reads y (tests/hlo: beside reachedIn, element by element); a user that
// nobody has a rule for in this direction makes what stands on it Unknown.
#pragma once

#include "core/hlo/fusion.h"

namespace tessera::hlo {

// Every instruction (and output of it) that elements of `from`'s output go to, `from` itself first, each behind what it stands on.
// `runtime` of each is empty.
[[nodiscard]] Result<std::vector<Reached>> goesTo(const Module& module, Where from, int output = 0);

// usesOf, through fusions and calls as well: one Reach for each output.
[[nodiscard]] Result<std::vector<Reach>> usesThrough(const Module& module, Where where, int operand);

}  // namespace tessera::hlo
