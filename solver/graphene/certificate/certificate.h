// Certificate: why the obligations of a checked program hold, for a reader that does not trust the prover.
//
//     %y:[4*M].fp32.GL  ...  %o = %y.tile([4:1])[@b,@i]                                      O2 bounds, dimension 0
//         goal      4*$block0 + $thread0 - 4*M >= 0 has no solution in the instances of the statement
//         uses      M - $block0 - 1 >= 0     3 - $thread0 >= 0     4*$block0 + $thread0 - 4*M >= 0
//         proof     4 * first + 1 * second + 1 * third:     -1 >= 0
//
// Goals are not stated by the certificate: each has a name, and a checker derives it from the text of the program. So a
// certificate for other accesses, loops or sizes than the program's is rejected. Variables are the digits of the block
// and the thread, the iterations of loops in text order, the places of a view (slots) and the sizes; a second copy of
// an instance has names that end in '.
//
//     O2   per access and dimension: below 0, and beyond the extent
//     O4   per output: a choice (a site, its variables as functions of the element $c0, $c1, ...); the conditions of
//          the site hold, and it accesses that element. Of a product: of each contribution ($c0, $c1, $c2). Of a
//          register: of each block and thread
//     O5   two copies at one element differ in no variable; two sites: in no digit of block or thread
//     O6   two copies at one place in one phase have equal threads; of instructions of several threads, there are none.
//          A cp.async is at its place until a wait of its thread: a choice, by cases
//     O7   per read of a temporary: a choice, as in O4, by cases; it precedes the read
//     O8   per output, operand and chain of writers: the input is the specified one
//
// The text of a program that calls definitions is the canonical one, in which they are expanded.
//
// O1 needs the table of instructions and has no certificate. O3 needs none: a checker of the text decides it.
//
// Goals use what the program assumes of its sizes. A size M with `assume M % 128 == 0` is 128*$units_M.
//
// Law: if every goal of an obligation has a refutation, the obligation holds for all sizes up to 2^20 that the program
// assumes.
// Not a certificate of runs: what was proved by running, or by induction over sizes, is open here, with that reason.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "solver/graphene/certificate/refutation.h"
#include "solver/graphene/check.h"

namespace tessera::graphene {

struct CertifiedGoal {
  std::string name;  // "0/2/1/beyond"
  SmallRefutation why;
  std::map<std::size_t, std::pair<LinearForm, LinearForm>> products;  // by number in `uses`: its factors
};
// An instance of a site, as a function of an element or of another instance; or one of two, if a test is >= 0 or not.
struct ChosenInstance {
  std::string name;  // "0": of the output 0
  int site = 0;      // of the kernel, in text order; of a copy's end, of its waits
  std::vector<std::pair<std::string, std::string>> values;  // of its variables: {"$thread0", "$c0%128/8"}
  std::string test;                                         // "$loop0 - 1"; empty: an instance
  std::vector<ChosenInstance> parts;                        // then, else
};
struct ObligationCertificate {
  Obligation obligation = Obligation::Static;
  bool complete = false;
  std::string open;  // why it is not complete
  std::vector<ChosenInstance> choices;
  std::vector<CertifiedGoal> goals;
};
struct KernelCertificate {
  Span span;
  std::string spec;
  std::vector<ObligationCertificate> obligations;  // O1 to O8
};
struct Certificate {
  // The program without parameters, definitions and calls, if its text has any.
  std::string expanded;
  std::vector<KernelCertificate> kernels;
  [[nodiscard]] std::size_t complete() const;  // number of obligations
};

// Requires: `result` is of this program, and nothing is refuted. `parameters`: its text has parameters or definitions.
[[nodiscard]] Certificate certificateOf(const Program& program, const CheckResult& result, const CheckOptions& options,
                                        bool parameters = false);

}  // namespace tessera::graphene
