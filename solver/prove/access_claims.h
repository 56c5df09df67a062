// Claims about memory: conflict_free, coalesced, vectorizes, aligned.
//
//     conflict_free(Sw<3,3,3> o (64,64):(64,1), ldmatrix.x4, fp16)
//         word(position, phase, lane, chunk) = byte address / 4,   bank = word mod 32
//         no conflict  <=>  within a phase, equal banks mean equal words
//
//   fits        first: each lane's elements are contiguous and aligned (pointwise; any rung of the ladder)
//   F2          conflict-free <=> rank of the bank rows == rank of the word rows, over the lane and chunk bits of a
//               phase. Addresses of all positions differ by a constant, so one rank decides every position.
//               coalesced: 2^(rank of the sector rows) sectors for 2^(rank) bytes
//   exhaustive  every access through the bank or the sector model
//   Z3          two lanes of one phase, at one position, equal banks and different words: unsatisfiable
//
// Law: the three agree (tests/agree). A refutation is replayed: the lanes' addresses are recomputed by Map::at and the
// bank model runs on that single access.
#pragma once

#include "core/claim/claim.h"
#include "solver/prove/prove.h"
#include "solver/prove/rungs.h"

namespace tessera::prover {

// Requires claim.kind to be one of the four, and one map without Fan digits.
[[nodiscard]] Verdict accessVerdict(const Claim& claim, Rungs& rungs);

}  // namespace tessera::prover
