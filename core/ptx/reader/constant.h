// Constant expressions of PTX (PTX ISA 9.0, 4.5): integers, floats, and a symbol with an offset.
//
//     constant at "(4 + 2) * 8"          Integer 48
//     constant at "-0f3F800000"          Single 0xbf800000
//     constant at "buffer + 2 * 8"       Symbol "buffer", offset 16
//     constant at "0xFF00(buffer)"       Symbol "buffer", mask 0xFF00 (initialisers only)
//
// Law: the value of C for s64 and u64 operands, wrapping at 64 bits; division by zero is a Diag.
#pragma once

#include <string>

#include "core/base/cursor.h"
#include "core/ptx/reader/tokens.h"

namespace tessera::ptx {

struct Constant {
  enum class Kind : unsigned char { Integer, Single, Double, Symbol };
  Kind kind = Kind::Integer;
  bool isUnsigned = false;
  u64 bits = 0;        // of a Symbol: the offset
  std::string symbol;  // Symbol
  bool generic = false;
  u64 mask = 0;
  [[nodiscard]] bool isInteger() const { return kind == Kind::Integer; }
};

[[nodiscard]] Result<Constant> constant(Cursor& in);
// An operand of + and -: what may follow `[a+`.
[[nodiscard]] Result<Constant> constantTerm(Cursor& in);
// An integer constant, for sizes and offsets. `term`: without + - < > and looser operators, as in %r<8>.
[[nodiscard]] Result<i64> integerConstant(Cursor& in, std::string_view what, bool term = false);

}  // namespace tessera::ptx
