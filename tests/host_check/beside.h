// Beside: runs Graphene programs and their CUDA texts on the same inputs, the texts on the host and the programs in the
// emulator.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/codegen/kernel/kernel.h"
#include "host_program.h"
#include "support/emulate.h"

namespace tessera::host_check {

struct Case {
  std::string name;  // "gemm_simple"
  std::string text;  // of the program
  std::map<std::string, i64> sizes = {};
  std::string architecture = "sm_80";
};

struct Both {
  std::string wrong;  // what the host run reported, or why it could not be
  graphene::TensorValues inputs, host, emulated;
  std::vector<graphene::Finding> findings;  // of the emulator
};

// Numbers in [-1, 1] of the operands' types, all mantissa bits in use.
[[nodiscard]] graphene::TensorValues randomInputs(const Case& one, unsigned seed);

// Programs whose texts are compiled together.
class Beside {
 public:
  // Texts by the emitter, or by hand where `texts` has them (one for each case).
  explicit Beside(std::vector<Case> cases, std::vector<codegen::CudaSource> texts = {});

  [[nodiscard]] const std::string& wrong() const { return wrong_; }  // emitting or compiling: empty, it went well
  [[nodiscard]] const std::vector<Case>& cases() const { return cases_; }
  [[nodiscard]] const codegen::CudaSource& source(const std::string& name) const;
  // What the compiler had to say of all of them: warnings.
  [[nodiscard]] std::string messages() const { return program_ ? program_->messages() : ""; }
  [[nodiscard]] Both run(const std::string& name, const graphene::TensorValues& inputs, unsigned order = 0) const;

 private:
  [[nodiscard]] std::size_t find(const std::string& name) const;

  std::vector<Case> cases_;
  std::vector<codegen::CudaSource> sources_;
  std::string wrong_;
  std::unique_ptr<HostProgram> program_;
  mutable std::optional<std::pair<std::size_t, Both>>
      last_;  // the case that was emulated last, before its text was run
};

// The first element in which they differ, with both values; empty: none does. NaN equals NaN. `tolerance` is relative
// to the larger of 1 and the value.
[[nodiscard]] std::string difference(const graphene::TensorValues& a, const graphene::TensorValues& b,
                                     double tolerance = 0);

}  // namespace tessera::host_check
