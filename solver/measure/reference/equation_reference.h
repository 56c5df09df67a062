// The reference given by a program's own equations (`means`, core/graphene/meaning.h), evaluated per requested element.
//
//     %O <- Spec<attention><<<#b, #t>>>(%Q, %K, %V) means { ... }    1000 of 12,582,912 elements; no run of the program
//
// Law: it agrees with emulatedReference (reference.h) up to the rounding of doubles where `check` proves the program.
#pragma once

#include "solver/measure/reference/reference.h"

namespace tessera::measure {

// nullopt unless the program is one specification with equations over whole tensors in global memory.
[[nodiscard]] std::optional<Reference> equationReference(std::shared_ptr<const graphene::Program> program,
                                                         const ReferenceOptions& options);

}  // namespace tessera::measure
