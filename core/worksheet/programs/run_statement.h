// run NAME [spec %C] [with M=8, stages=3] [on sm_80] [seed 3] [by emulator] [as bars | as table]
//          [compare cublas, variants, variant(stages=4), unfused, unfused(OTHER)]
//
//     run gemm with M=8 compare cublas     RunRequest{gemm's listing, sizes {M: 8}, library}
//     run gemm spec %C                     only the specification that writes %C
//     run gemm with stages=3, order=col    names that are not sizes are parameters (core/graphene/reader/parameters.h)
//     run mlp compare unfused              compares with the block mlp_unfused, or the shipped program of that name
//                                          (core/graphene/reader/sized.h)
//
// The clauses come in any order, at most once each; NAME is a graphene block.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/worksheet/requests.h"

namespace tessera {

class Evaluator;

// The request; a Diag has its place in the statement's text. Requires: text begins with `run`, without comments.
[[nodiscard]] Result<RunRequest> parseRun(std::string_view text, Evaluator& evaluator);

// The key for the result of a run statement: its text without comments, redundant blanks, and `as VIEW`.
//     "run  gemm with M = 8 as table // slow"      "run gemm with M=8"
[[nodiscard]] std::string runKey(std::string_view statement);

}  // namespace tessera
