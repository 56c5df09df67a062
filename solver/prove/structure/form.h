// Form: a polynomial with 64-bit coefficients over numbered atoms, the normal form used by the provers.
//
//     d0 * 8 + d1          {[0]: 8, [1]: 1}
//     i * S + j            {[i, S]: 1, [j]: 1}         a symbolic stride is one more atom
//
// Two expressions with the same Form are equal at every point; the converse holds for polynomials, but not across the
// opaque atoms (a floordiv that does not resolve, an xor), so "different forms" proves nothing by itself.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/base/types.h"

namespace tessera::prover {

__extension__ typedef __int128 i128;

using Monomial = std::vector<int>;  // atom numbers, ascending, repeats allowed; empty is the constant

struct Form {
  std::map<Monomial, i64> terms;  // no zero coefficients

  [[nodiscard]] static Form constant(i64 value);
  [[nodiscard]] static Form atom(int number);
  [[nodiscard]] i64 constantTerm() const;
  [[nodiscard]] bool isConstant() const;
  [[nodiscard]] bool isLinear() const;  // no monomial of degree > 1
  bool operator==(const Form&) const = default;
  auto operator<=>(const Form&) const = default;
};

// form += coefficient * monomial, in place; false on overflow. The others return nullopt if and only if a coefficient
// overflows 64 bits (or, for product, there are more than 4096 terms).
[[nodiscard]] bool accumulate(Form& form, const Monomial& monomial, i64 coefficient);
[[nodiscard]] std::optional<Form> sum(const Form& a, const Form& b);
[[nodiscard]] std::optional<Form> scaled(const Form& a, i64 factor);
[[nodiscard]] std::optional<Form> product(const Form& a, const Form& b);

struct Interval {
  i128 lo = 0;
  i128 hi = 0;
  [[nodiscard]] bool inside(i128 low, i128 high) const { return lo >= low && hi <= high; }
};
// Saturate at about 2^120, so that chains of operations cannot wrap.
[[nodiscard]] Interval operator+(Interval a, Interval b);
[[nodiscard]] Interval operator*(Interval a, Interval b);
[[nodiscard]] i128 floorDivWide(i128 a, i128 b);

}  // namespace tessera::prover
