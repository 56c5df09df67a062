#include "app/files/kernel_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/files/compiler.h"
#include "app/files/tool.h"
#include "core/ptx/open.h"
#include "core/ptx/read.h"
#include "solver/measure/device/dynamic_library.h"
#include "solver/measure/device/nvrtc.h"

namespace tessera {

namespace {

namespace fs = std::filesystem;

// libzstd, if there is one: CUDA 13 compresses the PTX in its files with it.
struct ZstdTable : measure::FunctionTable {
  std::size_t (*decompress)(void*, std::size_t, const void*, std::size_t) = named("ZSTD_decompress", decompress);
};

std::optional<std::string> unpackedZstd(std::string_view bytes, std::size_t size) {
  static const measure::LibraryPlace place{"libzstd", {"libzstd.so.1", "libzstd.so"}, {}, "TESSERA_LIBZSTD", ""};
  static const auto library = measure::DynamicLibrary::open(place);
  if (!library) return std::nullopt;
  ZstdTable table;
  if (!library->fill(table.entries())) return std::nullopt;
  std::string out(size, '\0');
  if (table.decompress(out.data(), size, bytes.data(), bytes.size()) != size) return std::nullopt;
  return out;
}

Result<KernelFile> byNvcc(const std::string& name, const std::string& architecture) {
  KernelFile file;
  TESSERA_TRY(file.text, compiledByNvcc(name, architecture, "ptx"));
  file.from = fmt::format("compiled by nvcc for {}", architecture);
  return file;
}

Result<KernelFile> byNvrtc(std::string_view source, const std::string& architecture, const Diag& refusal) {
  TESSERA_TRY(const measure::Nvrtc nvrtc, measure::Nvrtc::open());
  const std::string target = "compute_" + architecture.substr(3);
  auto compiled = nvrtc.compile(std::string(source), target, {}, {"--generate-line-info"});
  if (!compiled) {
    // The message is about generated code; this is the user's.
    const std::string& message = compiled.error().message;
    const std::size_t at = message.find(target + ": ");
    return Diag{fmt::format("NVRTC refuses this file: {}",
                            at == std::string::npos ? message : message.substr(at + target.size() + 2)),
                "CUDA C++ that NVRTC compiles: it has no headers of the host, such as <cstdio>", refusal.hint};
  }
  KernelFile file;
  file.text = std::move(compiled->image);
  file.text.resize(std::min(file.text.find('\0'), file.text.size()));  // NVRTC ends PTX with a zero
  file.from = fmt::format("compiled by NVRTC {} for {}", nvrtc.version(), architecture);
  return file;
}

Result<KernelFile> compiled(std::string_view source, const std::string& name, const KernelFileOptions& options,
                            const Diag& refusal) {
  const std::string architecture = options.architecture.empty() ? architectureFor(source) : options.architecture;
  if (!options.runsTools) return Diag{"this is CUDA C++, and no compiler is run here", refusal.expected, refusal.hint};
  std::error_code ignored;
  if (!toolPath("nvcc").empty() && fs::is_regular_file(name, ignored)) return byNvcc(name, architecture);
  if (measure::Nvrtc::open()) return byNvrtc(source, architecture, refusal);
  return Diag{"this is CUDA C++, and there is neither nvcc nor NVRTC here", refusal.expected, refusal.hint};
}

}  // namespace

Result<KernelFile> openKernel(std::string_view bytes, const std::string& name, const KernelFileOptions& options,
                              std::string& text) {
  KernelFile out;
  text.clear();
  auto found = ptx::ptxIn(bytes, name, unpackedZstd);
  if (found) {
    out.text = std::move(found->text);
    out.from = std::move(found->from);
  } else if (ptx::isCudaSource(bytes, name)) {
    TESSERA_TRY(out, compiled(bytes, name, options, found.error()));
  } else {
    const std::string cuobjdump = toolPath("cuobjdump");
    if (cuobjdump.empty() || !options.runsTools) return found.error();
    TESSERA_TRY(const ToolRun ran, runTool({cuobjdump, "-ptx", name}));
    auto printed = ptx::ptxIn(ran.output, "cuobjdump");
    if (!printed || printed->text.find(".version") == std::string::npos) return found.error();
    out.text = std::move(printed->text);
    out.from = "printed by cuobjdump";
  }
  text = out.text;
  TESSERA_TRY(out.module, ptx::read(out.text));
  // NVRTC compiles a text without a name.
  if (out.from.starts_with("compiled by NVRTC"))
    for (auto& [number, file] : out.module.files)
      if (file.ends_with(measure::kNvrtcName)) file = name;
  return out;
}

}  // namespace tessera
