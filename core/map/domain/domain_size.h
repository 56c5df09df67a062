// domainSize: the exact number of real points of a map.
//
//     (d0, d1) -> (d0), d0 in [0, 9], d1 in [0, 9], d0 + d1 in [0, 9]                     55
//     (d0) -> (d0), d0 in [0, 10^12], d0 mod 3 in [1, 1]                                  333,333,333,334
//     (d0)[s0] -> (d0), d0 in [0, 9], s0 in [0, 10^15]                                    10 * (10^15 + 1)
//
// How: groups of variables that share no constraint are counted separately and multiplied. In each group, the variable
// with the largest extent that occurs in every constraint only in a sum, or in one residue, is counted by its bounds at
// each point of the others, at most 2^22 points; otherwise point by point. Larger counts are refused, never estimated.
// Refused: parameters in constraints, because the count depends on them (symbolsAsDims makes them countable).
// Law: the number of digit points with isReal().
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

[[nodiscard]] Result<i64> domainSize(const Map& map);

// The number of points of some digits, times `by`, ignoring constraints; nullopt if it exceeds 2^63-1.
[[nodiscard]] std::optional<i64> pointsOf(const Map& map, const std::vector<int>& digits, i64 by = 1);
// Sets those digits of `point` to their point number n, the last in the list fastest.
void spread(const Map& map, const std::vector<int>& digits, i64 n, std::vector<i64>& point);

// Groups the variables (digits, then parameters) that share constraints.
class Links {
 public:
  explicit Links(const Map& map);
  [[nodiscard]] std::vector<std::size_t> variables(const Expr& e) const;
  // The group of a variable, named by one of its members.
  [[nodiscard]] std::size_t of(std::size_t v) const {
    while (root_[v] != v) v = root_[v];
    return v;
  }
  [[nodiscard]] std::size_t count() const { return root_.size(); }

 private:
  std::size_t digits_;
  std::vector<std::size_t> root_;
};

// exactRange: the smallest and largest value of an axis, exactly.
//
//     (8,40):(40,1)                       [0, 319]
//     Sw<3,3,3> o (8,40):(40,1)           [0, 319]; the swizzle's period is 512, so interval analysis gives [0, 511]
//     x xor (x floordiv 4), x in [0, 6]   [0, 7]: 6 is mapped to 7, and nothing to 6
//
// Law: both ends are values of real points (Index and Fan), and no real point has a value outside.
// How: strides, also of split digits; bit matrices; a bit matrix over a run of integers; intervals whose ends are
// attained at two corners of the box; otherwise enumeration of up to 2^20 points. nullopt: none of these applies, or
// the map has symbolic sizes.
// Why: surjective's codomain ends at the largest value. With an upper bound instead, equal maps would get different
// verdicts.

[[nodiscard]] std::optional<Range> exactRange(const Map& map, std::size_t axis = 0);

}  // namespace tessera
