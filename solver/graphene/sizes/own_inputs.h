// Own inputs: a kernel in which a loop that writes outputs reads inputs of its own.
//
//     for (j ..) { take %S[r,j] }  for (j ..) { %P[r,j] <- f(%S[r,j]) }     %P[r,j] = %S[r,j] / (sum(k < T) %S[r,k])
//     for (j ..) { take %S[r,j] }  for (j ..) { %P[r,j] <- f(%S'[r,j]) }    %P[r,j] = %S'[r,j] / (sum(k < T) %S[r,k])
//
// The equations read the new input outside of sums over the size. The kernel is the new one with %S' equal to %S.
//
// Law: the kernel is proved for every size if the new one is.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "solver/graphene/z3/sites.h"

namespace tessera::graphene {

// The loops of the kernel sites.specs[kernel] that end at the size (a program variable), in no other loop and no
// condition.
[[nodiscard]] std::vector<int> loopsTo(const Sites& sites, int kernel, int size);
// Whether the loop writes to global memory.
[[nodiscard]] bool writesOutputs(const Sites& sites, int kernel, int loop);

// Of a program with one kernel, sites.specs[0]. nullopt: no such loop reads what is read elsewhere.
[[nodiscard]] std::optional<Program> withOwnInputs(const Sites& sites, int size, std::string_view architecture);

}  // namespace tessera::graphene
