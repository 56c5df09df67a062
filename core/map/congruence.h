// Congruence: a constraint that ties one variable to a residue.
//
//     (s0 + 1) mod 2 in [0, 0]                         s0 == 1 (mod 2)
//     (s0 * 4 + 2) mod 6 in [0, 0]                     s0 == 1 (mod 3)
//     s0 * 4 mod 6 in [1, 1]                           nothing: 4 s0 is even, and so is 6
//     s0 mod 2 in [0, 0] and s0 mod 3 in [2, 2]        s0 == 2 (mod 6)
//
// Laws: the constraint holds exactly at the values == remainder (mod modulus); both(a, b) holds where a and b do.
#pragma once

#include <optional>

#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera {

struct Congruence {
  Expr variable;      // a digit or a parameter
  i64 modulus = 1;    // >= 1, or 0: no value meets it
  i64 remainder = 0;  // in [0, modulus)

  [[nodiscard]] bool possible() const { return modulus > 0; }
  bool operator==(const Congruence&) const = default;
};

// nullopt: the constraint is of another shape.
[[nodiscard]] std::optional<Congruence> congruenceOf(const Guard& guard);
// Of one variable. nullopt: the modulus leaves 64 bits.
[[nodiscard]] std::optional<Congruence> both(const Congruence& a, const Congruence& b);
[[nodiscard]] Guard guardOf(const Congruence& c);
// The range from the first to the last value in it that meets it; nullopt: there is none.
[[nodiscard]] std::optional<Range> within(const Range& range, const Congruence& c);

}  // namespace tessera
