// Assumptions: conditions on the symbolic sizes of a program, outside every body.
//
//     assume M % 128 == 0 && N == 2*M && C <= 512
//
//     holdAt(p, {{"M", 100}})     a Diag: the program assumes M % 128 == 0, and M is 100
//     reduced(p)                  over M/128: %x:[M,64] becomes [128*(M/128),64], and N becomes 256*(M/128)
//
// A program is checked for the sizes that meet them, and refuses others. reduced puts a multiple of a new size for one
// with a divisor, and an expression for one that is equal to it, so that what depends on a tile of M depends on a size
// itself. Conditions of other forms stay.
//
// Law: withSizes(reduced(p), sizes) decides what withSizes(p, sizes) decides, at all sizes for which holdAt is no Diag.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/expr/facts.h"
#include "core/graphene/program.h"
#include "core/graphene/reader/sized.h"

namespace tessera::graphene {

inline constexpr std::size_t kMostAssumptions = 64;

// Over the values of the program's sizes; those without a value decide nothing.
[[nodiscard]] Result<void> holdAt(const Program& program, const Sizes& sizes);
// A Diag: no sizes meet the assumptions.
[[nodiscard]] Result<Program> reduced(const Program& program);
// "M % 128 == 0, C <= 512"; empty: none.
[[nodiscard]] std::string assumptionsOf(const Program& program);
// Of a size variable, from 1 to `most`, by assumptions of the form C <= 512.
[[nodiscard]] Range boundsOf(const Program& program, int variable, i64 most);

}  // namespace tessera::graphene
