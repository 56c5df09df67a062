// narrow: propagates the constraints of a map to the ranges of single variables.
//
//     d0 * 6 + s0 * 3 + s1 in [0, 599], s0 in [0, 1], s1 in [0, 2]       d0 is at most 99
//     s0 mod 2 in [0, 0], s0 mod 3 in [0, 0], s0 in [-21, -2]            s0 mod 6 in [0, 0], s0 in [-18, -6]
//     (d0 * d0) mod 7 in [1, 2], d0 in [0, 9]                            d0 in [1, 8], by trying values from both ends
//
// Everything is in coordinates (map/compose.h). Ranges of parameters are unchanged: they belong to the caller.
// Law: the set of points of the box that satisfy the constraints does not change.
#pragma once

#include <optional>
#include <vector>

#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

enum class Narrowing : unsigned char { Nothing, Changed, Empty };

// Simplifies the constraints over the box. Changed: the box is smaller, or a constraint was dropped or simplified.
[[nodiscard]] Narrowing narrow(std::vector<Guard>& guards, Environment& box);

struct WideRange {
  i128 lo = 0, hi = 0;
};
// The integers x with lo <= c * x <= hi; empty if the result's lo exceeds its hi. Requires c != 0.
[[nodiscard]] WideRange quotients(const WideRange& r, i128 c);

// Congruence: a constraint that fixes one variable's residue.
//
//     (s0 + 1) mod 2 in [0, 0]                         s0 == 1 (mod 2)
//     (s0 * 4 + 2) mod 6 in [0, 0]                     s0 == 1 (mod 3)
//     s0 * 4 mod 6 in [1, 1]                           impossible: 4 s0 and 6 are even
//     s0 mod 2 in [0, 0] and s0 mod 3 in [2, 2]        s0 == 2 (mod 6)
//
// Laws: the constraint holds exactly for values == remainder (mod modulus); both(a, b) holds where a and b do.

struct Congruence {
  Expr variable;      // a digit or a parameter
  i64 modulus = 1;    // >= 1, or 0: no value satisfies it
  i64 remainder = 0;  // in [0, modulus)

  [[nodiscard]] bool possible() const { return modulus > 0; }
  bool operator==(const Congruence&) const = default;
};

// nullopt: the constraint has another form.
[[nodiscard]] std::optional<Congruence> congruenceOf(const Guard& guard);
// Requires: the same variable. nullopt: the modulus exceeds 64 bits.
[[nodiscard]] std::optional<Congruence> both(const Congruence& a, const Congruence& b);
[[nodiscard]] Guard guardOf(const Congruence& c);
// The range from the first to the last value in it that satisfies it; nullopt: there is none.
[[nodiscard]] std::optional<Range> within(const Range& range, const Congruence& c);

}  // namespace tessera
