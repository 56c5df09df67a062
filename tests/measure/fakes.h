// Points the runner at the fake libraries with a given behaviour, until the end of the block.
#pragma once

#include <cstdlib>
#include <string>

#include "core/graphene/program.h"
#include "measure/fake/fake.h"
#include "solver/measure/runner.h"

namespace tessera::measure {

class Fakes {
 public:
  explicit Fakes(const std::string& behaviour = "", const std::string& cuda = FAKE_CUDA);
  // A driver without graphs.
  [[nodiscard]] static std::string plainCuda();
  ~Fakes();
  Fakes(const Fakes&) = delete;
  Fakes& operator=(const Fakes&) = delete;
  // Of the driver in this process.
  [[nodiscard]] int live() const;  // objects that were not given back
  [[nodiscard]] int launches() const;
  [[nodiscard]] double durations() const;   // of the kernels of all launches, in microseconds
  [[nodiscard]] int copies() const;         // different first arguments of launches
  [[nodiscard]] int dynamicShared() const;  // bytes of the last launch
  void add(const std::string& name, FakeKernel kernel) const;

 private:
  std::string cuda_;
};

// `%y <- Move(%x)` of 64 halves, and a text with a kernel of that name.
[[nodiscard]] graphene::Program moveProgram();
[[nodiscard]] codegen::CudaSource moveSource(const std::string& kernel, const std::string& body = "y[i] = x[i];");

[[nodiscard]] graphene::Program programOf(const std::string& text);

}  // namespace tessera::measure
