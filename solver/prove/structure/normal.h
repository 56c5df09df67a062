// Normal: expressions over a box, rewritten as Forms over mixed-radix parts of the digits.
//
// A digit that is divided is split, so divisions of a flat index disappear:
//
//     x in [0,32):  (x mod 4) * 8 + x floordiv 4
//     parts         x = p0 + 4 * p1,  p0 in [0,4),  p1 in [0,8)
//     form          8 * p0 + p1
//
// Uneven splits (x in [0,30) by 4) widen the box: p1 in [0,8) and the constraint p0 + 4*p1 <= 29 remains. A division
// that does not resolve stays as an atom q with its defining inequality c*q <= a < c*(q+1); an xor stays as an atom
// over two Forms. min(x, y) is y + min(x - y, 0) and max(x, y) is x + y - min(x, y), so one kind of atom serves both.
// The linear provers, the F2-free part of the ladder and the Z3 encodings all work on this form.
//
// Law: for every point of the box, evaluating form k at the parts of the point gives evaluate(exprs[k]).
// Why not core/expr's simplifier: the provers need the splits and the atoms themselves, and an independent normaliser
// is a second opinion on the first.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/map/map.h"

namespace tessera::prover {

// A Form is a polynomial with 64-bit coefficients over numbered atoms, the normal form used by the provers.
//
//     d0 * 8 + d1          {[0]: 8, [1]: 1}
//     i * S + j            {[i, S]: 1, [j]: 1}         a symbolic stride is one more atom
//
// Two expressions with the same Form are equal at every point; the converse holds for polynomials, but not across the
// opaque atoms (a floordiv that does not resolve, an xor), so "different forms" proves nothing by itself.
__extension__ typedef __int128 i128;

using Monomial = std::vector<int>;  // atom numbers, ascending, repeats allowed; empty is the constant

struct Form {
  std::map<Monomial, i64> terms = {};  // no zero coefficients

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

enum class AtomKind : unsigned char {
  Part,      // p of a digit, in [0, hi]
  Param,     // symbolic size
  Quotient,  // floor(a / b), b > 0
  Xor,       // a xor b
  Negative,  // min(a, 0)
};

struct Atom {
  AtomKind kind = AtomKind::Part;
  Interval range = {};
  Form a = {}, b = {};  // Quotient, Xor; Negative has no b
  int source = -1;      // Part: digit number; Param: parameter number
  i64 weight = 1;       // Part: its place value in the digit
  bool top = false;     // Part: the most significant one
};

// form <= hi at every real point of the box.
struct Constraint {
  Form form;
  i64 hi = 0;
};

class Normal {
 public:
  // nullopt if a coefficient overflows 64 bits or the sign of a divisor is unknown.
  [[nodiscard]] static std::optional<Normal> create(std::span<const Digit> digits, std::span<const Param> params,
                                                    std::span<const Expr> exprs);

  [[nodiscard]] const std::vector<Atom>& atoms() const { return atoms_; }
  [[nodiscard]] const std::vector<Form>& forms() const { return forms_; }               // form k is exprs[k]
  [[nodiscard]] const std::vector<Form>& digitForms() const { return digitForms_; }     // digit k over its parts
  [[nodiscard]] const std::vector<Constraint>& constraints() const { return uneven_; }  // from uneven splits
  [[nodiscard]] bool isPart(int atom) const { return atoms_[atom].kind == AtomKind::Part; }

  // The range over the box of parts: exact for linear forms over parts only, otherwise an enclosure.
  [[nodiscard]] Interval range(const Form& form) const;

  // Whether every form is linear over parts only.
  [[nodiscard]] bool isStrided(std::span<const Form> forms) const;
  // Digit values of a point given by a value for each atom (only parts are read).
  [[nodiscard]] std::vector<i64> digitsAt(std::span<const i64> atomValues) const;

 private:
  struct Builder;
  std::vector<Atom> atoms_;
  std::vector<Form> forms_;
  std::vector<Form> digitForms_;
  std::vector<Constraint> uneven_;
};

}  // namespace tessera::prover
