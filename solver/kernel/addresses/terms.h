// Terms: bit-vector expressions of one generic thread, each stored once and simplified when made.
//
//     Terms t;
//     Term tid = t.variable("tid.x", 32, Scope::Thread), n = t.variable("n", 32, Scope::Uniform);
//     Term i = t.add(t.mul(tid, t.constant(4, 32)), t.constant(8, 32));     the sum 8 + 4 tid.x
//     t.add(i, t.mul(tid, t.constant(~u64{3}, 32)))                         the constant 8
//
// A sum is kept as a constant and multiples of distinct terms, so that equal addresses of that form are equal terms.
//
// Law: a term equals the operation that made it for every value of its variables, modulo 2^width (tests/kernel).
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/types.h"

namespace tessera::kernel {

using Term = std::int32_t;  // index of Terms

struct TermNode {
  enum class Op : unsigned char {
    Constant,  // value
    Variable,  // name
    Sum,       // value + sum of factors[k] * arguments[k]
    Mul,
    DivU,
    DivS,
    RemU,
    RemS,
    And,
    Or,
    Xor,
    Not,
    Shl,
    ShrU,
    ShrS,
    Equal,
    LessU,
    LessS,   // of width 1
    Select,  // arguments[0] != 0 ? arguments[1] : arguments[2]
    Widen,
    WidenSigned,
    Bits,   // of arguments[0], from bit `value`
    Apply,  // an unknown function `name` of the arguments
  };
  Op op = Op::Constant;
  int width = 1;
  u64 value = 0;
  std::vector<Term> arguments = {};
  std::vector<u64> factors = {};
  std::string name = {};
  bool operator==(const TermNode&) const = default;
};

// Which threads of a launch share the value of a variable or of an unknown function.
struct SymbolScope {
  enum class Scope : unsigned char { Thread, Block, Launch };
  Scope scope = Scope::Thread;
  std::vector<int> loops = {};  // it may differ in each iteration of these loops
};

class Terms {
 public:
  using Scope = SymbolScope::Scope;
  [[nodiscard]] const TermNode& operator[](Term t) const { return nodes_[static_cast<std::size_t>(t)]; }
  [[nodiscard]] int width(Term t) const { return (*this)[t].width; }
  // Whether holds(node) for some node of the term.
  template <class Holds>
  [[nodiscard]] bool any(Term root, const Holds& holds) const {
    std::vector<Term> work{root};
    std::set<Term> seen;
    while (!work.empty()) {
      const Term t = work.back();
      work.pop_back();
      if (!seen.insert(t).second) continue;
      if (holds((*this)[t])) return true;
      work.insert(work.end(), (*this)[t].arguments.begin(), (*this)[t].arguments.end());
    }
    return false;
  }
  [[nodiscard]] bool isConstant(Term t) const { return (*this)[t].op == TermNode::Op::Constant; }
  [[nodiscard]] u64 value(Term t) const { return (*this)[t].value; }

  Term constant(u64 value, int width);
  Term variable(const std::string& name, int width, Scope scope, std::vector<int> loops = {});
  Term fresh(const std::string& name, int width, Scope scope, std::vector<int> loops = {});
  Term apply(const std::string& name, int width, std::vector<Term> arguments, Scope scope, std::vector<int> loops = {});
  [[nodiscard]] const SymbolScope& symbol(const std::string& name) const { return symbols_.at(name); }

  Term truth(bool b) { return constant(b ? 1 : 0, 1); }
  Term add(Term a, Term b) { return sum(a, 1, b, 1); }
  Term sub(Term a, Term b) { return sum(a, 1, b, ~u64{0}); }
  Term mul(Term a, Term b);
  Term binary(TermNode::Op op, Term a, Term b);  // And Or Xor Shl ShrU ShrS DivU DivS RemU RemS Equal LessU LessS
  Term lnot(Term a);                             // of each bit
  Term both(Term a, Term b) { return binary(TermNode::Op::And, a, b); }
  Term either(Term a, Term b) { return binary(TermNode::Op::Or, a, b); }
  Term select(Term condition, Term a, Term b);
  Term widen(Term a, int width, bool isSigned);
  Term bits(Term a, int from, int width);
  Term resize(Term a, int width, bool isSigned = false);  // widen, or the low bits
  // An operation of two terms of `bits` on values; without the mask of the result.
  [[nodiscard]] static u64 valueOf(TermNode::Op op, u64 a, u64 b, int bits);
  // `root` with `by` in place of `what`, of the same width.
  Term replaced(Term root, Term what, Term by);

 private:
  Term make(TermNode node);
  Term sum(Term a, u64 x, Term b, u64 y);

  std::vector<TermNode> nodes_;
  std::unordered_map<std::string, Term> made_;
  std::unordered_map<std::string, SymbolScope> symbols_;
  int counter_ = 0;
};

}  // namespace tessera::kernel
