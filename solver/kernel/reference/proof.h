// Proves that a kernel computes its reference for every value of its buffers.
//
//     prove(module, launch, "C = A @ B", given)
//         C: proved for every value of A, B and C, over the real numbers: 4096 elements
//
// The kernel runs once with the elements of its buffers as symbols (symbolic/symbolic.h), and the reference is
// evaluated on the same symbols. For each element of an output:
//
//     1. different on random numbers       refuted, if a run of the kernel with these numbers shows it, too
//     2. equal terms, or equal in the algebra of real numbers (emulate/equality/same_value.h)      proved
//     3. neither                           unknown, with the first instruction that has no terms, if there is one
//
// A branch or an address that depends on the symbols makes all unknown. Integers are symbols unless one decides a
// branch or an address; then they have the given values. Scalars have them always, and so have buffers that are filled
// with one value (f32[64]=0).
//
// Law: "proved" means that every run with these sizes and scalars leaves the reference's values, if no operation rounds
// or overflows; "to the last bit" means that no operation takes place (tests/kernel/values_test.cpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "solver/kernel/kernel.h"
#include "solver/kernel/launch/arguments.h"

namespace tessera::kernel::reference {

struct Proof {
  enum class Answer : unsigned char { Proved, Refuted, Unknown };
  std::string name;  // of the output
  Answer answer = Answer::Unknown;
  i64 elements = 0;
  std::string how;     // "over the real numbers (x(y + z) = xy + xz)"; the counterexample; or the reason
  std::string covers;  // "every value of A and B"
};
[[nodiscard]] std::string_view nameOf(Proof::Answer answer);  // "proved"
[[nodiscard]] std::string textOf(const Proof& proof);

// Requires: the run of this launch has a clean or benign verdict. A Diag if the reference cannot be read.
[[nodiscard]] Result<std::vector<Proof>> prove(const ptx::Module& module, const Launch& launch, std::string_view text,
                                               const std::vector<Given>& given);
// The verdict of the report becomes Wrong if a proof refuted the reference, and Unknown if one is open.
void judge(const std::vector<Proof>& proofs, Report& report);

}  // namespace tessera::kernel::reference
