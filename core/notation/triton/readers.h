// Parses an attribute tree: dispatches to one parser per attribute.
#pragma once

#include <map>
#include <string>

#include "core/notation/triton/attr.h"
#include "core/notation/triton/mlir.h"

namespace tessera::triton::detail {

using Aliases = std::map<std::string, Encoding>;

// The verified encoding of an attribute tree; resolves aliases.
[[nodiscard]] Result<Encoding> encodingOf(const mlir::Node& node, const Aliases& aliases);

}  // namespace tessera::triton::detail
