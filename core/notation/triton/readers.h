// The readers of one attribute each, behind one function.
#pragma once

#include <map>
#include <string>

#include "core/notation/triton/attr.h"
#include "core/notation/triton/mlir.h"

namespace tessera::triton::detail {

using Aliases = std::map<std::string, Encoding>;

// The encoding that an attribute tree says, verified; aliases are looked up.
[[nodiscard]] Result<Encoding> encodingOf(const mlir::Node& node, const Aliases& aliases);

}  // namespace tessera::triton::detail
