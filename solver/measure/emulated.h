// emulated: a run without a GPU: the same random inputs and comparison, with the emulator as the device.
//
//     auto e = emulated(source, program, options);     e->checks[0]: %C, relative error 0.0003
//     e->kernels                                       registers, spills and shared memory, if NVRTC is available
//     e->total                                         instructions, wavefronts and sectors of the run
//
// Values follow the semantics of the program (solver/emulate), element types and rounding included. It says nothing
// about time.
// Law: inputs and references are those of run() at the same seed and sizes.
#pragma once

#include "solver/emulate/counts.h"
#include "solver/measure/reference/reference.h"
#include "solver/measure/runner.h"

namespace tessera::measure {

// `wrong` may also be a finding of the emulator.
struct Emulated : Checked {
  std::string architecture;
  std::string stopped;                   // why the emulator ended early; nothing was compared then
  graphene::LeafCounts total;            // warp instructions, wavefronts, sectors
  i64 launches = 0;                      // kernels, in sequence
  i64 blocks = 0, threads = 0;           // of the largest kernel
  std::map<std::string, i64> threadsOf;  // per block, by kernel
  struct {
    std::string by;                    // "NVRTC 13.0"; empty: none
    std::string failure;               // why it is not compiled
    std::vector<Resources> resources;  // by kernel
  } compiled;
};

struct EmulatedOptions {
  i64 maxSteps = 400'000;           // warp steps: about half a minute
  i64 maxElements = kMostEmulated;  // over all operands; the emulator needs 16 bytes or more per element
};

[[nodiscard]] Result<Emulated> emulated(const codegen::CudaSource& source, const graphene::Program& program,
                                        const RunOptions& options, const EmulatedOptions& how = {});

}  // namespace tessera::measure
