// The run-time compiler: its log, its errors with lines, its targets; and the real one if there is one.
#include <catch2/catch.hpp>

#include "measure/fakes.h"
#include "solver/measure/device/nvrtc.h"

using namespace tessera;
using namespace tessera::measure;

namespace {

// As NVRTC 13.0 writes them.
constexpr const char* kErrors =
    "kernel.cu(3): warning #177-D: variable \"unused\" was declared but never referenced\n"
    "    int unused;\n        ^\n\n"
    "kernel.cu(12): error: identifier \"x\" is undefined\n      y[i] = x;\n             ^\n\n"
    "kernel.cu(14): error #20: expected a \";\"\n    }\n    ^\n\n"
    "2 errors detected in the compilation of \"kernel.cu\".\n";
constexpr const char* kResources =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'gemm' for 'sm_80'\n"
    "ptxas info    : Function properties for gemm\n"
    "    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
    "ptxas info    : Used 232 registers, used 1 barriers, 16384 bytes smem, 388 bytes cmem[0]\n"
    "ptxas info    : Compiling entry function 'copy' for 'sm_80'\n"
    "ptxas info    : Used 12 registers, 360 bytes cmem[0]\n";

}  // namespace

TEST_CASE("errors are read with their lines; warnings are none") {
  const std::vector<CompileError> errors = errorsOf(kErrors);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].line == 12);
  CHECK(errors[0].message == "identifier \"x\" is undefined");
  CHECK(errors[1].line == 14);
  CHECK(errors[1].message == "expected a \";\"");
  CHECK(errorsOf("").empty());
  CHECK(errorsOf("nothing of the kind\n(): error\n").size() <= 1);
  const auto ptxas = errorsOf("ptxas application ptx input, line 9; error   : Instruction 'wgmma' not supported\n");
  REQUIRE(ptxas.size() == 1);
  CHECK(ptxas[0].line == 0);
  CHECK(ptxas[0].message == "Instruction 'wgmma' not supported");
}

TEST_CASE("registers, spills and shared memory of every kernel are read") {
  const std::vector<Resources> all = resourcesOf(kResources);
  REQUIRE(all.size() == 2);
  CHECK(all[0] == Resources{"gemm", 232, 16384, 16, 8, 4, 1});
  CHECK(all[1] == Resources{"copy", 12, 0, 0, 0, 0, 0});
  CHECK(resourcesOf("").empty());
}

TEST_CASE("a compile error names the generated line and the statement that it came from") {
  std::string text;
  std::vector<Span> lines;
  for (std::size_t k = 1; k <= 20; ++k) {
    text += "line " + std::to_string(k) + "\n";
    lines.push_back({100 * k, 100 * k + 7});
  }
  const Diag diag = compileDiag(kErrors, text, lines, "sm_80");
  CHECK(
      diag.message.find("line 12 of the generated code for sm_80: identifier \"x\" is undefined (and 1 more error)") !=
      std::string::npos);
  CHECK(diag.message.find("12 | line 12") != std::string::npos);
  CHECK(diag.span == Span{1200, 1207});
  // Fewer lines than the compiler names: no place, and no crash.
  CHECK(compileDiag(kErrors, "one line\n", lines, "sm_80").span.empty());
  CHECK(compileDiag(kErrors, text, {}, "sm_80").span.empty());
  CHECK(compileDiag("", "", {}, "sm_80").message.find("it gives no reason") != std::string::npos);
}

TEST_CASE("the fake compiler's errors come out with their place") {
  const Fakes fakes;
  const auto nvrtc = Nvrtc::open();
  REQUIRE(nvrtc.ok());
  const codegen::CudaSource source = moveSource("copy", "SYNTAX error;");
  const auto compiled = nvrtc->compile(source.text, "sm_80", source.lines);
  REQUIRE_FALSE(compiled.ok());
  CHECK(compiled.error().message.find("line 3 of the generated code") != std::string::npos);
  CHECK(compiled.error().span == Span{30, 40});
  const Fakes poor("compiler-memory");
  const auto failed = nvrtc->compile(source.text, "sm_80");
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message.find("NVRTC_ERROR_OUT_OF_MEMORY") != std::string::npos);
}

TEST_CASE("what a text is compiled for") {
  const Fakes fakes;  // knows 75 80 86 90
  const auto nvrtc = Nvrtc::open();
  REQUIRE(nvrtc.ok());
  const auto target = [&](const char* needed, const char* device) {
    const auto result = nvrtc->target(needed, device);
    return result ? *result : "refused: " + result.error().message;
  };
  CHECK(target("sm_80", "sm_80") == "sm_80");
  CHECK(target("sm_80", "sm_90") == "sm_90");
  CHECK(target("sm_90a", "sm_90") == "sm_90a");
  CHECK(target("sm_80", "sm_89") == "compute_86");  // the newest that is known, as PTX
  CHECK(target("sm_80", "sm_120") == "compute_90");
  CHECK(target("sm_80", "sm_75") == "refused: the code is for sm_80, but this device is sm_75");
  CHECK(target("sm_90a", "sm_100") == "refused: the code is for sm_90a, but this device is sm_100");
  CHECK(target("sm_70", "sm_70") == "refused: NVRTC 12.4 no longer compiles for sm_70: it knows 75 80 86 90");
  CHECK(target("nonsense", "sm_80") == "refused: 'nonsense' is not an architecture");
  CHECK(numberOf("sm_100a") == 100);
  CHECK(numberOf("compute_86") == 86);
  CHECK(numberOf("gfx942") == 0);
}

TEST_CASE("NVRTC of this machine compiles, reports resources, and refuses with a line") {
  const auto nvrtc = Nvrtc::open();
  if (!nvrtc) {
    WARN("skipped: " + nvrtc.error().message);
    return;
  }
  const std::string text =
      "#include <cuda_fp16.h>\n"
      "extern \"C\" __global__ void __launch_bounds__(64) copy(const half* __restrict__ x, half* y) {\n"
      "  __shared__ half s[64];\n  s[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n"
      "  y[threadIdx.x] = s[63 - threadIdx.x];\n}\n";
  for (const char* const architecture : {"sm_80", "sm_90a"}) {
    const auto compiled = nvrtc->compile(text, architecture);
    INFO((compiled ? "" : compiled.error().message));
    REQUIRE(compiled.ok());
    CHECK(compiled->image.substr(1, 3) == "ELF");
    REQUIRE(compiled->resources.size() == 1);
    CHECK(compiled->resources[0].kernel == "copy");
    CHECK(compiled->resources[0].sharedBytes == 128);
    CHECK(compiled->resources[0].spillStores == 0);
    CHECK(compiled->resources[0].registers > 0);
  }
  const auto ptx = nvrtc->compile(text, "compute_80");
  REQUIRE(ptx.ok());
  CHECK(ptx->image.find(".visible .entry copy") != std::string::npos);
  std::string wrong = text;
  wrong.replace(wrong.find("s[63"), 1, "t");
  std::vector<Span> lines(7);
  lines[5] = {40, 50};
  const auto refused = nvrtc->compile(wrong, "sm_80", lines);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("line 6 of the generated code for sm_80: identifier \"t\" is undefined") !=
        std::string::npos);
  CHECK(refused.error().span == Span{40, 50});
  const auto unknown = nvrtc->compile(text, "sm_1");
  REQUIRE_FALSE(unknown.ok());
}
