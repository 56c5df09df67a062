#include "core/atlas/access.h"

#include <fmt/format.h>

#include "core/base/check.h"

namespace tessera {
namespace {

constexpr int kPhaseBytes = 128;  // bytes that 32 banks of 4 bytes deliver at once
constexpr int kLanes = 32;

// `lanes` at a time, in order.
LanePhases consecutive(int active, int lanes) { return {active / lanes, lanes, active == lanes ? 0 : lanes, 1}; }

}  // namespace

const char* name(MemorySpace space) { return space == MemorySpace::Shared ? "shared" : "global"; }
const char* name(AccessDirection direction) { return direction == AccessDirection::Read ? "read" : "write"; }

std::string print(const LanePhases& p) {
  return fmt::format("({},{}):({},{})", p.count, p.lanes, p.countStride, p.laneStride);
}

std::string print(const AtlasAccess& a) {
  std::string out =
      fmt::format("{} {}, {} byte{} a lane", name(a.space), name(a.direction), a.width, a.width == 1 ? "" : "s");
  if (a.matrices > 0)
    out += fmt::format(", {} {}{}", a.matrices, a.matrices == 1 ? "matrix" : "matrices", a.trans ? " transposed" : "");
  if (a.space == MemorySpace::Global) return out + ", the warp at once";
  return out + fmt::format(", {} phase{} of {} lanes", a.phases.count, a.phases.count == 1 ? "" : "s", a.phases.lanes);
}

Result<AtlasAccess> vectorAccess(AccessDirection direction, MemorySpace space, int width) {
  const bool shared = space == MemorySpace::Shared, read = direction == AccessDirection::Read;
  const bool known = width == 1 || width == 2 || width == 4 || width == 8 || width == 16 || (width == 32 && !shared);
  if (!known)
    return Diag{fmt::format("no {}-memory access is {} bytes wide per lane", name(space), width),
                shared ? "1, 2, 4, 8 or 16 bytes" : "1, 2, 4, 8, 16 or 32 bytes"};
  AtlasAccess a{direction, space, width};
  a.source = read ? "PTX ISA, ld; global memory: sectors of the whole warp"
                  : "PTX ISA, st; global memory: sectors of the whole warp";
  if (!shared) return a;
  a.source = read ? "PTX ISA, ld; phases of LDS.64 and LDS.128 as the profiler counts their wavefronts"
                  : "PTX ISA, st; phases of STS.64 and STS.128 as the profiler counts their wavefronts";
  const int lanes = width <= 4 ? kLanes : kPhaseBytes / width;
  a.phases = consecutive(kLanes, lanes);
  if (read && width > 4) a.merged = consecutive(kLanes, 2 * lanes);
  return a;
}

AtlasAccess matrixAccess(AccessDirection direction, int matrices, int matrixRows, int elementBits, bool trans) {
  LAYOUT_CHECK(matrices > 0 && matrixRows % 8 == 0 && matrices * matrixRows <= kLanes,
               "a matrix access has one address per row");
  AtlasAccess a{direction, MemorySpace::Shared, 16, matrices, matrixRows, elementBits, trans};
  a.phases = consecutive(matrices * matrixRows, kPhaseBytes / a.width);
  a.source = matrixRows == 8 ? direction == AccessDirection::Read ? "PTX ISA, ldmatrix: eight addresses a matrix"
                                                                  : "PTX ISA, stmatrix: eight addresses a matrix"
                             : "PTX ISA, ldmatrix with .m16n16: sixteen addresses a matrix, served eight at a time";
  return a;
}

}  // namespace tessera
