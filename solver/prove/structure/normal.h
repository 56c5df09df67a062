// Normal: expressions over a box, rewritten as Forms over mixed-radix parts of the digits.
//
// A digit that is divided gets split, so that divisions of a flat index disappear:
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

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/map/map.h"
#include "solver/prove/structure/form.h"

namespace tessera::prover {

enum class AtomKind : unsigned char {
  Part,      // p of a digit, in [0, hi]
  Param,     // symbolic size
  Quotient,  // floor(a / b), b > 0
  Xor,       // a xor b
  Negative,  // min(a, 0)
};

struct Atom {
  AtomKind kind = AtomKind::Part;
  Interval range;
  Form a, b;         // Quotient, Xor; Negative has no b
  int source = -1;   // Part: digit number; Param: parameter number
  i64 weight = 1;    // Part: its place value in the digit
  bool top = false;  // Part: the most significant one
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
  [[nodiscard]] bool isPart(int atom) const { return atoms_[static_cast<std::size_t>(atom)].kind == AtomKind::Part; }

  // The range over the box of parts (exact for linear forms over parts alone, an enclosure otherwise).
  [[nodiscard]] Interval range(const Form& form) const;

  // Whether every form in use is linear over parts alone.
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
