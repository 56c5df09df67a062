#include "app/files/compiler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/files/tool.h"
#include "app/files/write_file.h"

namespace tessera {

namespace {

std::string contentsOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The first line that names an error.
std::string firstError(const std::string& log) {
  std::istringstream in(log);
  std::string line, first;
  while (std::getline(in, line)) {
    if (first.empty() && !line.empty()) first = line;
    if (line.find("error") != std::string::npos || line.find("fatal") != std::string::npos) return line;
  }
  return first;
}

Diag noFolder() { return Diag{"there is no folder for temporary files"}; }

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code ignored;
  std::string pattern = (std::filesystem::temp_directory_path(ignored) / "tessera-kernel-XXXXXX").string();
  if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string architectureFor(std::string_view source) {
  for (const char* word : {"tcgen05", "tmem_"})
    if (source.find(word) != std::string_view::npos) return "sm_100a";
  for (const char* word : {"wgmma", "cp.async.bulk", "CUtensorMap", "SM90_"})
    if (source.find(word) != std::string_view::npos) return "sm_90a";
  return "sm_80";
}

Result<std::string> compiledByNvcc(const std::string& name, const std::string& architecture,
                                   const std::string& output) {
  const ScratchFolder scratch;
  if (scratch.path().empty()) return noFolder();
  const std::string out = scratch.path() + "/kernel." + output;
  TESSERA_TRY(const ToolRun ran, runTool({toolPath("nvcc"), "-std=c++17", "-arch=" + architecture, "-lineinfo",
                                          "-" + output, "-o", out, name}));
  if (ran.exit != 0)
    return Diag{fmt::format("nvcc refuses this file: {}", firstError(ran.output)), "CUDA C++ that compiles",
                fmt::format("nvcc -arch={} -lineinfo -{} {} -o kernel.{} prints all errors", architecture, output, name,
                            output)};
  return contentsOf(out);
}

Result<std::string> assembled(std::string_view ptx, const std::string& architecture) {
  const ScratchFolder scratch;
  if (scratch.path().empty()) return noFolder();
  const std::string in = scratch.path() + "/kernel.ptx", out = scratch.path() + "/kernel.cubin";
  TESSERA_CHECKED(writeWhole(in, ptx));
  TESSERA_TRY(const ToolRun ran, runTool({toolPath("ptxas"), "-arch=" + architecture, "-lineinfo", "-o", out, in}));
  if (ran.exit != 0)
    return Diag{fmt::format("ptxas refuses this PTX for {}: {}", architecture, firstError(ran.output)),
                "PTX that this ptxas knows", fmt::format("--arch with the architecture of its .target")};
  return contentsOf(out);
}

}  // namespace tessera
