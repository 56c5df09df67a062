// The methods of check.cpp. Each decides some obligations of a program's specifications, independently of the others.
//
//     by inspecting the tree    O1, O3                   without a run
//     by numbers                O8, and what a run shows  in the program's own types: refutes only
//     by running                O2, O4 to O8             on terms, one block for all where they differ by a translation
//     by Z3                     O2, O4 to O8             all blocks, threads, loops and symbolic sizes at once
#pragma once

#include "solver/graphene/check.h"
#include "solver/graphene/z3/sites.h"
#include "solver/prove/obligation.h"

namespace tessera::graphene {

// ---- by_static.cpp

// By inspecting the tree: whether every leaf is an instruction, its operands are aligned, and barriers and collectives
// converge (O1); and whether every access stays within the tensors that the enclosing specifications name (O3).
//
//     if (@t < 16) { sync }       refuted: thread 0 arrives, thread 16 does not
//     %w <- Move(%x) { %y ... }   refuted when %y is the caller's and no view of %w or %x
//
// A condition diverges if two threads of one block (of one warp, for a collective) evaluate it differently at the same
// loop values. The prover decides this as a question about two copies.

// O1 of each of sites.specs, in order; a decomposition combines the verdicts of its leaves and barriers. If all are
// proved, core/codegen must also accept the program for the architecture: refuted if a block lacks the shared memory,
// unknown if the emitter does not support something.
[[nodiscard]] std::vector<ObligationVerdict> staticOf(const Sites& sites, std::string_view architecture,
                                                      const prover::Budget& budget);
// O3 of each; unknown if only running can determine the place of an access.
[[nodiscard]] std::vector<ObligationVerdict> frameOf(const Sites& sites);

// ---- running/by_running.cpp

// By running: executes the program on terms instead of numbers (solver/emulate) and compares the results with the
// specification.
//
//     %C[0,0] arrives as  %C[0,0] + {%A[0,0]*%B[0,0], %A[0,1]*%B[1,0], ...}      a multiset of products
//
// One block represents all blocks if they differ only by a translation: no condition, loop bound, or address in shared
// memory or registers depends on the block, and every coordinate of a global tensor is f(thread, loops) + g(block).
// Otherwise all blocks run, up to a limit.
//
// A program with symbolic sizes cannot be run for all of them. It runs for some small ones (1, 2, 3, 7, 40, 300; all
// equal, then all different). A refutation at one of them counts, and the verdict names the sizes; nothing else
// follows. Values (O8) are not compared there, because views of symbolic size have no list of elements; readSized
// substitutes numbers.

// The obligations that running decides, by specification (sites.specs); empty for leaves and outside wanted kernels. If
// the program cannot be run they are unknown, with the reason. `wrongValues`, by specification: skip O8 of those
// kernels, already refuted.
[[nodiscard]] std::vector<std::vector<ObligationVerdict>> byRunning(const Sites& sites, const std::vector<bool>& wanted,
                                                                    const std::vector<bool>& wrongValues,
                                                                    const CheckOptions& options,
                                                                    const prover::Budget& budget);

// ---- values/by_numbers.cpp

// By numbers: runs the program in its own types on random inputs before proving anything (solver/measure/emulated.h, as
// `measure` does).
//
//     random, -1 to 1        wrong: O8 is refuted, even if the algebra of real numbers proves it
//     1, 0, up to 100, an offset, limits of integer types, if the output type holds the specified result:
//         wrong even without rounding (0/0)               refuted
//         wrong in fp32 only because of its range,
//         while the equations as written stay in range    refuted: a softmax that does not subtract its maximum
//         wrong otherwise                                 added to the proof: "with all inputs 1, %y[0] is 2048 instead
//                                                         of 4096 (fp16 stops)": a type overflows, wraps or stagnates
//         right                                           the note gives the relative error
//
// Violations of O1 to O7 that the machine reports during these runs are kept.
//
// The budget is counted in products and machine steps: all blocks run, or block 0 and a sample if that is too much.
// Law: a program that check proves is right in emulated() (solver/measure/emulated.h) at seed 1 on the blocks run.

struct ByNumbers {
  std::vector<ObligationVerdict> refuted;
  std::string note;  // addition to a proof of O8; empty: nothing was run or compared
};

// By specification (sites.specs), for kernels only. Empty for programs with symbolic sizes.
[[nodiscard]] std::vector<ByNumbers> byNumbers(const Sites& sites, const CheckOptions& options);

// ---- z3/by_z3.cpp

// By Z3: the obligations of one kernel, each as a question about all its instances at once.
//
//     O2 bounds        one copy: 0 <= coordinate < extent
//     O4 coverage      a witness for each element; or an element without an instance
//     O5 uniqueness    two copies write the same element only if they are the same instance
//     O6 races         two copies at one place in one phase are the same thread
//     O7 definedness   the writer determined by the digits of the place exists and precedes the reader
//     O8 value         one copy per hop back to the inputs: the value read was written by ...
//
//     transpose: reader (t, block) at %s[x,y], writer (w, same block) with equal %s coordinates: its input coordinate
//     is the one that the output requires
//
// Sizes may be symbolic. Places are compared by logical coordinates, each linear in the digits over the integers; a
// storage with a non-injective layout (a broadcast) is compared by address.
//
// Requires the static obligations to hold. Not supported: exchange of values between lanes (ldmatrix, mma, shfl) and
// asynchronous copies. These are left to `running`: unknown, with that reason.

// O2 and O4 to O8 of the kernel sites.specs[kernel]. Refutations in `known` are kept and not asked again.
[[nodiscard]] std::vector<ObligationVerdict> byZ3(const Sites& sites, int kernel,
                                                  const std::vector<ObligationVerdict>& known,
                                                  const prover::Budget& budget);

}  // namespace tessera::graphene
