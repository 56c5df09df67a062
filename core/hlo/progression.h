// Progression: evenly spaced numbers, {offset + j * stride : 0 <= j < size}, where all three are expressions of what a tile is told by.
//
//     4 * {o0 ..} + {o1 ..}       sizes s0 and s1, strides 1      is {4*o0 + o1 ..}, size 4*(s0 - 1) + s1, where s1 >= 4
//                                                                 and size s1 where s0 == 1, and stride 4 where s1 == 1
//     {o ..} floordiv 8           size (o + s - 1) floordiv 8 - o floordiv 8 + 1: the blocks that the numbers touch
//     {o ..} mod 8                size s where o mod 8 + s <= 8; all 8 where s >= 8
//     {o ..} as (high, low) of 8  a box of pairs where o mod 8 + s <= 8, or where 8 divides both o and s
//
// An answer is a list of cases: a progression and the conditions under which it is right. Requires, and keeps: size >= 1, stride >= 1.
// Law: under the conditions of a case its set is exactly the set of the results; where no case's conditions hold nothing is said.
// An empty list of conditions always holds, and then it is the only case. Not here: maps and arrays (symbolic_tile.h).
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
// Of the digits that a split gives, in the order of its windows.
struct DigitsCase {
  Conditions where;
  std::vector<Progression> digits;
};

// The conditions of a case and those before it; or that nothing is left.
struct Filtered {
  Conditions where;
  bool nothing = false;
  Progression is;
};

// (x floordiv by) mod `of`; of == 0: without the mod.
struct Window {
  i64 by = 1, of = 0;
  bool operator==(const Window&) const = default;
};

// The arithmetic over parameters in known ranges.
class ProgressionArithmetic {
 public:
  explicit ProgressionArithmetic(Environment box) : box_(std::move(box)) {}
  [[nodiscard]] const Environment& box() const { return box_; }
  [[nodiscard]] Expr simple(const Expr& e) const;
  // value in [lo, hi] as one more condition, none where it always holds. False: it never does, or leaves 64 bits.
  [[nodiscard]] bool require(Conditions& where, const Expr& value, i64 lo, i64 hi) const;

  struct Multiple {
    i64 by = 1;  // not 0
    Progression of;
  };
  // constant + by * x + by' * x' ...: each independent of the others.
  [[nodiscard]] std::vector<ProgressionCase> sum(const Expr& constant, std::vector<Multiple> parts) const;
  [[nodiscard]] std::vector<ProgressionCase> quotient(const Progression& p, i64 by) const;
  [[nodiscard]] std::vector<ProgressionCase> remainder(const Progression& p, i64 of) const;
  // One window on its own, whatever the rest of the number does.
  [[nodiscard]] std::vector<ProgressionCase> window(const Progression& p, const Window& w) const;
  // Several, which have to be a box together. nullopt: they overlap, or no digits of one number (3 and 4).
  [[nodiscard]] std::optional<std::vector<DigitsCase>> split(const Progression& p,
                                                             const std::vector<Window>& windows) const;
  // Of p, where `where` holds, the numbers of that residue; every case of them.
  [[nodiscard]] std::vector<Filtered> everyFew(const Conditions& where, const Progression& p, const Expr& residue,
                                               i64 of) const;
  // Those in the range.
  [[nodiscard]] std::vector<Filtered> cut(const Conditions& where, const Progression& p, const Range& range) const;
  // The conditions used: ranges tightened, what is known put in, everything simplified. False: they contradict one another.
  [[nodiscard]] bool tidy(Conditions& where, std::vector<Progression>& values) const;

 private:
  void everyFew(std::vector<Filtered>& to, Conditions where, const Progression& p, i64 stride, const Expr& apart,
                i64 of) const;
  [[nodiscard]] std::optional<std::vector<DigitsCase>> splitQuotient(const Progression& p, std::vector<Window> windows,
                                                                     i64 by) const;
  [[nodiscard]] bool fits(const Progression& p) const;
  [[nodiscard]] bool isOne(const Progression& p) const;
  [[nodiscard]] Progression simple(const Progression& p) const;
  Environment box_;
};

// The same cases without those that another makes needless.
template <class Case>
std::vector<Case> withoutNeedless(std::vector<Case> cases) {
  for (Case& c : cases)
    if (c.where.empty()) return {std::move(c)};
  return cases;
}

}  // namespace tessera::hlo
