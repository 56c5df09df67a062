// measuredProgram: compiles the kernels of a Graphene program, runs them on this machine's GPU, checks and times them;
// without a GPU it returns the emulator's result, the compiler's figures, and the reason.
//
//     auto m = measuredProgram({listing, "", "sm_80", {{"M", 8}}}, options);
//     m->device      device, checks, median and quartiles, roofline (solver/measure/runner.h)
//     m->emulated    checks, registers and spills with NVRTC, wavefronts and sectors (solver/measure/emulated.h)
//
// Laws: exactly one of the two is set. Missing sizes are kDefaultSize, listed in `chosen`. A Diag is about the program
// or a device that failed, never about a missing device. Blocks: call it from a job's thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/codegen/kernel/kernel.h"
#include "core/graphene/listing.h"
#include "solver/measure/emulated.h"
#include "solver/measure/runner.h"

namespace tessera {

inline constexpr i64 kDefaultSize = 4;

struct MeasureRequest {
  graphene::Listing listing;
  std::string spec;          // only the specification that writes this tensor or has this name; empty: all
  std::string architecture;  // code generation target; empty: sm_80
  std::map<std::string, i64> sizes;
  bool emulateOnly = false;
  i64 maxSteps = measure::kEmulatedSteps;  // of the emulator
};

struct MeasuredProgram {
  codegen::CudaSource source;
  std::vector<std::string> chosen;  // sizes chosen by default
  std::optional<measure::Measurement> device;
  std::optional<measure::Emulated> emulated;
  std::string noDevice;  // why there is no device
};

// `options`: seed, runs, limits, worker, cancel, progress, date. Sizes come from the request. The default reference is
// that of solver/measure/reference/reference.h.
[[nodiscard]] Result<MeasuredProgram> measuredProgram(const MeasureRequest& request,
                                                      const measure::RunOptions& options);

// The program restricted to those specifications. The Diag lists the existing ones.
[[nodiscard]] Result<graphene::Program> onlySpecifications(const graphene::Program& program, const std::string& name);

// The names of the sizes that are symbols.
[[nodiscard]] std::vector<std::string> sizeNames(const graphene::Program& program);
// Every given size is one of them; otherwise the Diag lists them.
[[nodiscard]] Result<void> knownSizes(const graphene::Program& program, const std::map<std::string, i64>& given);
// `given`, plus kDefaultSize for each other size, whose name is appended to `chosen`.
[[nodiscard]] std::map<std::string, i64> completeSizes(const graphene::Program& program,
                                                       std::map<std::string, i64> given,
                                                       std::vector<std::string>& chosen);

// "relative error 0.0003 of 65536 elements; worst %C[3,5]: 1.25 instead of 1.2502"; or why it was not compared.
[[nodiscard]] std::string textOf(const measure::Comparison& check);
// "41.2 us (quartiles 41.0 to 41.5; 20 runs of 3 launches)"
[[nodiscard]] std::string timeText(const measure::Measurement& m);
// How it was timed, and its inputs: "3 launches after a busy kernel of 100 us; 17 sets of 256 B, L2 1 KiB: cold". Empty
// if it was not timed.
[[nodiscard]] std::string timingText(const measure::Measurement& m);
// "at least 12.0 us, bound by memory (25.2 MB; 2.15 G operations): 29 % of the roofline"
[[nodiscard]] std::string rooflineText(const measure::Measurement& m);
// "25.2 MB of memory, 2.15 G operations"
[[nodiscard]] std::string textOf(const measure::Work& work);

}  // namespace tessera
