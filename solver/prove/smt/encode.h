// Normal forms as terms: integers (QF_LIA, QF_NIA) or bit-vectors (QF_BV) wide enough that nothing wraps.
//
// A Copy is one point: a variable for each part (and for each quotient that needs one); parameters are shared by all
// copies. Its facts state that the point is in the box: ranges, c*q <= a < c*(q+1) for quotients, uneven splits.
//
//     x in [0,8) as 4*p1 + p0      variables d0_1 in [0,4), d0_4 in [0,2)      form(x) = d0_1 + 4*d0_4
//
// Law: a point of the box, and its values of the forms, are those of a solution of the facts, and the reverse.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solver/prove/smt/terms.h"
#include "solver/prove/structure/normal.h"

namespace tessera::prover::smt {

enum class Numbers : unsigned char { Integers, Bits };

class Encoding {
 public:
  using Copy = std::vector<Term>;  // a term per atom

  // Requires of bits: widthFor(normal).
  Encoding(Terms& terms, const Normal& normal, Numbers numbers);

  // The width in bits that holds every value and partial sum of the normal form; nullopt above 118.
  [[nodiscard]] static std::optional<int> widthFor(const Normal& normal);
  [[nodiscard]] static bool hasXor(const Normal& normal);
  [[nodiscard]] static bool isLinear(const Normal& normal);
  [[nodiscard]] static const char* logicFor(const Normal& normal, Numbers numbers);

  [[nodiscard]] Copy copy(const std::string& suffix, std::vector<Term>& facts);
  [[nodiscard]] Term form(const Form& f, const Copy& at) const;
  [[nodiscard]] Term constant(i128 value) const;
  // lo <= f <= hi, without the sides already implied by its range.
  [[nodiscard]] Term within(const Form& f, i64 lo, i64 hi, const Copy& at) const;

 private:
  [[nodiscard]] Sort sort() const { return numbers_ == Numbers::Bits ? Sort::bits(width_) : Sort::integer(); }
  Term variable(const std::string& name, const Interval& range, std::vector<Term>& facts) const;
  Term quotient(const Atom& atom, const std::string& name, const Copy& at, std::vector<Term>& facts) const;

  Terms& terms_;
  const Normal& normal_;
  Numbers numbers_;
  int width_;
  std::vector<std::optional<Term>> params_;  // by atom number, shared between copies
};

}  // namespace tessera::prover::smt
