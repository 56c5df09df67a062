#include "app/files/machine_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/files/compiler.h"
#include "app/files/tool.h"
#include "app/files/write_file.h"
#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/ptx/open.h"
#include "core/sass/listing.h"

namespace tessera {

namespace {

constexpr std::size_t kMostCubins = 64;

std::string baseName(const std::string& name) {
  const std::string base = std::filesystem::path(name).filename().string();
  return base.empty() || base == "-" ? "kernel.cubin" : base;
}

Result<std::string> listed(std::string_view cubin, const std::string& name) {
  const std::string nvdisasm = toolPath("nvdisasm");
  if (nvdisasm.empty())
    return Diag{
        "this is machine code, and there is no nvdisasm here",
        "a listing, or nvdisasm on PATH, in CUDA_HOME/bin, or named by TESSERA_NVDISASM",
        fmt::format("elsewhere: nvdisasm -c -hex -g {} > kernel.sass; then: tessera sass kernel.sass", baseName(name))};
  const ScratchFolder scratch;
  if (scratch.path().empty()) return Diag{"there is no folder for temporary files"};
  const std::string path = scratch.path() + "/kernel.cubin";
  TESSERA_CHECKED(writeWhole(path, cubin));
  TESSERA_TRY(ToolRun ran, runTool({nvdisasm, "-c", "-hex", "-g", path}));
  if (ran.output.size() >= kMostOutput)
    return Diag{"the listing of this file is too large", fmt::format("at most {} MB", kMostOutput >> 20),
                "a cubin with fewer kernels"};
  if (ran.exit != 0 || !sass::isListing(ran.output))
    return Diag{fmt::format("nvdisasm refuses this file: {}", stripped(ran.output.substr(0, 200))),
                "a cubin that this nvdisasm knows", "a newer nvdisasm, named by TESSERA_NVDISASM"};
  return std::move(ran.output);
}

Result<MachineFile> ofCubins(const std::vector<std::string_view>& cubins, const std::string& name) {
  MachineFile out;
  for (const std::string_view cubin : cubins) {
    TESSERA_TRY(std::string text, listed(cubin, name));
    out.texts.push_back(std::move(text));
    for (sass::CubinKernel& kernel : sass::cubinOf(cubin)) out.facts.push_back(std::move(kernel));
  }
  return out;
}

Result<MachineFile> ofCompiled(Result<std::string> cubin, const std::string& from) {
  if (!cubin) return cubin.error();
  TESSERA_TRY(MachineFile out, ofCubins({*cubin}, "kernel.cubin"));
  out.from = from;
  return out;
}

// The architecture of ".target sm_90a, debug".
std::string targetOf(std::string_view ptx) {
  const std::size_t at = ptx.find(".target");
  if (at == std::string_view::npos) return "sm_80";
  const auto words = wordsIn(ptx.substr(at + 7, 40), " \t\r\n,");
  return words.empty() || !words[0].starts_with("sm_") ? "sm_80" : std::string(words[0]);
}

Result<MachineFile> ofSource(std::string_view bytes, const std::string& name, const std::string& given) {
  const std::string architecture = given.empty() ? architectureFor(bytes) : given;
  std::error_code ignored;
  if (toolPath("nvcc").empty() || !std::filesystem::is_regular_file(name, ignored))
    return Diag{"this is CUDA C++, and there is no nvcc here, or it is no file",
                "a listing or a cubin, or nvcc on PATH",
                fmt::format("nvcc -arch={} -lineinfo -cubin {} -o kernel.cubin; nvdisasm -c -hex -g kernel.cubin",
                            architecture, name)};
  return ofCompiled(compiledByNvcc(name, architecture, "cubin"), fmt::format("compiled by nvcc for {}", architecture));
}

Result<MachineFile> ofPtx(const std::string& text, const std::string& given) {
  const std::string architecture = given.empty() ? targetOf(text) : given;
  if (toolPath("ptxas").empty())
    return Diag{
        "this is PTX, and there is no ptxas here", "a listing or a cubin, or ptxas on PATH",
        fmt::format("ptxas -arch={} kernel.ptx -o kernel.cubin; nvdisasm -c -hex -g kernel.cubin", architecture)};
  return ofCompiled(assembled(text, architecture), fmt::format("compiled by ptxas for {}", architecture));
}

}  // namespace

Result<MachineFile> openMachineCode(std::string_view bytes, const std::string& name,
                                    const MachineFileOptions& options) {
  if (sass::isListing(bytes)) return MachineFile{{std::string(bytes)}, {}, ""};
  if (sass::isCubin(bytes)) return ofCubins({bytes}, name);
  std::vector<std::string_view> inside = sass::cubinsIn(bytes);
  if (!inside.empty()) {
    inside.resize(std::min(inside.size(), kMostCubins));
    TESSERA_TRY(MachineFile out, ofCubins(inside, name));
    out.from = counted(inside.size(), "cubin") + " in this file";
    return out;
  }
  if (ptx::isCudaSource(bytes, name)) return ofSource(bytes, name, options.architecture);
  if (bytes.substr(0, std::min<std::size_t>(bytes.size(), 4096)).find(".version") != std::string_view::npos)
    if (const auto found = ptx::ptxIn(bytes, name); found) return ofPtx(found->text, options.architecture);
  const bool binary = bytes.starts_with(
      "\x7f"
      "ELF");
  return Diag{binary ? "this program holds no cubin that is not compressed" : "this file holds no machine code",
              "a listing of nvdisasm -c -hex, a cubin, a program with a cubin, PTX or CUDA C++",
              binary ? fmt::format("cuobjdump -xelf all {} writes its cubins", baseName(name))
                     : "nvcc -cubin kernel.cu -o kernel.cubin; nvdisasm -c -hex -g kernel.cubin > kernel.sass"};
}

}  // namespace tessera
