// FormParts: takes normal forms of an Algebra apart, and puts other forms for their inputs.
//
//     FormParts parts(algebra);
//     parts.inputs(x*y + exp(z))                         x, y, z
//     parts.factors(the monomial x^2 * exp(y - z))       x^2, exp(y), exp(-z)
//     parts.replaced(x*y + 1, f)                         f(x)*f(y) + 1, in normal form
//
// Law: the product of the factors of a monomial is the monomial. replaced(x, f) has the value that x has if each input
// v has the value of f(v).
#pragma once

#include <functional>
#include <vector>

#include "solver/emulate/equality/algebra.h"

namespace tessera::graphene {

class FormParts {
 public:
  using Id = Algebra::Id;
  using Form = std::function<Id(Terms::Value)>;
  explicit FormParts(Algebra& algebra) : of_(algebra) {}

  // Each once, in ascending order.
  [[nodiscard]] std::vector<Terms::Value> inputs(Id x) const;
  [[nodiscard]] std::vector<Id> factors(Id monomial);
  [[nodiscard]] Id replaced(Id x, const Form& form) {
    std::unordered_map<Id, Id> known;
    return replaced(x, form, known);
  }
  // The number of values so far that no law covers, as exp(1000). Each is equal only to itself.
  [[nodiscard]] Id opaques() const { return of_.nextOpaque_; }

 private:
  [[nodiscard]] Id replaced(Id x, const Form& form, std::unordered_map<Id, Id>& known);
  [[nodiscard]] Id power(Id atom, int power);

  Algebra& of_;
};

}  // namespace tessera::graphene
