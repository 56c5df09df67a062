// writeKernel: one top-level specification as a __global__ function, statements in order, loops as loops.
//
//     for (k = 0; k < 1024; k += 16) { sync }      for (int k = 0; k < 1024; k += 16) { __syncthreads(); }
//
// What it is made of: Variables (ranges), Writer (lines and names), ScopedText (expressions), Storage and SharedMemory
// (tensors), Bases and Rounds (loops through stages), Addresses (operands), Bulk (TMA), and writeLeaf (instructions).
#pragma once

#include <string>
#include <vector>

#include "core/codegen/kernel/kernel.h"
#include "core/codegen/kernel/writer.h"

namespace tessera::codegen {

struct WrittenKernel {
  Kernel kernel;
  std::vector<Writer::Line> lines;  // the signature, the body, and the closing brace
};

// `outside`: statements before it that are outside every body. `lacksShared`: whether the Diag is that the architecture
// has too little shared memory.
[[nodiscard]] Result<WrittenKernel> writeKernel(const graphene::Program& program, const CodegenOptions& options,
                                                const graphene::Body& outside, const graphene::Spec& spec, Span span,
                                                std::string name, Used& prelude, bool& lacksShared);

// "%C <- MatMul(%A, %B)"
[[nodiscard]] std::string commentOf(const graphene::Spec& spec);

}  // namespace tessera::codegen
