// Trees of Python in canonical spelling: brackets only where precedence needs them, four blanks of indentation.
//
//     Binary * [Binary + [a, b], c]     (a + b) * c
#pragma once

#include <string>

#include "core/code/tree.h"

namespace tessera::code {

[[nodiscard]] std::string printPython(const Tree& tree);

}  // namespace tessera::code
