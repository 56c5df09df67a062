// Nvrtc: CUDA's run-time compiler, opened at run time: text of a kernel -> machine code for one architecture, and the log.
//
//     TESSERA_TRY(const Nvrtc nvrtc, Nvrtc::open());                       libnvrtc.so.13, .12, ..., then the toolkit's folder
//     TESSERA_TRY(const Compiled code, nvrtc.compile(text, "sm_80"));      a cubin; code.resources[0].registers
//
// It needs no device. `#include <cuda_fp16.h>` needs the toolkit's headers, which are looked for beside the library and in the
// toolkit's folders; TESSERA_CUDA_INCLUDE names them elsewhere.
//
// Law: an error of the text is a Diag with the line of the generated text and the span that `lines` gives it (compile_log.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/codegen/kernel.h"
#include "solver/measure/compile_log.h"
#include "solver/measure/dynamic_library.h"

namespace tessera::measure {

// nvrtc.h's functions as they are exported.
struct NvrtcTable {
  int (*version)(int*, int*) = nullptr;
  int (*architectureCount)(int*) = nullptr;
  int (*architectures)(int*) = nullptr;
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy)(void**) = nullptr;
  int (*compile)(void*, int, const char* const*) = nullptr;
  int (*logSize)(void*, std::size_t*) = nullptr;
  int (*log)(void*, char*) = nullptr;
  int (*cubinSize)(void*, std::size_t*) = nullptr;
  int (*cubin)(void*, char*) = nullptr;
  int (*ptxSize)(void*, std::size_t*) = nullptr;
  int (*ptx)(void*, char*) = nullptr;
  const char* (*errorText)(int) = nullptr;
};

struct Compiled {
  std::string image;         // a cubin, or PTX where the architecture is "compute_80"
  std::string architecture;  // what it was compiled for
  std::string log;
  std::vector<Resources> resources;
};

class Nvrtc {
 public:
  [[nodiscard]] static LibraryPlace place();
  [[nodiscard]] static Result<Nvrtc> open();
  [[nodiscard]] int major() const { return major_; }
  [[nodiscard]] std::string version() const;  // "13.0"
  [[nodiscard]] const std::vector<int>& architectures() const {
    return known_;
  }  // 75 80 86 ..., rising; empty: not said
  // `lines`: of CudaSource.
  [[nodiscard]] Result<Compiled> compile(const std::string& text, const std::string& architecture,
                                         const std::vector<Span>& lines = {}) const;
  // The same of generated kernels; their resources have the shared memory that the launch gives, which the compiler does not know.
  [[nodiscard]] Result<Compiled> compile(const codegen::CudaSource& source) const;
  // What to compile text that needs `needed` ("sm_80") for, on a device of `device` ("sm_90"): that device's machine code
  // ("sm_90"), or PTX that its driver translates where this compiler does not know the device yet ("compute_121").
  // A Diag: the device cannot run it, or this compiler has forgotten it.
  [[nodiscard]] Result<std::string> target(const std::string& needed, const std::string& device) const;

 private:
  [[nodiscard]] std::vector<std::string> options(const std::string& architecture) const;
  std::shared_ptr<const NvrtcTable> table_;
  int major_ = 0, minor_ = 0;
  std::vector<int> known_;
  std::string include_;  // of cuda_fp16.h; empty: not found
};

// "sm_90a" is 90; 0: it is none.
[[nodiscard]] int numberOf(std::string_view architecture);

}  // namespace tessera::measure
