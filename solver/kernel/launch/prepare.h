// A launch as text, made ready to run: the entry, its shape and its arguments.
//
//     LaunchText text{.grid = "4", .block = "128"};
//     text.arguments = {"f32[512]", "_", "int32:500"};
//     prepare(module, text, readFile)      Launch{"add", {4,1,1}, {128,1,1}, ...}, and each argument with its name
//
// Errors: no such entry, a shape that .reqntid forbids, an argument that does not fit its parameter.
#pragma once

#include <string>
#include <vector>

#include "solver/kernel/launch/arguments.h"

namespace tessera::kernel {

struct LaunchText {
  std::string entry;                       // empty: the only one
  std::string grid = "1", block, cluster;  // "4,2,1"; empty: as the entry requires, else 1
  i64 shared = 0;                          // bytes of dynamic shared memory
  std::vector<std::string> arguments;      // arguments.h
  u64 seed = 1;
  i64 steps = i64{1} << 33;  // thread instructions
};

struct Prepared {
  const ptx::Function* entry = nullptr;  // of the module
  Launch launch;
  std::vector<Given> given;  // by parameter
};

[[nodiscard]] Result<Prepared> prepare(const ptx::Module& module, const LaunchText& text, const ReadBytes& read);

}  // namespace tessera::kernel
