// emulated: a run without a GPU: the same random inputs, the emulator for the device, the same comparison.
//
//     auto e = emulated(source, program, options);     e->checks[0]: %C, relative error 0.0003
//     e->kernels                                       registers, spills and shared memory, where NVRTC is there
//     e->total                                         instructions, wavefronts and sectors that the run needed
//
// What it says of numbers is what the program means (solver/emulate), element types and roundings included; of time it says nothing.
// Law: inputs and references are those that run() has at the same seed and sizes.
#pragma once

#include "solver/emulate/counts.h"
#include "solver/measure/reference.h"
#include "solver/measure/runner.h"

namespace tessera::measure {

struct Emulated {
  std::string architecture;
  u64 seed = 1;
  std::map<std::string, i64> sizes;
  std::vector<Comparison> checks;
  std::string wrong;                     // as of Measurement; also a finding of the emulator
  std::string stopped;                   // why the emulator ended early: nothing was compared then
  graphene::LeafCounts total;            // instructions of warps, wavefronts, sectors
  i64 launches = 0;                      // of kernels, one after the other
  i64 blocks = 0, threads = 0;           // of the largest kernel
  std::map<std::string, i64> threadsOf;  // of a block, by kernel
  std::string compiler;                  // "NVRTC 13.0"; empty: there is none
  std::string notCompiled;               // why
  std::vector<Resources> resources;      // of every kernel
  Work work;
};

struct EmulatedOptions {
  i64 maxSteps = 400'000;           // of warps: about half a minute
  i64 maxElements = kMostEmulated;  // of all operands: what the emulator keeps of one is 16 bytes and more
};

[[nodiscard]] Result<Emulated> emulated(const codegen::CudaSource& source, const graphene::Program& program,
                                        const RunOptions& options, const EmulatedOptions& how = {});

}  // namespace tessera::measure
