// Reads a claim that two programs compute the same:
//
//     equal(fused, unfused)                       two graphene blocks
//     equal(mlp, "Y = relu(A @ B + bias)")        a block and a reference in the manner of NumPy, in either order
//     not equal(fused, broken)                    asks for the difference
//     equal(gemm, simple) with M=1, stages=3      sizes and parameters of both, where they have them
//     equal(gemm, gemm) against stages=2          those of the second only
//     equal(mlp, layers) with small               the other sizes from the lines `// small:` of the programs
//     equal(lstm, cell) where "Wx = W[:64]"       inputs of the second by those of the first
//     equal(wgmma, simple) on sm_90a
//     equal(mlp, layers) within 1e-2              the outputs differ by at most that in their types
//     equal(mlp, layers) within 1e-2 for |X| <= 4, 0 <= W <= 0.5     inputs in these ranges, others in [-1, 1]
//
// The clauses come in any order, at most once each.
#pragma once

#include <optional>
#include <string_view>

#include "core/worksheet/requests.h"

namespace tessera {

class Evaluator;

// The claim text[from, to). nullopt: it does not begin with equal( and a program, or with equal("...", and a program.
[[nodiscard]] Result<std::optional<EqualRequest>> parseEqual(std::string_view text, std::size_t from, std::size_t to,
                                                             Evaluator& evaluator);

}  // namespace tessera
