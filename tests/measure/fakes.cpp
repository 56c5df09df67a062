#include "measure/fakes.h"

#include <dlfcn.h>

#include <catch2/catch.hpp>

namespace tessera::measure {
namespace {

template <class F>
F* function(const std::string& cuda, const char* name) {
  void* library = ::dlopen(cuda.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = ::dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);  // a test without a driver
  REQUIRE(library != nullptr);
  return reinterpret_cast<F*>(::dlsym(library, name));
}

}  // namespace

std::string Fakes::plainCuda() {
  std::string out = FAKE_CUDA;
  return out.replace(out.rfind("fake_cuda"), std::string("fake_cuda").size(), "fake_cuda_plain");
}

Fakes::Fakes(const std::string& behaviour, const std::string& cuda) : cuda_(cuda) {
  ::setenv("TESSERA_LIBCUDA", cuda.c_str(), 1);
  ::setenv("TESSERA_LIBNVRTC", FAKE_NVRTC, 1);
  ::setenv("TESSERA_LIBCUBLASLT", FAKE_CUBLASLT, 1);
  ::setenv("TESSERA_FAKE", behaviour.c_str(), 1);
  function<void()>(cuda_, "fakeReset")();
}

Fakes::~Fakes() {
  for (const char* const name : {"TESSERA_LIBCUDA", "TESSERA_LIBNVRTC", "TESSERA_LIBCUBLASLT", "TESSERA_FAKE"})
    ::unsetenv(name);
}

int Fakes::live() const { return function<int()>(cuda_, "fakeLive")(); }
int Fakes::launches() const { return function<int()>(cuda_, "fakeLaunches")(); }
double Fakes::durations() const { return function<double()>(cuda_, "fakeDurations")(); }
int Fakes::copies() const { return function<int()>(cuda_, "fakeCopies")(); }
int Fakes::dynamicShared() const { return function<int()>(cuda_, "fakeDynamicShared")(); }
void Fakes::add(const std::string& name, FakeKernel kernel) const {
  function<void(const char*, FakeKernel)>(cuda_, "fakeRegister")(name.c_str(), kernel);
}

graphene::Program programOf(const std::string& text) {
  auto program = graphene::readProgram(text);
  INFO((program ? "" : program.error().message + " at " + text.substr(program.error().span.begin, 60)));
  REQUIRE(program.ok());
  return *std::move(program);
}

graphene::Program moveProgram() {
  return programOf(
      "%x : [64].fp16.GL\n%y : [64].fp16.GL\n#b : [1].block\n#t : [64].thread\n"
      "%y <- Move<<<#b, #t>>>(%x) {\n  (@i) = #t.indices()\n  %x1 = %x.tile([1:1])\n  %y1 = %y.tile([1:1])\n"
      "  %xi = %x1[@i]\n  %yi = %y1[@i]\n  %yi <- Move(%xi)\n}\n");
}

codegen::CudaSource moveSource(const std::string& kernel, const std::string& body) {
  codegen::CudaSource out;
  out.architecture = "sm_80";
  out.text = "extern \"C\" __global__ void " + kernel + "(const half* x, half* y) {\n  int i = threadIdx.x;\n  " +
             body + "\n}\n";
  out.lines = {{0, 0}, {10, 20}, {30, 40}, {0, 0}};
  codegen::Kernel k;
  k.name = kernel;
  k.params = {{"x", false, false, "fp16", Expr::constant(64)}, {"y", false, true, "fp16", Expr::constant(64)}};
  k.blocks = Expr::constant(1);
  k.threads = 64;
  out.kernels = {k};
  return out;
}

}  // namespace tessera::measure
