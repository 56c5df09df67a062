// Claims about accesses as a kernel's code writes them: conflict_free(S, f32), coalesced(S, f32), race_free(ST, LD).
//
//     conflict_free(S, f32), S(t, i) = t * 32 + i over (32, 4)
//         refuted: i = 0, warp 0: bank 0 must deliver 32 words: lane 0 byte 0, lane 1 byte 128, ...
//
// Every instruction of every warp goes through the bank or the sector model; a race is looked up by address. So the
// answer is exhaustive, for any formula, with predicates and partial warps (core/analysis/access/thread_access.h).
#pragma once

#include "core/claim/claim.h"

namespace tessera::prover {

// Requires claim.kind() == ClaimKind::Threads.
[[nodiscard]] Verdict threadVerdict(const Claim& claim);

}  // namespace tessera::prover
