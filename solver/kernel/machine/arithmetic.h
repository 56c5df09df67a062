// Arithmetic: the steps that compute registers from registers.
#pragma once

#include "solver/kernel/machine/findings.h"

namespace tessera::kernel {

class Arithmetic {
 public:
  Arithmetic(const Program& program, Findings& findings)
      : program_(program), findings_(findings), ways_(program.steps.size()) {}

  std::string compute(Warp& w, const Step& s, Mask mask);  // an Operation; a reason if it is not supported
  void pack(Warp& w, const Step& s, Mask mask) const;      // mov with vectors
  void convert(Warp& w, const Step& s, Mask mask) const;   // cvta, isspacep
  [[nodiscard]] const std::map<std::string, std::string>& bounds() const { return bounds_; }

 private:
  // Whether an operation may write to the registers at once, and not to scratch_.
  enum class Way : unsigned char { Unknown, Direct, Scratch };
  [[nodiscard]] const Lanes& in(const Warp& w, Place p) const { return sourceOf(program_, w, p); }
  Way wayOf(const Step& s, const Operation& op);
  void put(Warp& w, Place p, const Lanes& value, Mask mask) const;

  const Program& program_;
  Findings& findings_;
  std::map<std::string, std::string> bounds_;  // of inexact operations, by opcode
  std::vector<Lanes> scratch_;
  std::vector<Way> ways_;  // by step; found when it first runs
};

}  // namespace tessera::kernel
