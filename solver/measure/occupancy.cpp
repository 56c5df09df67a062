#include "solver/measure/occupancy.h"

#include <algorithm>
#include <charconv>

namespace tessera::measure {
namespace {

struct Multiprocessor {
  int architecture;
  i64 warps, blocks, sharedBytes;
  i64 reserved;  // of a block
};
constexpr i64 kRegisters = 65536, kRegisterStep = 256, kWarpStep = 4, kMostRegisters = 255, kKiB = 1024;
constexpr Multiprocessor kTable[] = {
    {70, 64, 32, 96 * kKiB, 0},     {75, 32, 16, 64 * kKiB, 0},      {80, 64, 32, 164 * kKiB, kKiB},
    {86, 48, 16, 100 * kKiB, kKiB}, {87, 48, 16, 164 * kKiB, kKiB},  {89, 48, 24, 100 * kKiB, kKiB},
    {90, 64, 32, 228 * kKiB, kKiB}, {100, 64, 32, 228 * kKiB, kKiB}, {120, 48, 24, 100 * kKiB, kKiB},
};

constexpr i64 up(i64 x, i64 step) { return (x + step - 1) / step * step; }

}  // namespace

std::optional<Occupancy> occupancyOf(std::string_view architecture, i64 threads, i64 registers, i64 sharedBytes) {
  if (!architecture.starts_with("sm_")) return std::nullopt;
  int number = 0;
  std::from_chars(architecture.data() + 3, architecture.data() + architecture.size(), number);
  const auto* const sm = std::find_if(std::begin(kTable), std::end(kTable),
                                      [&](const Multiprocessor& m) { return m.architecture == number; });
  if (sm == std::end(kTable) || threads < 1) return std::nullopt;
  const i64 warps = up(threads, 32) / 32;
  i64 blocks = std::min(sm->blocks, sm->warps / warps);
  if (registers > kMostRegisters) blocks = 0;
  if (registers > 0) {
    const i64 ofWarp = up(registers * 32, kRegisterStep);
    const i64 fit = kRegisters / ofWarp / kWarpStep * kWarpStep;
    blocks = std::min(blocks, fit / up(warps, kWarpStep));
  }
  const i64 shared = up(sharedBytes + sm->reserved, number < 80 ? 256 : 128);
  if (shared > 0) blocks = std::min(blocks, sm->sharedBytes / shared);
  return Occupancy{blocks, blocks * warps, sm->warps};
}

}  // namespace tessera::measure
