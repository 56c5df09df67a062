// Sizes: a program whose sizes are symbols, with numbers for some of them: what can be run, proved by running, and compiled for them.
//
//     %A:[128*M,K].fp16.GL     withSizes(program, {{"M", 2}})     %A:[256,K].fp16.GL
//
// Law: it is the program of the text in which the numbers stand for the names, but for what a text says once more (`M` of a call's
// parameters): every tensor, loop and condition of it is the same.
#pragma once

#include <map>

#include "core/graphene/program.h"

namespace tessera::graphene {

// A Diag: a name that is no size of the program, a size below 1 or beyond 2^31 - 1.
[[nodiscard]] Result<Program> withSizes(const Program& program, const std::map<std::string, i64>& sizes);
// "M=128" -> {"M", 128}; a Diag for what is no size.
[[nodiscard]] Result<std::map<std::string, i64>> readSizes(const std::vector<std::string>& texts);

}  // namespace tessera::graphene
