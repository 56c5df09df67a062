// Algebra: decides by a normal form whether two terms (solver/emulate/terms.h) are the same function of real numbers.
//
//     exp(x - m) * exp(m - n)        exp(x - n)                          exp(x + y) = exp(x) exp(y)
//     exp(x - m) / (exp(x - m) + exp(y - m))     exp(x) / (exp(x) + exp(y))     common factors leave a sum
//     (a*r) * v + (b*r) * v          (a*v + b*v) * r                     x(y + z) = xy + xz
//     max(x, max(y, x), -inf)        max(x, y)
//
// A normal form is a polynomial: a sum of coefficients times monomials. A monomial is a product of powers of atoms
// times one exp(polynomial). Atoms are inputs, operations without a law here (tanh of a polynomial, sqrt), sets under
// max or min, and sums that are divisors or are multiplied by another sum. Products of two sums are not expanded, so a
// variance over 256 values stays 256 squares. This form is enough to prove online softmax, attention and layernorm
// equal to their plain formulas.
//
// Law: equal(a, b) implies that a and b have the same value wherever both are defined (no division by zero), over the
// real numbers extended by -inf, with exp(-inf) = 0. No algebra that terminates satisfies the converse: unequal means
// nothing. Rounding, the order of sums and overflow are ignored. Coefficients are compared to 40 bits.
#pragma once

#include <unordered_set>

#include "core/base/types.h"
#include "solver/emulate/flat_index.h"
#include "solver/emulate/terms.h"

namespace tessera::graphene {

class Algebra {
 public:
  explicit Algebra(Terms& terms);

  // Consumes budget.
  [[nodiscard]] bool equal(Terms::Value a, Terms::Value b) { return of(a) == of(b); }
  // From now on `v` is an atom. What is equal then is equal for every value of `v`.
  void close(Terms::Value v) {
    if (!knows(v)) known_.emplace(v, atom(AtomKind::Input, 0, {v}));
  }
  // Whether its normal form is known.
  [[nodiscard]] bool knows(Terms::Value v) const { return known_.count(v) != 0; }

  // Normal forms by number, for callers that reason about a part of them. Equal numbers: equal forms.
  using Id = std::uint32_t;
  [[nodiscard]] Id of(Terms::Value v);
  [[nodiscard]] Id of(const Terms::Sum& sum);
  [[nodiscard]] Id plus(Id x, Id y, double times);  // x + times * y
  [[nodiscard]] Id product(Id x, Id y);
  [[nodiscard]] Id opaque() { return atom(AtomKind::Input, -1, {nextOpaque_++}); }  // a new atom
  // From now on `v` has this form. What is equal then is equal if `v` has.
  void is(Terms::Value v, Id form) { known_[v] = form; }
  // No form is known any more; the numbers stay valid.
  void forget() { known_.clear(); }
  // x = exp(sum of number * atom) * rest, over closed atoms that all summands of x have alike.
  struct Scaled {
    std::vector<std::pair<Terms::Value, double>> exponents;
    Id scale = 0, rest = 0;
  };
  [[nodiscard]] Scaled scaled(Id x, const std::unordered_set<Terms::Value>& closed);
  // exp(sum of number * atom).
  [[nodiscard]] Id exp(const std::vector<std::pair<Terms::Value, double>>& exponents);
  // Its monomials, by number, with their coefficients.
  [[nodiscard]] std::span<const std::pair<Id, double>> summands(Id x) const { return polynomials_[x]; }
  // Whether one of these closed values occurs in it.
  [[nodiscard]] bool mentions(Id x, const std::unordered_set<Terms::Value>& closed) const;
  [[nodiscard]] Id constant(double value);
  // By the names of operations; + * max min are `plus`, `product` and `set`.
  [[nodiscard]] Id unary(const std::string& name, Id x);
  [[nodiscard]] Id binary(const std::string& name, Id x, Id y);
  [[nodiscard]] Id set(bool most, const std::vector<Id>& of);
  [[nodiscard]] bool isConstant(Id x) const;
  [[nodiscard]] double numberOf(Id x) const;  // Requires: isConstant(x)

  // Number of monomials so far, about 60 bytes each.
  [[nodiscard]] std::size_t size() const { return monomials_.size(); }
  // The laws applied so far, in words: "x(y + z) = xy + xz".
  [[nodiscard]] std::vector<std::string> laws() const;
  // Those of another algebra count as applied here.
  void addLaws(const Algebra& other) { laws_ |= other.laws_; }

 private:
  friend class FormParts;  // form_parts.h
  enum Law : unsigned {
    kDistributes = 1,
    kExponents = 2,
    kCancels = 4,
    kRelu = 8,
    kRoots = 16,
    kPowers = 32,
    kSigmoid = 64
  };
  enum class AtomKind : unsigned char { Input, Unary, Binary, Set, Sum };

  using Factor = std::pair<Id, int>;  // atom number, power
  struct Monomial {                   // number 0: one
    std::size_t begin = 0;            // of its factors in pool_, by ascending atom
    std::uint32_t count = 0;
    Id exponent = 0;       // exp of this polynomial
    bool expands = false;  // one sum is a factor, with power 1: expand it
  };
  using Polynomial = std::vector<std::pair<Id, double>>;  // by monomial number; polynomial 0: zero
  struct Content {                                        // factorization of a polynomial: number * monomial * rest
    double number = 1;
    Id monomial = 0, rest = 0;
  };
  using Sum = std::vector<std::pair<Id, double>>;  // summands in any order, with repetitions

  [[nodiscard]] Id compute(Terms::Value v, const Terms::Sum& sum);
  [[nodiscard]] Id atom(AtomKind kind, int operation, std::vector<Id> parts, int power = 1);
  [[nodiscard]] Id exp(Id x);
  [[nodiscard]] Id inverse(Id x);
  [[nodiscard]] Content content(Id x);
  // The powers and exponents common to all monomials of `x`.
  [[nodiscard]] Id shared(Id x);
  [[nodiscard]] Id times(Id a, Id b);  // of monomials
  [[nodiscard]] Id inverseOf(Id monomial);
  // A sum in the denominator of `monomial` that divides `x`; -1: none.
  [[nodiscard]] i64 cancels(Id monomial, Id x);

  void add(Sum& sum, Id x, double times, Id monomial = 0);
  void expand(Sum& sum);
  [[nodiscard]] Id summed(Sum& sum);
  [[nodiscard]] Id scaled(Id x, double times, Id monomial = 0);
  [[nodiscard]] Id intern(Polynomial p);
  [[nodiscard]] Id intern(const std::vector<Factor>& factors, Id exponent);
  [[nodiscard]] std::span<const Factor> factorsOf(Id m) const {
    return {pool_.data() + monomials_[m].begin, monomials_[m].count};
  }

  Terms& terms_;
  std::vector<Polynomial> polynomials_;
  std::vector<Monomial> monomials_;
  struct AtomRow {
    AtomKind kind;
    int operation;
    std::vector<Id> parts;
  };
  std::vector<AtomRow> atoms_;
  std::vector<Factor> pool_, scratch_;
  FlatIndex polynomialOf_, monomialOf_;
  struct Products {  // of two monomials
    struct Row {
      Id a, b, product;
    };
    std::vector<Row> rows;
    FlatIndex at;
  };
  Products products_;
  std::map<std::pair<std::pair<int, int>, std::vector<Id>>, Id> atomOf_;
  std::unordered_map<Id, Content> contents_;
  std::unordered_map<Terms::Value, Id> known_;
  Id nextOpaque_ = 0;
  unsigned laws_ = 0;
};

}  // namespace tessera::graphene
