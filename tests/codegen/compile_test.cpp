// If this machine has NVRTC, it compiles every program for every architecture that has its instructions, and the tuned
// kernels keep everything in registers. Nothing runs, so no device is needed.
#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <regex>

#include "programs.h"

namespace tessera::codegen {
namespace {

// NVRTC's entry points, opened at run time.
class Nvrtc {
 public:
  Nvrtc() {
    const char* own = std::getenv("TESSERA_NVRTC");
    for (const char* name : {own != nullptr ? own : "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                             "/usr/local/cuda/lib64/libnvrtc.so"})
      if (library_ == nullptr) library_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      why_ = "libnvrtc cannot be opened; TESSERA_NVRTC may name it";
      return;
    }
    const bool all = find(create, "nvrtcCreateProgram") && find(compile, "nvrtcCompileProgram") &&
                     find(logSize, "nvrtcGetProgramLogSize") && find(log, "nvrtcGetProgramLog") &&
                     find(destroy, "nvrtcDestroyProgram") && find(cubinSize, "nvrtcGetCUBINSize");
    Dl_info info{};
    if (!all || ::dladdr(reinterpret_cast<void*>(create), &info) == 0) {
      why_ = "this libnvrtc has not all functions";
      return;
    }
    for (auto folder = std::filesystem::weakly_canonical(info.dli_fname).parent_path(); folder.has_relative_path();
         folder = folder.parent_path())
      if (std::filesystem::exists(folder / "include" / "cuda_fp16.h")) {
        include_ = (folder / "include").string();
        return;
      }
    why_ = "there is no cuda_fp16.h beside " + std::string(info.dli_fname);
  }
  [[nodiscard]] const std::string& why() const { return why_; }

  struct Outcome {
    bool compiled = false;
    std::size_t bytes = 0;  // of the machine code
    std::string log;
  };
  [[nodiscard]] Outcome run(const std::string& text, const std::string& architecture) const {
    Outcome out;
    void* program = nullptr;
    if (create(&program, text.c_str(), "kernels.cu", 0, nullptr, nullptr) != 0) return out;
    const std::string arch = "--gpu-architecture=" + architecture, include = "--include-path=" + include_;
    const char* options[] = {arch.c_str(), include.c_str(), "--std=c++17", "--ptxas-options=--verbose"};
    out.compiled = compile(program, 4, options) == 0;
    std::size_t size = 0;
    (void)logSize(program, &size);
    out.log.resize(size);
    (void)log(program, out.log.data());
    if (out.compiled) (void)cubinSize(program, &out.bytes);
    (void)destroy(&program);
    return out;
  }

 private:
  template <typename F>
  bool find(F*& f, const char* name) {
    f = reinterpret_cast<F*>(::dlsym(library_, name));
    return f != nullptr;
  }
  void* library_ = nullptr;
  std::string include_, why_;
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*compile)(void*, int, const char* const*) = nullptr;
  int (*logSize)(void*, std::size_t*) = nullptr;
  int (*log)(void*, char*) = nullptr;
  int (*destroy)(void**) = nullptr;
  int (*cubinSize)(void*, std::size_t*) = nullptr;
};

// All programs whose leaves the architecture has, as one text: each in a namespace, its kernels named after it.
std::string together(const std::string& architecture, int& count) {
  std::string out = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n";
  auto programs = allPrograms();
  if (architecture == "sm_90a")  // products of a warpgroup are no other architecture's
    for (auto& program : programsBelow("assets/graphene/hopper")) programs.push_back(std::move(program));
  for (const auto& [name, text] : programs) {
    const auto source = emitText(text, architecture);
    if (!source) {  // only for want of instructions
      INFO(name << ": " << source.error().message);
      CHECK(architecture == "sm_75");
      CHECK(source.error().message.find("needs sm_80") != std::string::npos);
      continue;
    }
    ++count;
    std::string kernels = source->text;
    for (const Kernel& k : source->kernels)
      kernels = std::regex_replace(kernels, std::regex("\\b" + k.name + "\\("), name + "_" + k.name + "(");
    out += "namespace program_" + name + " {\n" + kernels + "}\n";
  }
  return out;
}

}  // namespace

TEST_CASE("NVRTC compiles every program for its architectures, with nothing spilled") {
  const Nvrtc nvrtc;
  if (!nvrtc.why().empty()) {
    WARN("skipped: " + nvrtc.why());
    return;
  }
  for (const char* architecture : {"sm_75", "sm_80", "sm_90a", "sm_100a"}) {
    int programs = 0;
    const std::string text = together(architecture, programs);
    const Nvrtc::Outcome outcome = nvrtc.run(text, architecture);
    INFO(architecture << ", " << programs << " programs\n" << outcome.log.substr(0, 4000));
    REQUIRE(outcome.compiled);
    CHECK(outcome.bytes > 0);
    CHECK(programs >= 25);
    CHECK(outcome.log.find("warning") == std::string::npos);
    CHECK(outcome.log.find("Potential Performance Loss") == std::string::npos);  // wgmma one after the other
    const std::regex frame("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores");
    int functions = 0;
    for (std::sregex_iterator m(outcome.log.begin(), outcome.log.end(), frame), end; m != end; ++m, ++functions) {
      CHECK((*m)[1] == "0");
      CHECK((*m)[2] == "0");
    }
    CHECK(functions >= programs);
  }
}

}  // namespace tessera::codegen
