// Reads the operands of an instruction.
//
//     "%r1"  "!%p"  "%v.x"  "[%r1+16]"  "{%r1, _}"  "%r1|%p2"  "(param0, param1)"  "[map, {%r1, %r2}]"  "table+8"
//
// Law: read(print(operand)) equals the operand.
#pragma once

#include "core/base/cursor.h"
#include "core/ptx/module.h"
#include "core/ptx/reader/names.h"

namespace tessera::ptx {

class Operands {
 public:
  Operands(Cursor& in, const Names& names) : in_(in), names_(names) {}

  // `call`: parentheses hold parameters, and not an expression.
  Result<Operand> operand(bool call = false);
  // The predicate of @p and @!p; the @ was read.
  Result<Guard> guard();

 private:
  Result<Operand> simple();  // neither vector, address, group nor pair
  Result<Operand> named(bool offset);
  Result<Operand> constantOperand();
  Result<Operand> address();
  Result<void> base(Operand& out);
  Result<void> list(Operand& out, char close, bool call);
  Result<void> component(Operand& out);
  Diag unknown(std::string_view name, std::size_t begin) const;

  Cursor& in_;
  const Names& names_;
};

}  // namespace tessera::ptx
