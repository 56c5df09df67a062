// IndexRanges: index expressions over variables with symbolic extents, simplified and bounded for all sizes.
//
//     const int k = ranges.fresh(8*K);                0 <= k < 8*K
//     ranges.simple((k*4 + 3) floordiv 4)             k
//     ranges.range(8*K - 1 - k).lo                    0
//
// Variables are digits, sizes are parameters from 1 to 2^20, as in the proofs of programs. A variable without an extent
// is any integer between -2^40 and 2^40.
//
// Law: simple(e) has the value of e, and range(e) contains it, at all sizes and at all values of the variables in their
// extents.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "core/expr/facts.h"

namespace tessera::graphene {

class IndexRanges {
 public:
  static constexpr int kFresh = 512;  // the first new variable

  [[nodiscard]] int fresh(const Expr& extent);
  // From now on the digit has this extent; without: any integer.
  void bound(int digit, const Expr& extent) { extents_[digit] = extent; }
  void unbound(int digit) { extents_.erase(digit); }
  // Requires: it has one.
  [[nodiscard]] const Expr& extent(int digit) const { return extents_.at(digit); }
  [[nodiscard]] const Expr* find(int digit) const;

  [[nodiscard]] Expr simple(const Expr& e) const;
  [[nodiscard]] Range range(const Expr& e) const;
  [[nodiscard]] bool atLeast(const Expr& e, i64 least) const { return range(simple(e)).lo >= least; }

  [[nodiscard]] static std::vector<int> digitsIn(const Expr& e);  // ascending
  [[nodiscard]] static Expr replaced(const Expr& e, const std::function<Expr(int)>& digit);
  [[nodiscard]] static Expr replaced(const Expr& e, int digit, const Expr& by);

 private:
  [[nodiscard]] Expr compact(const Expr& e, std::vector<int>& digits, Environment& box) const;
  [[nodiscard]] Expr withoutDivisions(const Expr& e) const;
  [[nodiscard]] Range numbers(const Expr& e) const;
  [[nodiscard]] Expr atExtreme(Expr e, bool most) const;

  std::map<int, Expr> extents_;
  int nextFresh_ = kFresh;
};

}  // namespace tessera::graphene
