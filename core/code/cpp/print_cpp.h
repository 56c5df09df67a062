// The canonical C++ spelling of a Tree; print() of tree.h for Language::Cpp.
#pragma once

#include <string>

#include "core/code/tree.h"

namespace tessera::code {

[[nodiscard]] std::string printCpp(const Tree& tree);

}  // namespace tessera::code
