// Decides for every value of the arguments that were not given: whether a kernel is free of races, and whether all
// threads of a block meet at its barriers.
//
//     Launch launch{.entry = "foo", .grid = {64, 1, 1}, .block = {64, 1, 1}};     foo(int x) { if (x == 0) barrier; }
//     Result<Report> r = proveForAll(module, launch);
//     r->verdict, r->covers        Clean, "every value of the arguments that were not given, in every schedule"
//
// First a run with some values: what it finds is a finding. If its control and addresses do not depend on the values,
// the run covers all of them. Otherwise two threads are compared symbolically (two_threads.h); where they may
// conflict, runs with the values of the model, and with small ones, look for a real conflict. Else: Unknown.
//
// Law: Clean and Benign hold for every run of the kernel whose threads end; a finding is of a run with the values that
// `covers` names (tests/kernel).
#pragma once

#include "solver/kernel/kernel.h"

namespace tessera::kernel {

// Errors: as run().
[[nodiscard]] Result<Report> proveForAll(const ptx::Module& module, const Launch& launch);

}  // namespace tessera::kernel
