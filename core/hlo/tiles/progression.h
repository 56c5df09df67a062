// Progression: evenly spaced integers {offset + j * stride : 0 <= j < size}. All three are expressions over the tile's
// parameters (offset o and size s per dimension), so one Progression describes every tile at once.
//
//     4 * {o0 ..} + {o1 ..}       sizes s0 and s1, strides 1: {4*o0 + o1 ..}, size 4*(s0 - 1) + s1, if s1 >= 4;
//                                                             size s1 if s0 == 1; stride 4 if s1 == 1
//     {o ..} floordiv 8           size (o + s - 1) floordiv 8 - o floordiv 8 + 1, the blocks of 8 with a number
//     {o ..} mod 8                size s if o mod 8 + s <= 8; all 8 residues if s >= 8
//     {o ..} as (high, low) of 8  a box of pairs if o mod 8 + s <= 8, or if 8 divides both o and s
//
// Every operation returns a list of cases, each a progression and the conditions under which it holds. Requires and
// preserves size >= 1 and stride >= 1.
// Law: under the conditions of a case, its set is exactly the set of results; if no case applies, nothing is claimed.
// A case without conditions always holds, and is then the only one. Not here: maps and arrays (symbolic_tile.h).
#pragma once

#include <optional>
#include <vector>

#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera::hlo {

struct Progression {
  Expr offset, size, stride;
};
using Conditions = std::vector<Guard>;
struct ProgressionCase {
  Conditions where;
  Progression is;
};
// The digits of a split, in the order of its windows.
struct DigitsCase {
  Conditions where;
  std::vector<Progression> digits;
};

// A filtered progression with all its conditions, including the original ones. `nothing`: no element passes.
struct Filtered {
  Conditions where;
  bool nothing = false;
  Progression is;
};

// (x floordiv by) mod of; if of == 0, without the mod.
struct Window {
  i64 by = 1, of = 0;
  bool operator==(const Window&) const = default;
};

// Arithmetic over parameters in known ranges.
class ProgressionArithmetic {
 public:
  explicit ProgressionArithmetic(Environment box) : box_(std::move(box)) {}
  [[nodiscard]] const Environment& box() const { return box_; }
  [[nodiscard]] Expr simple(const Expr& e) const;
  // Adds the condition value in [lo, hi], unless it always holds. False: it never holds, or `value` exceeds 64 bits.
  [[nodiscard]] bool require(Conditions& where, const Expr& value, i64 lo, i64 hi) const;
  [[nodiscard]] bool require(Conditions& where, const Conditions& more) const;

  struct Multiple {
    i64 by = 1;  // not 0
    Progression of;
  };
  // constant + by * x + by' * x' ..., where the x are independent of each other.
  [[nodiscard]] std::vector<ProgressionCase> sum(const Expr& constant, std::vector<Multiple> parts) const;
  [[nodiscard]] std::vector<ProgressionCase> quotient(const Progression& p, i64 by) const;
  [[nodiscard]] std::vector<ProgressionCase> remainder(const Progression& p, i64 of) const;
  // A single window, independent of the other digits of the number.
  [[nodiscard]] std::vector<ProgressionCase> window(const Progression& p, const Window& w) const;
  // Several windows that form a box. nullopt: they overlap, or are not digits of one number (by 3 and 4).
  [[nodiscard]] std::optional<std::vector<DigitsCase>> split(const Progression& p,
                                                             const std::vector<Window>& windows) const;
  // The elements of p congruent to `residue` modulo `of`, given the conditions `where`: all cases.
  [[nodiscard]] std::vector<Filtered> strideFilter(const Conditions& where, const Progression& p, const Expr& residue,
                                                   i64 of) const;
  // The elements in the range.
  [[nodiscard]] std::vector<Filtered> cut(const Conditions& where, const Progression& p, const Range& range) const;
  // Applies the conditions: tightens ranges, substitutes known values, simplifies. False: they contradict each other.
  [[nodiscard]] bool tidy(Conditions& where, std::vector<Progression>& values) const;

 private:
  void strideFilter(std::vector<Filtered>& to, Conditions where, const Progression& p, i64 stride, const Expr& apart,
                    i64 of) const;
  [[nodiscard]] std::optional<std::vector<DigitsCase>> splitQuotient(const Progression& p, std::vector<Window> windows,
                                                                     i64 by) const;
  [[nodiscard]] bool fits(const Progression& p) const;
  // Adds a case, unless its numbers may exceed 64 bits.
  void add(std::vector<ProgressionCase>& cases, Conditions where, const Progression& is) const;
  [[nodiscard]] Progression simple(const Progression& p) const;
  Environment box_;
};

// Drops the cases that an unconditional case makes redundant.
template <class Case>
std::vector<Case> withoutNeedless(std::vector<Case> cases) {
  for (Case& c : cases)
    if (c.where.empty()) return {std::move(c)};
  return cases;
}

}  // namespace tessera::hlo
