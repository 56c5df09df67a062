// Nvrtc: CUDA's run-time compiler, loaded at run time: compiles kernel text to machine code for one architecture, with
// a log.
//
//     TESSERA_TRY(const Nvrtc nvrtc, Nvrtc::open());                    libnvrtc.so.13, .12, ..., then the toolkit's
//     TESSERA_TRY(const Compiled code, nvrtc.compile(text, "sm_80"));   a cubin; code.resources[0].registers
//
// It needs no device. `#include <cuda_fp16.h>` needs the toolkit's headers, searched next to the library and in the
// toolkit's folders; TESSERA_CUDA_INCLUDE overrides the folder.
//
// Law: a compile error is a Diag with the line of the generated text and the span that `lines` assigns to it.
#pragma once

#include <memory>
#include <string_view>

#include "core/codegen/kernel/kernel.h"
#include "solver/measure/device/dynamic_library.h"

namespace tessera::measure {

// CompileLog: parses the CUDA compiler's log: errors, with the line of the generated text and the place in the Graphene
// text that it came from, and the resources of every kernel.
//
//     gemm.cu(12): error: identifier "x" is undefined        line 12, lines[11] = the statement %c <- MatMul(...)
//     ptxas info : Used 232 registers, used 1 barriers, 16384 bytes smem        registers 232, shared 16384
//
// Law: lines of any other form stay in the log and are otherwise ignored. A line number beyond the text maps to no
// place.

struct CompileError {
  int line = 0;         // 1-based, in the generated text; 0: not given
  std::string message;  // "identifier "x" is undefined"
};
// In order, without warnings.
[[nodiscard]] std::vector<CompileError> errorsOf(std::string_view log);

struct Resources {
  std::string kernel;
  int registers = 0, sharedBytes = 0, stackBytes = 0, spillStores = 0, spillLoads = 0, barriers = 0;  // spills in bytes
  bool operator==(const Resources&) const = default;
};
// Parses a log produced with --ptxas-options=-v.
[[nodiscard]] std::vector<Resources> resourcesOf(std::string_view log);

// The first error as a Diag, with the generated line and its text; the span is the source statement.
[[nodiscard]] Diag compileDiag(std::string_view log, std::string_view text, const std::vector<Span>& lines,
                               std::string_view architecture);

// Functions exported by nvrtc.h.
struct NvrtcTable : FunctionTable {
  int (*version)(int*, int*) = named("nvrtcVersion", version);
  int (*architectureCount)(int*) = named("nvrtcGetNumSupportedArchs", architectureCount);
  int (*architectures)(int*) = named("nvrtcGetSupportedArchs", architectures);
  int (*create)(void**, const char*, const char*, int, const char* const*,
                const char* const*) = named("nvrtcCreateProgram", create);
  int (*destroy)(void**) = named("nvrtcDestroyProgram", destroy);
  int (*compile)(void*, int, const char* const*) = named("nvrtcCompileProgram", compile);
  int (*logSize)(void*, std::size_t*) = named("nvrtcGetProgramLogSize", logSize);
  int (*log)(void*, char*) = named("nvrtcGetProgramLog", log);
  int (*cubinSize)(void*, std::size_t*) = named("nvrtcGetCUBINSize", cubinSize);
  int (*cubin)(void*, char*) = named("nvrtcGetCUBIN", cubin);
  int (*ptxSize)(void*, std::size_t*) = named("nvrtcGetPTXSize", ptxSize);
  int (*ptx)(void*, char*) = named("nvrtcGetPTX", ptx);
  const char* (*errorText)(int) = named("nvrtcGetErrorString", errorText);
};

// The name of every text in messages and lines.
inline constexpr const char* kNvrtcName = "kernel.cu";

struct Compiled {
  std::string image;         // a cubin, or PTX where the architecture is "compute_80"
  std::string architecture;  // compilation target
  std::string log;
  std::vector<Resources> resources;
};

class Nvrtc {
 public:
  [[nodiscard]] static LibraryPlace place();
  [[nodiscard]] static Result<Nvrtc> open();
  [[nodiscard]] std::string version() const;  // "13.0"
  // `lines`: CudaSource's. `extra`: options of NVRTC, such as "--fmad=false".
  [[nodiscard]] Result<Compiled> compile(const std::string& text, const std::string& architecture,
                                         const std::vector<Span>& lines = {},
                                         const std::vector<std::string>& extra = {}) const;
  // The same for generated kernels. Their resources include the dynamic shared memory, which the compiler does not
  // know.
  [[nodiscard]] Result<Compiled> compile(const codegen::CudaSource& source) const;
  // Selects the compilation target for text that needs `needed` ("sm_80") on a device of `device` ("sm_90"): the
  // device's machine code ("sm_90"), or, if this compiler does not know the device yet, PTX for its driver to translate
  // ("compute_121"). Returns a Diag if the device cannot run the code or this compiler no longer supports the device.
  [[nodiscard]] Result<std::string> target(const std::string& needed, const std::string& device) const;

 private:
  [[nodiscard]] std::vector<std::string> options(const std::string& architecture) const;
  std::shared_ptr<const NvrtcTable> table_;
  int major_ = 0, minor_ = 0;
  std::vector<int> known_;  // architectures: 75 80 86 ..., ascending; empty: not reported
  std::string include_;     // folder of cuda_fp16.h; empty: not found
};

// "sm_90a" is 90; 0 if it is not an architecture.
[[nodiscard]] int numberOf(std::string_view architecture);

}  // namespace tessera::measure
