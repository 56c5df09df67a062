// Terms: the questions for a solver, over integers, bit-vectors and truth values.
//
//     Terms t;
//     const Term x = t.variable("d0_1", Sort::integer());
//     const Term in = t.all({t.atMost(t.number(0, x), x), t.atMost(x, t.number(7, x))});
//     smtText(t, {"QF_LIA", {in}})      ... (assert (and (<= 0 d0_1) (<= d0_1 7))) ... (solver/prove/smt/text.h)
//
// A Term is a number into its Terms; operands have lower numbers, so a loop over the numbers visits them first and a
// term can be used any number of times. It is no solver: solver/prove/z3 translates terms to Z3's, text.h writes them.
//
// Law: each function below means the SMT-LIB 2 operation named beside it. Requires of all: operands of one sort.
// Why our own: a build without Z3 (the web page) writes the same questions.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace tessera::prover::smt {

class Sort {
 public:
  [[nodiscard]] static constexpr Sort truth() { return Sort(-1); }
  [[nodiscard]] static constexpr Sort integer() { return Sort(0); }
  // Requires: width >= 1.
  [[nodiscard]] static constexpr Sort bits(int width) { return Sort(width); }
  [[nodiscard]] constexpr bool isTruth() const { return width_ < 0; }
  [[nodiscard]] constexpr bool isBits() const { return width_ > 0; }
  // 0 unless bits.
  [[nodiscard]] constexpr int width() const { return width_ > 0 ? width_ : 0; }
  bool operator==(const Sort&) const = default;

 private:
  explicit constexpr Sort(int width) : width_(width) {}
  int width_;
};

enum class TermKind : unsigned char {
  Variable,
  Number,
  Truth,
  Sum,
  Product,
  Negated,
  Xor,
  ShiftRight,
  Divided,
  Widened,
  AtMost,
  Below,
  UnsignedAtMost,
  Equal,
  Differ,
  Choice,
  All,
  Any,
  Not,
};

struct Term {
  int index = -1;
};

class Terms {
 public:
  // Requires: a letter, then letters, digits and '_', and a digit among them. No reserved word or function of SMT-LIB
  // that we use is like that, and texts of users are never names. A name is used once.
  Term variable(std::string name, Sort sort);
  // Modulo 2^width of bits. Requires: width <= 126.
  Term number(i128 value, Sort sort);
  Term number(i128 value, Term like) { return number(value, sort(like)); }
  Term truth(bool value);

  Term sum(std::vector<Term> terms);            // +, bvadd. Requires: one term or more, over bits at most two.
  Term product(Term a, Term b);                 // *, bvmul
  Term negated(Term a);                         // -, bvneg
  Term exclusiveOr(Term a, Term b);             // bvxor
  Term shiftedRight(Term a, Term by);           // bvashr
  Term divided(Term a, Term b);                 // bvudiv
  Term widened(Term a, int width);              // zero_extend to this width. Requires: at least a's.
  Term atMost(Term a, Term b);                  // <=, bvsle
  Term below(Term a, Term b);                   // <, bvslt
  Term unsignedAtMost(Term a, Term b);          // bvule
  Term equal(Term a, Term b);                   // =
  Term differ(Term a, Term b);                  // distinct
  Term choice(Term condition, Term a, Term b);  // ite
  Term all(std::vector<Term> conditions);       // and; true if there are none
  Term any(std::vector<Term> conditions);       // or; false if there are none
  Term opposite(Term condition);                // not

  [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] TermKind kind(Term t) const { return at(t).kind; }
  [[nodiscard]] Sort sort(Term t) const { return at(t).sort; }
  [[nodiscard]] std::span<const Term> operands(Term t) const;
  // Requires: a Number (as an integer, or in [0, 2^width)), or a Truth (0 or 1).
  [[nodiscard]] i128 value(Term t) const { return at(t).value; }
  // Requires: a Variable.
  [[nodiscard]] const std::string& name(Term t) const { return names_[static_cast<std::size_t>(at(t).value)]; }

  // Forgets all terms from number `size` on.
  void rewind(int size);

 private:
  struct Node {
    TermKind kind;
    Sort sort;
    std::size_t first, count;  // operands
    i128 value;
  };
  [[nodiscard]] const Node& at(Term t) const { return nodes_[static_cast<std::size_t>(t.index)]; }
  Term made(TermKind kind, Sort sort, std::initializer_list<Term> operands, i128 value = 0);
  Term made(TermKind kind, Sort sort, std::span<const Term> operands, i128 value = 0);
  // Of two operands of one sort.
  Term pair(TermKind kind, Sort sort, Term a, Term b);

  std::vector<Node> nodes_;
  std::vector<Term> operands_;
  std::vector<std::string> names_;
};

}  // namespace tessera::prover::smt
