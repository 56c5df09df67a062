// Reads a PTX text, and prints it.
//
//     Result<Module> m = read(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }");
//     print(*m)       the same module, one statement a line
//
// Errors: a Diag with the place and what was expected. Unknown instructions are kept; nothing but the syntax
// and the names of registers is checked. Nesting of blocks and vectors is limited, so no text recurses deeply.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/ptx/module.h"

namespace tessera::ptx {

[[nodiscard]] Result<Module> read(std::string_view text);
[[nodiscard]] std::string print(const Module& module);
[[nodiscard]] std::string print(const Function& function, const Instruction& instruction);
[[nodiscard]] std::string print(const Function& function, const Operand& operand);

}  // namespace tessera::ptx
