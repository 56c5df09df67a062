// nvcc and ptxas, if this machine has them (app/files/tool.h).
//
//     compiledByNvcc("k.cu", "sm_80", "cubin")     the bytes of k.cubin
//     assembled(ptxText, "sm_80")                  the same from PTX
//
// A Diag has the compiler's first error.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera {

// A new folder, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }  // empty: there is none

 private:
  std::string path_;
};

// Of CUDA C++ or PTX: sm_90a or sm_100a if the text uses their instructions, else sm_80.
[[nodiscard]] std::string architectureFor(std::string_view source);

// `output`: "ptx" or "cubin". Requires a file of this name; nvcc is looked for.
[[nodiscard]] Result<std::string> compiledByNvcc(const std::string& name, const std::string& architecture,
                                                 const std::string& output);
[[nodiscard]] Result<std::string> assembled(std::string_view ptx, const std::string& architecture);

}  // namespace tessera
