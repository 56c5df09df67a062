// Claims about accesses as code writes them, and the arguments that they share with the functions about such accesses.
//
//     conflict_free(S, f32)        each thread of S(t, i) accesses one element at a time
//     conflict_free(S, float4)     four consecutive elements; also conflict_free(S, f32, 4)
//     conflict_free(C.As)          an access of the block of code C, with the type and width of the code
//     race_free(C)                 every phase of the block, a phase being the code between two barriers
//     race_free(ST, LD)            no thread touches what another one stores: in one phase, with no barrier between
#pragma once

#include <string_view>

#include "core/worksheet/language/place.h"
#include "core/worksheet/statements/evaluator.h"

namespace tessera {

// Whether the call is one of the claims above, not conflict_free(L, ACCESS, TYPE) of a tile.
[[nodiscard]] bool isThreadClaim(const Node& call, Evaluator& evaluator);
[[nodiscard]] Result<ClaimRequest> threadClaim(const Node& call, std::string_view text, Evaluator& evaluator);
// Claim::partial, if an argument of the claim is an access of a kernel that has a part of its executions.
void addPartial(Claim& claim, const Node& node, std::string_view text, Evaluator& evaluator);

}  // namespace tessera
