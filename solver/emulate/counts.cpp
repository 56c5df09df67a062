#include "solver/emulate/counts.h"

#include <algorithm>

namespace tessera::graphene {

Sectors sectors(std::span<const i64> addresses, int width) {
  std::array<i64, kWarpLanes> begin{};  // sorted first bytes
  std::size_t n = 0;
  for (const i64 a : addresses)
    if (a != kInactive) begin[n++] = a;
  if (!std::is_sorted(begin.begin(), begin.begin() + static_cast<std::ptrdiff_t>(n)))
    std::sort(begin.begin(), begin.begin() + static_cast<std::ptrdiff_t>(n));
  Sectors out;
  i64 lastSector = -1, bytes = 0, end = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const i64 first = std::max(begin[i] / kSectorBytes, lastSector + 1), last = (begin[i] + width - 1) / kSectorBytes;
    out.sectors += std::max<i64>(0, last - first + 1);
    lastSector = std::max(lastSector, last);
    bytes += std::max<i64>(0, begin[i] + width - std::max(begin[i], end));
    end = std::max(end, begin[i] + width);
  }
  out.ideal = (bytes + kSectorBytes - 1) / kSectorBytes;
  return out;
}

void count(LeafCounts& counts, const WarpAccess& access) {
  if (access.space == MemorySpace::Global) {
    const Sectors touched = sectors(access.addresses, access.width);
    ++counts.requests;
    counts.sectors += touched.sectors;
    counts.idealSectors += touched.ideal;
    return;
  }
  counts.wavefronts += wavefronts(access);
  for (int phase = 0; phase < access.phases.count; ++phase) {
    bool busy = false;
    for (int i = 0; i < access.phases.lanes && !busy; ++i)
      busy = access.addresses[access.phases.lane(phase, i)] != kInactive;
    counts.idealWavefronts += busy ? 1 : 0;
  }
}

}  // namespace tessera::graphene
