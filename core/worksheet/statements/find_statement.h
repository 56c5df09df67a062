// find swizzle for LAYOUT where conflict_free(ACCESS, TYPE) and conflict_free(ACCESS, TYPE) ... [by z3]
//
//     find swizzle for (128,64):(64,1) where conflict_free(ldmatrix.x4, fp16) and conflict_free(cp.async16, fp16)
//     -> Sw<3,3,3> o 0 o (128,64):(64,1)  CU_TENSOR_MAP_SWIZZLE_128B ...
//
// Without `by` the search over Swizzle<B,M,S> and paddings answers (core/analysis/find_swizzle.h); `by z3` asks for any
// F2-linear swizzle (solver/prove/synthesize_swizzle.h). Both are the engine's to ask.
#pragma once

#include <string_view>

#include "core/worksheet/statements/evaluator.h"

namespace tessera {

// The request, its Diag with its place in the statement's text. Requires text to begin with `find`. A layout that has a
// swizzle already is searched as if it had none, and a note says so.
[[nodiscard]] Result<FindRequest> parseFind(std::string_view text, Evaluator& evaluator);

}  // namespace tessera
