// The text of index expressions: those of indexing maps, and C index expressions.
//
//     d0 * 8 + d1 floordiv 2              row * 64 + (col ^ ((row & 7) << 3))
//
// Precedence, loosest first, as in C:  |   ^ xor   &   << >>   + -   * / % floordiv ceildiv mod   unary - ~   and then
// atoms: a number (also 0x1F), a variable, parentheses, min(a, b, ...), max(a, b, ...).
//
// Expr has no & | << >>. They are rewritten exactly, for values of either sign:
//     x & 7        x mod 8                      x & 56      (x floordiv 8) mod 8 * 8; a mask is a sum of bit fields
//     x & y        (x + y - (x xor y)) floordiv 2           x | y      (x + y + (x xor y)) floordiv 2
//     x << 3       x * 8                        x >> 3      x floordiv 8
// In C, `/` and `%` truncate towards 0. They equal floordiv and mod if the dividend cannot be negative; otherwise
//     x / c        max(x, 0) floordiv c - max(-x, 0) floordiv c
// x mod -c is -((-x) mod c): like floordiv, it rounds down, so 7 mod -2 == -1, as in Python.
// Refused, because they are not defined everywhere: a shift by a variable, and a divisor that can be 0.
// Law: at every point of the box, the Expr has the value that the text has in C (Division::Truncate) or in Python, with
// unbounded integers.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "core/expr/facts.h"
#include "core/notation/axe/text/text.h"

namespace tessera::indexing {

enum class Division : unsigned char {
  Floor,     // XLA: / and // are floordiv, % is mod
  Truncate,  // C
  Python,    // // is floordiv, % is mod; / is refused, because it would give a fraction
};

struct ExpressionContext {
  std::function<std::optional<Expr>(std::string_view)> variable;  // the value of a name; nullopt: no such name
  std::string_view variables;                                     // "a variable of the map", for messages
  Environment box;                                                // ranges of what `variable` returns
  Division division = Division::Floor;
};

// Reads the longest expression at the scanner's position.
[[nodiscard]] Result<Expr> readExpression(axe::spelling::Scanner& in, const ExpressionContext& context);

}  // namespace tessera::indexing
