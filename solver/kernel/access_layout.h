// The layout of an access: from (lane, warp, visit, block) to bytes.
//
//     ld.shared.f32 [s + 128*warp + 4*lane]     (32,4):(4,128)      lane, warp
//     a loop over k that adds 4096 each turn    (32,4,8):(4,128,4096)   lane, warp, visit
//     a swizzled store                          Sw<3,4,3> o (32,4):(16,512)
//
// A mode with one value is left out. The addresses are a table, and the form of that table
// (core/map/forms/table_form.h) is exact on it. Where they come from indices alone, the table is that of their terms
// for the whole launch (addresses/whole_table.h): the layout is proved. Otherwise it is that of the recorded
// executions, if the same first lanes are always active and every warp executes the instruction equally often.
#pragma once

#include <string>

#include "core/map/map.h"
#include "solver/kernel/kernel.h"

namespace tessera::kernel {

// The addresses that the layout is of: those of the terms, if they are known, else the recorded ones. nullopt if other
// lanes than the first ones are active, or warps execute it a different number of times.
[[nodiscard]] std::optional<AccessTable> accessTable(const AccessLine& line);
// The access as a map from (lane, warp, visit, block) to the offset of its first element, in elements: of shared memory
// itself, else from the last multiple of 128 bytes below the lowest address. Modes of one value, except the lane, are
// left out. The first lanes alone may be active: a guard.
//
//     ld.shared.f32 [s + 128*warp + 4*lane]     lane in [0, 31], warp in [0, 3] -> lane + warp * 32
//
// A Diag: there is no closed form.
struct AccessMap {
  Map map;
  int elementBytes = 1;
  i64 perLane = 1;  // elements that a lane moves
};
[[nodiscard]] Result<AccessMap> accessMap(const AccessLine& line);
// "(32,4):(4,128)"; empty if there is none. The lowest address is left out, so unrolled instructions mostly have one
// table: its layout is found once.
class AccessLayouts {
 public:
  [[nodiscard]] std::string of(const AccessTable& table);

 private:
  std::vector<std::pair<std::vector<AccessTable::Part>, std::string>> known_;
};

}  // namespace tessera::kernel
