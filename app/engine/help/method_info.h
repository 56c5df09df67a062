// What a verdict rests on, in a sentence each: its method, and how certain that is.
//
//     methodInfo({.truth = Proved, .method = "F2 rank"})
//         "Addresses are linear over bits: the rank of their matrix decides for all points. It is exact."
//     methodInfo({.truth = Refuted, .method = "exhaustive"})
//         "Points were tried one by one. The counterexample was evaluated again, and is wrong as shown."
//
// Law: every method that the prover names has a sentence (tests/engine/method_info_test.cpp).
#pragma once

#include <string>

#include "core/claim/claim.h"

namespace tessera {

// Empty for a verdict without a method.
[[nodiscard]] std::string methodInfo(const Verdict& verdict);

}  // namespace tessera
