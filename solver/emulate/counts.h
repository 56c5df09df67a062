// Counts: the memory cost of a run's instructions, counted as they execute: shared-memory wavefronts by the phases of
// the atlas row and global-memory sectors (core/analysis/memory/banks.h).
//
// Law: sectors() is sectorReport(...).sectors.
#pragma once

#include <array>
#include <span>

#include "core/analysis/memory/banks.h"

namespace tessera::graphene {

struct LeafCounts {
  i64 executions = 0;                               // warp executions
  i64 lanes = 0;                                    // active threads
  i64 wavefronts = 0, idealWavefronts = 0;          // shared memory
  i64 requests = 0, sectors = 0, idealSectors = 0;  // global memory
  bool operator==(const LeafCounts&) const = default;
  LeafCounts& operator+=(const LeafCounts& o) {
    executions += o.executions, lanes += o.lanes, wavefronts += o.wavefronts, idealWavefronts += o.idealWavefronts;
    requests += o.requests, sectors += o.sectors, idealSectors += o.idealSectors;
    return *this;
  }
};

struct Sectors {
  i64 sectors = 0, ideal = 0;
};
// Of the lanes' byte addresses, kInactive if inactive; each lane moves `width` bytes.
[[nodiscard]] Sectors sectors(std::span<const i64> addresses, int width);
// Adds what a warp's request costs.
void count(LeafCounts& counts, const WarpAccess& access);

}  // namespace tessera::graphene
