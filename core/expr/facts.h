// Facts: properties of an expression's value over a box: interval, congruence, known bits.
//
//     d0 in [0,3], d1 in [0,7]:  d0*8 + d1   interval [0,31], 0 mod 1, no bit above bit 4
//                                d0*8        interval [0,24], 0 mod 8, bits 0..2 are zero
//
// Law (soundness): for every point of the box, lo <= e <= hi, e == remainder (mod modulus), every bit in `zeros` is 0
// and every bit in `ones` is 1. Facts are over-approximations. Interval arithmetic uses 128 bits; `fits` means that
// every sub-expression stays within 64 bits on the box, so evaluation is safe.
#pragma once

#include <vector>

#include "core/base/types.h"
#include "core/expr/by_node.h"
#include "core/expr/expr.h"

namespace tessera {

struct Range {
  i64 lo = 0, hi = 0;
  bool operator==(const Range&) const = default;
};

// The box: a closed range per digit and parameter.
struct Environment {
  std::vector<Range> digits;
  std::vector<Range> params;
};

struct Facts {
  Range interval{INT64_MIN, INT64_MAX};
  i64 modulus = 1;    // >= 1, or 0: the value is exactly `remainder`
  i64 remainder = 0;  // in [0, modulus) when modulus > 0
  u64 zeros = 0;      // bits known to be 0 (two's complement)
  u64 ones = 0;       // bits known to be 1
  bool fits = true;   // no sub-expression can overflow or divide by zero on the box

  [[nodiscard]] bool isConstant() const { return interval.lo == interval.hi; }
  [[nodiscard]] bool divisibleBy(i64 c) const;
};

// Facts of e over the box; visits each node of the DAG once.
[[nodiscard]] Facts factsOf(const Expr& e, const Environment& box);

// The same with a cache, for queries on many sub-expressions of one DAG over one box.
class FactBase {
 public:
  explicit FactBase(Environment box) : box_(std::move(box)) {}
  [[nodiscard]] Facts of(const Expr& e);
  [[nodiscard]] const Environment& box() const { return box_; }

 private:
  Environment box_;
  ByNode<Facts> known_;
};

}  // namespace tessera
