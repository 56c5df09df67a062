// Separate sizes: a kernel with several sizes in place of one.
//
//     %Q:[128*T,64] %K:[128*T,64]  %S:[128*T,128*T]      grid [T,T]        two digits have this size
//     %Q:[128*T,64] %K:[128*T',64] %S:[128*T,128*T']     grid [T,T']       one digit each
//
// Dimensions, digits of the grid, loops and indices of the equations have the same size if one is used to index the
// other. The kernel is the new one with T' equal to T; which size an expression gets decides only whether the new one
// has a proof.
//
// Law: the kernel is proved for every size if the new one is.
#pragma once

#include <optional>

#include "solver/graphene/z3/sites.h"

namespace tessera::graphene {

// Of a program with one kernel, sites.specs[0]. nullopt: all uses of the size (a program variable) depend on each
// other, or the program assumes something about sizes.
[[nodiscard]] std::optional<Program> withSeparateSizes(const Sites& sites, int size);

}  // namespace tessera::graphene
