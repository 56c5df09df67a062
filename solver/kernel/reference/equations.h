// References as equations, in the language of Graphene's `means` (core/graphene/meaning.h).
//
//     C[i,j] = sum(k < 64) A[i,k] * B[k,j] + bias[j]
//     y[i] = exp(x[i] - max(k < 64) x[k])
//
// Names are those of arguments, with or without %; a buffer on the right has its values from before the run, a scalar
// its value. Named values, where(...) and the scalar operations are those of meaning.h.
//
// Law: what the equations say, on numbers or on symbols (symbols.h).
#pragma once

#include "core/graphene/program.h"
#include "solver/kernel/reference/evaluate.h"

namespace tessera::kernel::reference {

// The text begins with an indexed name and =.
[[nodiscard]] bool isEquations(std::string_view text);
// Errors: as meaning.h, at the place of the text; a name that is no argument.
[[nodiscard]] Result<std::vector<Assigned>> evaluateEquations(std::string_view text,
                                                              const std::map<std::string, Array, std::less<>>& names);
// The equations as the only kernel of a program with the sizes and operands of another one; `numbers`: of other names.
// Errors: as above.
[[nodiscard]] Result<graphene::Program> equationsProgram(std::string_view text, const graphene::Program& of,
                                                         const std::map<std::string, i64>& numbers);

}  // namespace tessera::kernel::reference
