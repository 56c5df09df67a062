// AccessTable: the addresses of an access by lane, warp, visit and block, as a sum of tables.
//
//     16 blocks, 4 warps, 4 lanes     {(4,4): 0 4 8 12 128 ..., lane and warp}  +  {(16): 0 4096 ..., block}
//
// Law: the address at a coordinate is `offset` and the sum of the parts' values there.
#pragma once

#include <string>
#include <vector>

#include "core/map/forms/table_form.h"

namespace tessera::kernel {

struct AccessTable {
  struct Part {
    Table table;  // bytes from the part's lowest address
    std::vector<std::string>
        modes;  // "lane", "warp", "visit", "block": of the extents; those of one value are left out
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;  // their modes in this order
  i64 lanes = 32;           // the first lanes of each warp are active
  i64 offset = 0;           // the lowest address
};

}  // namespace tessera::kernel
