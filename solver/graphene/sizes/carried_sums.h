// CarriedSums: the induction step for values that are equal to the specified ones only by laws of real numbers.
//
//     online softmax, cut before key 128
//     %most   any number             m = max(j) s[j]                any number
//     %sum    exp(-%most) * L        sum(j) exp(s[j] - m)           exp(-m) * (L + later terms)
//     %o      exp(-%most) * P        sum(j) exp(s[j] - m) * V[j]    exp(-m) * (P + later terms)
//
//     with L = sum(j < 128) exp(s[j]), P = sum(j < 128) exp(s[j]) * V[j]: carried values left, the equations right
//
// A carried maximum is any number. Every other carried value is exp(sum of c * maximum) times a sum of early inputs,
// the invariant, which is read from the normal forms of the values at the cut. The early part of each sum of the
// equations is exp(sum of c * whole maximum) times a combination of the same sums. Then new names are put for them:
//
//     base     at both cuts the carried values and the equations have these forms, with the same combinations
//     step     from any L and P, what is carried over the second cut is exp(..) * (L + what the first steps added)
//     end      from any L and P, the actual value is the specified one
//
// Law: if ended(..) is empty for all pairs of a run, and the equations grow by the steps between the cuts
// (spec_growth.h), the pairs are equal with any number of such steps added. All equalities are identities of normal
// forms, so they hold for every value of their atoms.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>

#include "solver/emulate/equality/algebra.h"
#include "solver/emulate/equality/renaming.h"
#include "solver/graphene/sizes/ages.h"

namespace tessera::graphene {

class CarriedSums {
 public:
  // `next`: what is carried over the second cut, by what is carried over the first; `opaque`: the keys of `next`.
  // `age`: of an input, by cut.
  CarriedSums(Terms& terms, const std::unordered_map<Terms::Value, Terms::Value>& next, const Opaque& opaque,
              std::array<AgeOfInput, 2> age);

  // Why the law does not follow for a pair; empty: it does. Consumes budget.
  [[nodiscard]] std::string ended(Terms::Value expected, Terms::Value actual);

 private:
  using Value = Terms::Value;
  using Id = Algebra::Id;
  struct Growing {  // a sum of the equations with early and late summands
    Value value;
    Terms::Sum early, rest;
  };
  struct Parts {                      // of a specified value at one cut
    std::unordered_set<Value> whole;  // maxima over early and late inputs
    std::vector<Growing> sums;        // operands first
    [[nodiscard]] bool sum(Value v) const { return std::ranges::find(sums, v, &Growing::value) != sums.end(); }
    bool open = false;  // an early input is used outside of them
  };
  struct Invariant {  // value = exp(exponents) * rest
    Value now, next;
    std::vector<std::pair<Value, double>> exponents;
    Id before = 0, after = 0;  // rest, at both cuts
    Id name = 0;               // the new name for `before`
  };
  // A sum of the equations: number of combinations * early part of sum k is exp(exponents) * combination of invariants.
  struct Early {
    std::vector<std::pair<Value, double>> exponents;
    std::vector<std::pair<std::size_t, double>> of;  // invariants
    bool operator==(const Early&) const = default;
  };
  struct Shown {
    Renaming::Pair pair;
    std::vector<Value> carried;  // those that `pair.second` uses
  };

  [[nodiscard]] std::string direct(Value expected, Value actual, std::vector<Value>& carried);
  [[nodiscard]] bool isRenamed(const Shown& shown, const Renaming::Pair& pair, std::vector<Value>& carried) const;
  // At the second cut, of the same sums and maxima as at the first one.
  [[nodiscard]] Parts partsOf(Value expected, const Parts* first = nullptr);
  void begin(const std::unordered_set<Value>& whole);
  // Operands are representatives of their class.
  [[nodiscard]] Value representative(Value v) const {
    const Value same = terms_.node(v).same;
    return same == Terms::undefined() ? v : same;
  }
  [[nodiscard]] std::vector<Value> carriedIn(Value actual) const;
  [[nodiscard]] std::string base(const std::vector<Value>& carried);
  [[nodiscard]] std::string combinations(const Parts& parts, int cut, std::vector<Early>& out);
  [[nodiscard]] std::string combined(Id rest, int cut, std::vector<std::pair<std::size_t, double>>& out);
  // The form of a value over carried ones.
  [[nodiscard]] Id formOver(Value v);
  [[nodiscard]] bool isMaximum(Value v) const { return terms_.node(v).kind == Terms::Kind::Set; }

  Terms& terms_;
  std::unordered_map<Value, Value> next_;                 // of representatives
  std::vector<std::pair<Value, Value>> representatives_;  // of carried values that are not their own
  bool apart_ = false;                                    // equal values become different ones
  const Opaque& opaque_;
  std::array<AgeOfInput, 2> age_;
  Algebra algebra_;
  Renaming renaming_;
  std::unordered_set<Value> maxima_[2];  // carried, by cut
  std::vector<Invariant> invariants_;    // of the pair
  std::vector<Shown> shown_;
};

}  // namespace tessera::graphene
