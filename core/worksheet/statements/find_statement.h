// find swizzle for LAYOUT where conflict_free(ACCESS, TYPE) and conflict_free(ACCESS, TYPE) ... [by z3]
//
//     find swizzle for (128,64):(64,1) where conflict_free(ldmatrix.x4, fp16) and conflict_free(cp.async16, fp16)
//     -> Sw<3,3,3> o 0 o (128,64):(64,1)  CU_TENSOR_MAP_SWIZZLE_128B ...
//
//     find swizzle for K.shared                                     of the accesses of a kernel or of code
//     find layout where equal([0, 8, 1, 9])                         inverse questions: find_inverse.cpp,
//     find swizzle for A where equal(S), find permutation ...       core/analysis/inverse/inverse_search.h
//
// Without `by`, searches Swizzle<B,M,S> and paddings (core/analysis/swizzle/find_swizzle.h); `by z3` searches all
// F2-linear swizzles (solver/prove/synthesize_swizzle.h). The engine runs both.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/layout/layout.h"
#include "core/worksheet/requests.h"

namespace tessera {

class Evaluator;

// The request; a Diag has its place in the statement's text. Requires: text begins with `find`. An existing swizzle of
// the layout is ignored, with a note.
[[nodiscard]] Result<FindRequest> parseFind(std::string_view text, Evaluator& evaluator);

// The same of an inverse question. Its argument is a table, [0, 8, 1, 9] or [[0, 1], [2, 3]] (rows), any layout, or the
// body of an index formula, r*64 + (c ^ r) over (8,64).
[[nodiscard]] Result<InverseRequest> parseInverse(std::string_view text, Evaluator& evaluator);
// `find swizzle for K.shared`: of accesses of a kernel or of a block of code. nullopt: it is another question.
[[nodiscard]] Result<std::optional<Layout>> swizzleForAccesses(std::string_view text, Evaluator& evaluator);
// Whether the text is an inverse question: `find layout ...`, `find permutation ...`, `find swizzle ... equal(...)`.
[[nodiscard]] bool isInverse(std::string_view text);

}  // namespace tessera
