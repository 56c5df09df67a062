// Opens a file that holds a kernel: PTX, a file with PTX inside (core/ptx/open.h), or CUDA C++, which nvcc or NVRTC of
// this machine compiles.
//
//     openKernel(bytes, "add.ptx", {})         the text and its module
//     openKernel(bytes, "add.cu", {})          compiled: from "compiled by nvcc for sm_80"
//
// A text with an error is a Diag whose span is in `text`. Without a compiler, the hint is the command that makes PTX
// elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/ptx/module.h"

namespace tessera {

struct KernelFile {
  std::string text;  // PTX
  std::string from;  // how it came from the file; empty: it is the file
  ptx::Module module;
};

struct KernelFileOptions {
  std::string architecture = {};  // of CUDA C++; empty: sm_80, or sm_90a if the text uses its instructions
  bool runsTools = true;          // compilers and cuobjdump; false: what needs them is refused
};

// `text`: set to the PTX text before it is read, for the place of a Diag.
[[nodiscard]] Result<KernelFile> openKernel(std::string_view bytes, const std::string& name,
                                            const KernelFileOptions& options, std::string& text);

}  // namespace tessera
