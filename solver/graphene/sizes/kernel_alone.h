// KernelAlone: a program with one kernel of another, which can be changed.
//
//     %S <- scores(%Q,%K)   %P <- softmax(%S)   %O <- values(%P,%V)        kernel 1:   %P <- softmax(%S)
//
// Law: its specifications are those of the kernel in the other program, in order. The operands and variables stay.
#pragma once

#include <functional>

#include "solver/graphene/z3/sites.h"

namespace tessera::graphene {

[[nodiscard]] Program kernelAlone(const Sites& sites, int kernel);

// Visits the specifications of a body in the order of Sites.
void eachSpec(Body& body, const std::function<void(Spec&)>& visit);

// Of the caller, in global memory, not swizzled, and written by no specification of the kernel.
[[nodiscard]] bool isOnlyRead(const Sites& sites, int kernel, int storage);

}  // namespace tessera::graphene
