// The rewrite rules: one table, read by the simplifier and, row by row, by the Z3 proof in tests/rules.
//
// A row is `from` -> `to` under conditions. In the patterns, wildcard x, y, z stands for any expression and a, b, c, g,
// k for any constant; both sides are ordinary Exprs (wildcards are digits, constants are params), so the simplifier
// instantiates `to` by substitution and the proof turns the same two Exprs into solver terms. Nothing is written twice.
//
//     name             from                     to                          when                      why
//     div-of-multiple  (x*a + y) floordiv b     x*(a floordiv b) + y floordiv b   b > 0, a mod b == 0   b*q comes out
//     of a floor mod-in-range     x mod b                  x                           x in [0, b-1]             no
//     wrap
//
// Matching is up to the order of a sum: x*a may be any term of it and y is the rest.
// Order (termination): every row makes the pair (W, N) smaller lexicographically, where W sums, over the expression as
// a tree, 1 per xor below a floordiv or mod plus the number of terms below each floordiv and mod (weighted by depth),
// and N is the number of nodes. The simplifier also counts its rewrites and a test fails if it ever runs into that cap.
#pragma once

#include <span>
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
[[nodiscard]] Expr x();
[[nodiscard]] Expr y();
[[nodiscard]] Expr z();
[[nodiscard]] Expr a();
[[nodiscard]] Expr b();
[[nodiscard]] Expr c();
[[nodiscard]] Expr g();
[[nodiscard]] Expr k();
}  // namespace pattern

// Rows for floordiv, mod and xor roots, in the order they are tried.
[[nodiscard]] std::span<const Rule> rewriteRules();

}  // namespace tessera
