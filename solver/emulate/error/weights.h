// Weights: what relates the values of a softmax to each other, and no interval shows.
//
//     m = max(x1, ..., xn)          its set {x1, ..., xn}
//     p = exp(x2 - m)               the weight of {x2} under m: at most 1, since x2 is in the set of m
//     a = exp(m - m2)               a change of scale from m to m2: at most 1, since the set of m is part of that of m2
//     l = p1 + ... + pn             the weight of {x1, ..., xn} under m: at least 1, since one of them is the maximum
//     o = p1 * v1 + ... + pn * vn   a share of that weight: between the least and the largest v
//     o / l                         between the least and the largest v; its error is relative to l, not absolute
//
// A weight under m is the sum of f(rate * (x - m)) over a cover, a part of m's set; f is exp or exp2. A share of it
// (WeightShare) is w * weight with low <= w <= high; the computed value is within `share` * weight + `rest` of that.
// Shares of disjoint covers add to a share of the union, whose w is between theirs. A weight may be divided by that of
// a larger cover.
//
// Laws: scaled, times, divided and sum hold for all values of the x (tests/emulate/error_test.cpp evaluates them).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "solver/emulate/error/interval.h"
#include "solver/emulate/terms.h"

namespace tessera::graphene {

struct WeightShare {
  int weight = 0;  // number in Weights; 0: none
  double low = 0, high = 0;
  double share = 0, rest = 0;
  [[nodiscard]] double most() const { return std::fmax(std::fabs(low), std::fabs(high)); }
  [[nodiscard]] WeightShare rounded(double by, double more) const {
    return {weight, low, high, share + by * (most() + share), rest * (1 + by) + more};
  }
  bool operator==(const WeightShare&) const = default;
};

class Weights {
 public:
  using Term = Terms::Value;
  using SetId = int;  // of a sorted set of terms; 0: empty

  explicit Weights(Terms& terms) : terms_(terms), sets_(1), weights_(1) { setOf_[{}] = 0; }

  // The maximum of a and b is the term `max`.
  void maximum(Term max, Term a, Term b);
  // The term is exp(x), or exp2(x): whether x <= 0 because it is a scaled difference x2 - m.
  bool exponential(Term exp, Term x, bool two);
  void reciprocal(Term out, const WeightShare& of);  // out = 1 / of

  // The share that a term exp(...) is, with this error relative to it and this absolute one.
  [[nodiscard]] WeightShare shareOf(Term exp, double relative, double absolute);
  [[nodiscard]] std::optional<WeightShare> sum(const WeightShare& a, const WeightShare& b);
  // s * factor: a change of scale with that error, or any other value. `error`: of the factor.
  [[nodiscard]] std::optional<WeightShare> scaled(const WeightShare& s, Term ratio, const ErrorForm& error);
  [[nodiscard]] static WeightShare times(const WeightShare& s, const Interval& factor, double error);
  // s times the reciprocal of a weight whose cover contains that of s, or divided by such a weight.
  [[nodiscard]] std::optional<WeightShare> divided(const WeightShare& s, Term reciprocal, const ErrorForm& error);
  [[nodiscard]] std::optional<WeightShare> divided(const WeightShare& s, const WeightShare& by, const ErrorForm& error);

  // Where the exact value lies, and its error as far as the share shows it.
  [[nodiscard]] Interval range(const WeightShare& s) const;
  [[nodiscard]] double error(const WeightShare& s) const { return s.share * weightOf(s.weight).hi + s.rest; }

 private:
  struct Ratio {  // f(rate * (max of from - max of to))
    SetId from = 0, to = 0;
    double rate = 0;
    bool two = false;
  };
  struct Weight {
    SetId max = 0, cover = 0, over = 0;  // over: divided by the weight of this cover; 0: not divided
    double rate = 0;
    bool two = false;
    auto operator<=>(const Weight&) const = default;
  };
  struct Part {  // factor * max of set
    double factor = 0;
    SetId set = 0;
  };

  [[nodiscard]] Interval weightOf(int weight) const;
  [[nodiscard]] int number(const Weight& w);
  [[nodiscard]] SetId set(std::vector<Term> of);
  [[nodiscard]] SetId united(SetId a, SetId b, bool disjoint);  // -1: not disjoint
  [[nodiscard]] bool within(SetId a, SetId b) const;
  // The term as a sum of scaled maxima; a term that is none of that is the maximum of itself. Empty: more than two.
  [[nodiscard]] std::vector<Part> parts(Term t, int depth = 0);
  [[nodiscard]] bool addParts(Term t, double factor, int depth, std::vector<Part>& to);

  Terms& terms_;
  std::vector<std::vector<Term>> sets_;
  std::vector<Weight> weights_;
  std::map<std::vector<Term>, SetId> setOf_;
  std::map<Weight, int> numberOf_;
  std::map<std::pair<SetId, SetId>, SetId> unions_;
  std::unordered_map<Term, Part> maxima_;
  std::unordered_map<Term, Ratio> ratios_;  // by exp(...)
  std::unordered_map<Term, int> reciprocals_;
};

}  // namespace tessera::graphene
