// The starting point of the references' tests: a program of the library, and the inputs of a run.
#pragma once

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "measure/fakes.h"

namespace tessera::measure {

inline std::shared_ptr<const graphene::Program> library(const std::string& name) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/assets/graphene/" + name + ".graphene");
  std::stringstream text;
  text << in.rdbuf();
  return std::make_shared<const graphene::Program>(programOf(text.str()));
}

// The launches of a program without a kernel's text: every top-level specification reads and writes what it names.
inline Inputs inputsOf(const graphene::Program& program, const std::map<std::string, i64>& sizes, i64 blocks,
                       i64 threads) {
  codegen::CudaSource source;
  codegen::Kernel kernel;
  kernel.name = "k";
  kernel.blocks = Expr::constant(blocks);
  kernel.threads = threads;
  source.kernels = {kernel};
  auto launches = launchesOf(source, program, sizes);
  INFO((launches ? "" : launches.error().message));
  REQUIRE(launches.ok());
  auto inputs = Inputs::of(launches->operands, 5);
  REQUIRE(inputs.ok());
  return *std::move(inputs);
}

}  // namespace tessera::measure
