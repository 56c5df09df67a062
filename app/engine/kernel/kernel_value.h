// A kernel in a worksheet: the run of a compiled kernel, whose accesses to memory are layouts.
//
//     K = kernel "transpose.ptx" grid (4,4) block (32,8) args (f32[128,128], in=f32[128,128])
//         clean: ...                                   the verdict and the findings, as notes of the statement
//     accesses(K)                                      one line for each access
//     K.line 57                                        its access: lane, warp, visit, block -> offset in elements
//     show K.line 57 as banks                          prove conflict_free(K.line 57)
//     prove computes(K)                                if the statement has a reference "C = A @ B"
//
// `kernel FILE`, then in any order `entry NAME`, `grid (X,Y,Z)`, `block (X,Y,Z)`, `cluster (X,Y,Z)`, `shared BYTES`,
// `seed N`, `args (A, ...)`, `reference "TEXT"`: the options of `tessera kernel`; an argument with a comma outside
// brackets is written in quotes. FILE (a path, also kernels/copy.ptx of those that come with Tessera) is PTX or has PTX
// inside; no compiler is run. The value is index code (core/code/index_code.h) of the word "kernel". Its values are the
// accesses to shared memory (named `shared`) and to buffers (named as the argument, else p0, p1 ...), by line: the line
// of the source if the PTX has .loc, else of the PTX. What has no closed form is an access with a fault.
//
// An access whose addresses come from indices alone has all its executions, of every block. Of another one the first
// 256 are recorded; a claim about it is then refuted or unknown.
//
// Law: the wavefronts and sectors of K.line N are those that the run counted, if it has all executions
// (tests/engine/kernel_value_test.cpp).
#pragma once

#include <memory>
#include <vector>

#include "app/engine/kernel/kernel_trace.h"
#include "core/code/index_code.h"
#include "solver/kernel/kernel.h"
#include "solver/kernel/launch/prepare.h"

namespace tessera {

// The accesses of a run. `facts`: what is known about it besides; null: what the report says. A Diag: no memory is
// accessed.
[[nodiscard]] Result<code::IndexCode> kernelCode(SourceLines& source, const kernel::Report& report,
                                                 const std::vector<kernel::Given>& given,
                                                 std::shared_ptr<code::RunFacts> facts = nullptr);

// Adds the literal to the language. Call it once, before a text is read; further calls do nothing.
void addKernels();

}  // namespace tessera
