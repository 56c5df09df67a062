// Normal forms as Z3 terms: integers (QF_LIA, QF_NIA) or bit-vectors (QF_BV) wide enough that nothing wraps.
//
// A Copy is one point: a variable for each part (and for each quotient that needs one); parameters are shared by all
// copies. Its facts state that the point is in the box: ranges, c*q <= a < c*(q+1) for quotients, uneven splits.
#pragma once

#include <z3++.h>

#include <optional>
#include <string>
#include <vector>

#include "solver/prove/structure/normal.h"

namespace tessera::prover {

enum class Z3Sort : unsigned char { Integers, Bits };

class Z3Encoding {
 public:
  using Copy = std::vector<z3::expr>;  // a term per atom

  // Requires of bits: widthFor(normal).
  Z3Encoding(z3::context& context, const Normal& normal, Z3Sort sort);

  // The width in bits that holds every value and partial sum of the normal form; nullopt above 118.
  [[nodiscard]] static std::optional<unsigned> widthFor(const Normal& normal);
  [[nodiscard]] static bool hasXor(const Normal& normal);
  [[nodiscard]] static bool isLinear(const Normal& normal);
  [[nodiscard]] static const char* logicFor(const Normal& normal, Z3Sort sort);

  [[nodiscard]] Copy copy(const std::string& suffix, z3::expr_vector& facts);
  [[nodiscard]] z3::expr form(const Form& f, const Copy& at) const;
  [[nodiscard]] z3::expr constant(i128 value) const;
  // lo <= f <= hi, without the sides already implied by its range.
  [[nodiscard]] z3::expr within(const Form& f, i64 lo, i64 hi, const Copy& at) const;

 private:
  z3::expr variable(const std::string& name, const Interval& range, z3::expr_vector& facts) const;
  z3::expr quotient(const Atom& atom, const std::string& name, const Copy& at, z3::expr_vector& facts) const;

  z3::context& context_;
  const Normal& normal_;
  Z3Sort sort_;
  unsigned width_;
  std::vector<std::optional<z3::expr>> params_;  // by atom number, shared between copies
};

// The value of an integer or bit-vector term in a model; nullopt if it exceeds 64 bits.
[[nodiscard]] std::optional<i64> valueIn(const z3::model& model, const z3::expr& term);
// The same for the parts and parameters of a copy, by atom; -1 if it exceeds, 0 for other atoms.
[[nodiscard]] std::vector<i64> atomValues(const Normal& normal, const z3::model& model, const Z3Encoding::Copy& at);

}  // namespace tessera::prover
