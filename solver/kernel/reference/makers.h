// The functions that make, join and shape arrays: where, arange, pad, concatenate, reshape, matmul, astype ...
#pragma once

#include <span>

#include "solver/kernel/reference/call.h"

namespace tessera::kernel::reference {

struct MakeRow {
  std::string_view name;
  Result<Value> (*make)(const ReferenceCall&);
};
[[nodiscard]] std::span<const MakeRow> makeRows();

}  // namespace tessera::kernel::reference
