// makeTrue: edits of the sheet that make a refuted claim hold: found by the searches of `find`, proved by the prover.
// Pure.
//
//     S = (64,64):(64,1)
//     prove conflict_free(S, ldmatrix.x4, fp16)      S = Sw<3,3,3> o 0 o (64,64):(64,1);  S = (64,64):(72,1)
//     A = (4,2):(1,2)
//     prove bijective(A)                             A = (4,2):(1,4)
//     prove equal((4,8):(8,1), (4,8):(1,4))          the claim's own text, with one layout in place of the other
//     prove not injective(B)                         prove injective(B)
//
// Where the candidates come from:
//
//     conflict_free                   find swizzle: the first swizzle, the first padding
//     equal                           find swizzle for A where equal(B), else find layout where equal(B); both ways
//     roundtrip(F, G)                 the left inverse of F
//     vectorizes, aligned             the same strides, each rounded up to the bytes; the compact layouts
//     injective, surjective,          compact layouts of the same shape: in the order of the strides, row-major,
//     bijective, in_bounds,           column-major; a swizzle of the layout is kept
//     coalesced
//
// Law (tests/engine/make_true_test.cpp): after each edit the claim is proved. Without an edit there is a reason. The
// work is limited, so an answer that is not found within it is not offered.
#pragma once

#include <string>
#include <vector>

#include "app/engine/engine.h"

namespace tessera {

struct MadeTrue {
  std::vector<Correction> edits;  // at most two, simplest first
  std::string none;               // why there are none
};

// asked: of a claim that was refuted, with its source.
[[nodiscard]] MadeTrue makeTrue(const Statement& statement, const ProveRequest& asked, const ProveOptions& options);

}  // namespace tessera
