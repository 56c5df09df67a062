// Programs of the CUDA toolkit, if this machine has them.
//
//     toolPath("nvcc")                           "/usr/local/cuda/bin/nvcc"; empty: there is none
//     runTool({path, "-ptx", "k.cu"})            {exit 0, what it printed}
//
// TESSERA_NVCC=/path/to/nvcc (in capitals, for every tool) overrides the search; a value that names no file means none.
// Order: the variable, PATH, then the toolkit's folders.
//
// Law: the process has ended when runTool() returns; its output is at most kMostOutput bytes, and the rest is dropped.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace tessera {

[[nodiscard]] std::string toolPath(const std::string& name);

struct ToolRun {
  int exit = 0;        // 128 + signal if a signal ended it
  std::string output;  // standard output and standard error
};
inline constexpr std::size_t kMostOutput = std::size_t{1} << 24;
// The first word is the path. A Diag if the process cannot start.
[[nodiscard]] Result<ToolRun> runTool(const std::vector<std::string>& command);

}  // namespace tessera
