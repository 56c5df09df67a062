// run NAME [spec %C] [with M=8, stages=3] [on sm_80] [seed 3] [by emulator] [as bars | as table]
//          [compare cublas, variants, variant(stages=4), unfused, unfused(OTHER)]
//
//     run gemm with M=8 compare cublas     RunRequest{gemm's listing, sizes {M: 8}, library}
//     run gemm spec %C                     only the specification that writes %C
//     run gemm with stages=3, order=col    a name that is no size of the program is a parameter of it (core/graphene/parameters.h)
//     run mlp compare unfused              beside it the block mlp_unfused, or what is shipped under that name (core/graphene/baseline.h)
//
// The clauses come in any order, each once; NAME is a graphene block.
#pragma once

#include <string>
#include <string_view>

#include "core/worksheet/statements/evaluator.h"

namespace tessera {

// The request, its Diag with its place in the statement's text. Requires text to begin with `run`, without comments.
[[nodiscard]] Result<RunRequest> parseRun(std::string_view text, Evaluator& evaluator);

// What the result of a run statement is kept under: its text without comments, blanks that say nothing, and `as VIEW`.
//     "run  gemm with M = 8 as table // slow"      "run gemm with M=8"
[[nodiscard]] std::string runKey(std::string_view statement);

}  // namespace tessera
