// Reads declarations: registers, variables with their initial values, parameters.
//
//     ".reg .b32 %r<5>, %x;"                                 two RegisterDeclarations
//     ".global .align 4 .b8 t[2][3] = {{1}, {2, 3}};"        a Variable with initial values 1 0 0 2 3
//     ".param .u64 .ptr .global .align 16 p"                 a parameter with the attribute ".ptr .global .align 16"
//
// Law: read(print(declaration)) equals the declaration.
#pragma once

#include <optional>

#include "core/base/cursor.h"
#include "core/ptx/module.h"

namespace tessera::ptx {

// "reg" to Register, "param" to Param and so on; nullopt for other words.
[[nodiscard]] std::optional<Space> spaceNamed(std::string_view word);
[[nodiscard]] bool isLinkage(std::string_view word);

class Declarations {
 public:
  explicit Declarations(Cursor& in) : in_(in) {}

  // The rest of a declaration after the word of its space, through its semicolon.
  Result<std::vector<RegisterDeclaration>> registers();
  Result<std::vector<Variable>> variables(Space space, std::string_view linkage, int line);
  // One parameter, without comma.
  Result<Variable> parameter(int line);

 private:
  struct Head;
  Result<Head> head();
  Result<void> pointer(Head& head);
  Result<Variable> named(const Head& head, Space space, int line);
  Result<int> range();
  Result<void> initial(Variable& v);
  Result<void> values(Variable& v, std::size_t level, std::size_t end);
  Result<void> value(Variable& v);

  Cursor& in_;
};

}  // namespace tessera::ptx
