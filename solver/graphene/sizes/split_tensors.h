// Split tensors: a kernel alone, with some dimensions of its inputs split in two, so that its text has a law.
//
//     %Z:[128*M,128*U]  read at [i, 32*U*g + u]           as U grows, the columns of gate g move by 32*g: no one vector
//     %Z:[128*M,4,32*U]  read at [i, g, u]                the same memory: nothing moves
//
// Dimension d of size q*F is [q,F], and index F*a + r is [a,r]: the coefficient of the size is split off. Strides stay,
// so every access and every reading of the equations is of the same element, if its coordinates are in the extents.
// That they are is an obligation of the new kernel.
//
// Law: the kernel is proved for every size if the new one is.
#pragma once

#include <optional>
#include <utility>

#include "solver/graphene/z3/sites.h"

namespace tessera::graphene {

// index = part * size * quotient + rest, where neither mentions the size (a param). nullopt: there are no such.
struct SplitIndex {
  Expr quotient, rest;
};
[[nodiscard]] std::optional<SplitIndex> splitIndex(const Expr& index, int size, i64 part);

// The kernel sites.specs[kernel] alone (kernel_alone.h). nullopt: there is nothing to split.
[[nodiscard]] std::optional<Program> withSplitTensors(const Sites& sites, int kernel);

}  // namespace tessera::graphene
