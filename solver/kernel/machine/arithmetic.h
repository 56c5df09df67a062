// Arithmetic: the steps that compute registers from registers.
#pragma once

#include "solver/kernel/machine/findings.h"

namespace tessera::kernel {

class Arithmetic {
 public:
  Arithmetic(const Program& program, Findings& findings) : program_(program), findings_(findings) {}

  std::string compute(Warp& w, const Step& s, Mask mask);  // an Operation; a reason if it is not supported
  void pack(Warp& w, const Step& s, Mask mask) const;      // mov with vectors
  void convert(Warp& w, const Step& s, Mask mask) const;   // cvta, isspacep
  [[nodiscard]] const std::map<std::string, std::string>& bounds() const { return bounds_; }

 private:
  [[nodiscard]] const Lanes& in(const Warp& w, Place p) const { return sourceOf(program_, w, p); }
  void put(Warp& w, Place p, const Lanes& value, Mask mask) const;

  const Program& program_;
  Findings& findings_;
  std::map<std::string, std::string> bounds_;  // of inexact operations, by opcode
  std::vector<Lanes> scratch_;
};

}  // namespace tessera::kernel
