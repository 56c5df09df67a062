// The rewrite rules: one table, read by the simplifier and, row by row, by the Z3 proof in tests/rules.
//
// A row is `from` -> `to` under conditions. In the patterns, wildcards x, y, z match any expression and a, b, c, g,
// k for any constant; both sides are ordinary Exprs (wildcards are digits, constants are params), so the simplifier
// instantiates `to` by substitution and the proof translates the same two Exprs to solver terms.
//
//     name             from                   to                                when
//     div-of-multiple  (x*a + y) floordiv b   x*(a floordiv b) + y floordiv b   b > 0, a mod b == 0: b*q leaves
//     mod-in-range     x mod b                x                                 x in [0, b-1]: nothing wraps
//
// Worked: (d0*100 + d1*10 + d2) mod 100 floordiv 10, all digits in [0,9]
//     -> (d1*10 + d2) mod 100 floordiv 10      mod-of-multiple, x = d0, a = b = 100
//     -> (d1*10 + d2) floordiv 10              mod-in-range, the sum is in [0,99]
//     -> d1 + d2 floordiv 10                   div-of-multiple
//     -> d1                                    div-in-range
// Matching is modulo the order of a sum: x*a may be any term of it, and y is the rest.
//
// Termination: every row decreases the following tuple lexicographically, in any context (tests/rules checks each row
// on instances, bare and in contexts, and every step of the simplifier on random input):
//   1. the number of negative divisors;
//   2. the pairs of a xor and a * floordiv mod above it (xors rise to the top);
//   3. the digits and params left of each floordiv and mod, summed (terms leave, nests flatten);
//   4. the sum of all divisors (common factors leave, mod rises above floordiv);
//   5. constants (and, under mod, coefficients) not in [0, divisor), and a min or max whose two sides have constants of
//      one sign, each weighted 2^depth (in floordiv, mod, min and max): a constant that leaves a floor, a min or a max
//      moves one level up;
//   6. the number of nodes.
// A step is taken only if its result still fits 64 bits (facts), so simplification never adds an overflow.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/expr/expr.h"
#include "core/expr/facts.h"

namespace tessera {

// A side condition over wildcards and constants, as data.
struct Condition {
  enum class Kind : unsigned char {
    Positive,    // lhs > 0                (constants only)
    PowerOfTwo,  // lhs is a power of two  (constants only)
    Zero,        // lhs == 0               (constants only)
    Negative,    // lhs < 0                (constants only)
    Outside,     // not 0 <= lhs < rhs     (constants only)
    InRange,     // 0 <= lhs < rhs         (lhs any expression, rhs constants): decided by the interval facts
    Between,     // 0 < lhs <= rhs or rhs <= lhs < 0  (constants only)
    AtMost,      // lhs <= rhs             (any expressions): decided by the interval facts of rhs - lhs
    Plain,       // lhs has no floordiv, mod or xor inside: only for termination, the law holds without it
    Reduced,     // lhs's coefficients and constant are in [0, rhs): only for termination, like Plain
    NotZero,     // lhs != 0               (any expression): decided by the interval facts
    Disjoint,    // lhs & rhs == 0         (any expressions): decided by the known bits
  } kind = Kind::Positive;
  Expr lhs;
  Expr rhs;
};

struct Rule {
  std::string_view name;
  Expr from;
  Expr to;
  std::vector<Condition> when;
  std::string_view why;
};

// Wildcards and constants of the patterns.
namespace pattern {
inline constexpr int kExprs = 3;      // x y z
inline constexpr int kConstants = 5;  // a b c g k
[[nodiscard]] inline Expr x() { return Expr::digit(0); }
[[nodiscard]] inline Expr y() { return Expr::digit(1); }
[[nodiscard]] inline Expr z() { return Expr::digit(2); }
[[nodiscard]] inline Expr a() { return Expr::param(0); }
[[nodiscard]] inline Expr b() { return Expr::param(1); }
[[nodiscard]] inline Expr c() { return Expr::param(2); }
[[nodiscard]] inline Expr g() { return Expr::param(3); }
[[nodiscard]] inline Expr k() { return Expr::param(4); }
}  // namespace pattern

// The law of a step by name (expr/simplify.h), as text:
//     "(x * a + y) mod b = y mod b, where b > 0, a mod b = 0: multiples of the modulus vanish"
// A few steps, such as like-terms, are not rows of the table; "" for an unknown name.
[[nodiscard]] std::string lawOf(std::string_view rule);

// Rows for * floordiv mod + xor min max roots, in the order they are tried.
[[nodiscard]] std::span<const Rule> rewriteRules();

// Rows used only by recognisers, because both directions are needed: "add-is-xor" lets asF2 and separated read a sum
// without carries as a xor. Proved like the simplifier's rows, but not part of the termination order.
[[nodiscard]] std::span<const Rule> recogniserRules();

}  // namespace tessera
