// Index expressions as text: what stands inside an indexing map, and what people write in C for an index.
//
//     d0 * 8 + d1 floordiv 2              row * 64 + (col ^ ((row & 7) << 3))
//
// Precedence, loosest first, is C's:  |   ^ xor   &   << >>   + -   * / % floordiv ceildiv mod   unary - ~   and then
// atoms: a number (0x1F, too), a variable, a bracket, min(a, b, ...), max(a, b, ...).
//
// There is no operation for & | << >>: they are spelled with what an Expr has, exactly, for values of either sign.
//     x & 7        x mod 8                      x & 56      (x floordiv 8) mod 8 * 8; a mask is a sum of bit fields
//     x & y        (x + y - (x xor y)) floordiv 2           x | y      (x + y + (x xor y)) floordiv 2
//     x << 3       x * 8                        x >> 3      x floordiv 8
// In C `/` and `%` truncate towards 0. Where the dividend cannot be negative that is floordiv and mod; elsewhere
//     x / c        max(x, 0) floordiv c - max(-x, 0) floordiv c
// x mod -c is -((-x) mod c): like floordiv it rounds down, so that 7 mod -2 == -1, as in Python.
// A shift by a variable and a divisor that can be 0 are refused: neither has a value everywhere.
// Law: at every point of the box the Expr has the value that the text has in C (Division::Truncate) or in Python, on
// unbounded ints.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "core/expr/facts.h"
#include "core/notation/axe/text.h"

namespace tessera::indexing {

enum class Division : unsigned char {
  Floor,     // XLA: / and // are floordiv, % is mod
  Truncate,  // C
  Python,    // // is floordiv, % is mod; / would make a fraction, and is refused
};

struct ExpressionContext {
  std::function<std::optional<Expr>(std::string_view)> variable;  // what a name stands for; nullopt: no such name
  std::string_view variables;                                     // "a variable of the map", for messages
  Environment box;                                                // ranges of what `variable` gives
  Division division = Division::Floor;
};

// Reads the longest expression at the scanner's place.
[[nodiscard]] Result<Expr> readExpression(axe::spelling::Scanner& in, const ExpressionContext& context);

}  // namespace tessera::indexing
