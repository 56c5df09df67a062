// What accesses to memory cost, and the least that their bytes allow.
//
//     32 lanes load 4 bytes each of one bank     wavefronts 32, ideal 1
//     32 lanes store 4 bytes each of a column    sectors 32, idealSectors 4
//
// Law: costs add; ideal <= wavefronts and idealSectors <= sectors.
#pragma once

#include "core/base/types.h"

namespace tessera {

struct MemoryCost {
  i64 wavefronts = 0, ideal = 0;      // shared memory
  i64 sectors = 0, idealSectors = 0;  // global memory: sectors of 32 bytes
  MemoryCost& operator+=(const MemoryCost& other) {
    wavefronts += other.wavefronts;
    ideal += other.ideal;
    sectors += other.sectors;
    idealSectors += other.idealSectors;
    return *this;
  }
};

}  // namespace tessera
