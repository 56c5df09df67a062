// The layout of an access: from (lane, warp, visit, block) to bytes.
//
//     ld.shared.f32 [s + 128*warp + 4*lane]     (32,4):(4,128)      lane, warp
//     a loop over k that adds 4096 each turn    (32,4,8):(4,128,4096)   lane, warp, visit
//     a swizzled store                          Sw<3,4,3> o (32,4):(16,512)
//
// A mode with one value is left out. It is recovered from the recorded executions: if every lane is active and every
// warp executes the instruction equally often, their addresses are a table, and the form of that table
// (core/map/forms/table_form.h) is exact on it: "none" is a proof for the recorded executions.
#pragma once

#include <string>

#include "core/map/forms/table_form.h"
#include "solver/kernel/kernel.h"

namespace tessera::kernel {

struct AccessTable {
  Table table;                     // bytes from the lowest address, by lane, warp, visit, block
  std::vector<std::string> modes;  // "lane", "warp", "visit", "block": of the extents, those of one value left out
  i64 offset = 0;                  // the lowest address
};
// nullopt if lanes are inactive, or warps execute it a different number of times.
[[nodiscard]] std::optional<AccessTable> accessTable(const AccessLine& line);
// "(32,4):(4,128)"; empty if there is none. The lowest address is left out.
[[nodiscard]] std::string accessLayout(const AccessLine& line);

}  // namespace tessera::kernel
