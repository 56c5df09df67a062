// LinearForm: an integer expression as a sum of coefficients times monomials, the language of certificates.
//
//     128*block0 + (thread0*8 + 3) * 2        128*$block0 + 16*$thread0 + 6
//     (8*q + x) floordiv 8                    q + floor((x)/8)               floor((x)/8) is an atom
//     x mod 8                                 x - 8*floor((x)/8)
//     (x floordiv 8 + 1) floordiv 4           floor((x + 8)/32)
//     M * (N + 1)                             M + M*N                        M*N is a monomial
//
// An atom is a variable or the floor of a form by a number. Coefficients inside a floor are in [0, divisor), because
// floor((d*a + b)/d) = a + floor(b/d). So each expression has one form, whoever computes it: the checker of
// certificates computes it again from the text of the program, and compares texts.
//
// Law: the form has the value of the expression at all values of the variables, and floor((e)/d) is the one integer q
// with 0 <= e - d*q < d (definitions()).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/expr/expr.h"

namespace tessera::graphene {

using Monomial = std::vector<std::string>;  // sorted atoms; empty: 1

struct LinearForm {
  std::map<Monomial, i64> terms;  // no coefficient is 0
  bool operator==(const LinearForm&) const = default;
  [[nodiscard]] i64 constant() const;
};

// Forms of expressions over named digits. It keeps what its atoms mean.
class LinearForms {
 public:
  explicit LinearForms(const std::vector<std::string>& digits) : digits_(digits) {}

  // nullopt: xor, min, max, a divisor that is no positive number, a parameter, or numbers beyond 64 bits.
  [[nodiscard]] std::optional<LinearForm> of(const Expr& e);
  // With these forms for variables. A checker must substitute in the same order: two nested floors have several forms.
  [[nodiscard]] std::optional<LinearForm> substituted(const LinearForm& form,
                                                      const std::map<std::string, LinearForm>& values);
  // The two inequalities (form >= 0) that define each atom in the forms, and each atom in those. For two floors of one
  // form, also that the coarser one is the floor of the finer one: 0 <= floor(x/8) - 4*floor(x/32) <= 3.
  [[nodiscard]] std::vector<LinearForm> definitions(const std::vector<LinearForm>& forms) const;

 private:
  struct Floor {
    LinearForm of;
    i64 by = 1;
  };
  [[nodiscard]] std::optional<LinearForm> at(const Expr& e, int depth);
  [[nodiscard]] std::optional<LinearForm> floor(const LinearForm& e, i64 by);

  const std::vector<std::string>& digits_;
  std::map<std::string, Floor> floors_;
};

// "128*M*N + 16*$thread0 + 6": the terms sorted as texts, the constant last; "0".
[[nodiscard]] std::string print(const LinearForm& form);
[[nodiscard]] std::string print(const Monomial& monomial);
// nullopt: beyond 64 bits, or too many terms.
[[nodiscard]] std::optional<LinearForm> product(const LinearForm& a, const LinearForm& b);
// a + b * times; nullopt beyond 64 bits.
[[nodiscard]] std::optional<LinearForm> sum(const LinearForm& a, const LinearForm& b, i64 times);

}  // namespace tessera::graphene
