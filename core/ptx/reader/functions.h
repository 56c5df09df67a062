// Reads a function: its head, and its body statement by statement.
//
//     ".visible .entry f(.param .u64 p) .maxntid 128 { .reg .b32 %r<2>; L: mov.u32 %r1, %tid.x; bra L; }"
//
// Law: Function::body lists the statements in order of the text, and blocks are balanced. Blocks are read by a loop, so
// no text recurses deeply.
#pragma once

#include "core/base/cursor.h"
#include "core/ptx/module.h"
#include "core/ptx/reader/declarations.h"
#include "core/ptx/reader/names.h"
#include "core/ptx/reader/operands.h"

namespace tessera::ptx {

// Counts the lines of a text; positions must not decrease.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  [[nodiscard]] int at(std::size_t position);

 private:
  std::string_view text_;
  std::size_t seen_ = 0;
  int line_ = 1;
};

class Functions {
 public:
  // `names`: the variables of the module.
  Functions(Cursor& in, Lines& lines, Module& module, Names& names)
      : in_(in), lines_(lines), module_(module), names_(names) {}

  // The cursor is after .entry or .func.
  Result<Function> function(std::string_view linkage, bool entry, int line);
  // "1 \"name\"" after .file
  static Result<void> file(Cursor& in, Module& module);

 private:
  Result<void> head(Function& f);
  Result<std::vector<Variable>> parameters(Function& f);
  Result<void> body(Function& f);
  Result<void> statement(Function& f);
  Result<void> directive(Function& f, std::string_view word);
  Result<void> location(Function& f);
  Result<void> labelled(Function& f, std::string_view label);
  Result<void> instruction(Function& f);
  Result<void> registers(Function& f);
  Result<void> addRegisters(Function& f, RegisterDeclaration declared, std::string_view name);
  void kept(Function& f, std::string text);

  Cursor& in_;
  Lines& lines_;
  Module& module_;
  Names& names_;
  int location_ = -1;  // the last .loc of this function
};

}  // namespace tessera::ptx
