#include "core/analysis/memory/coalescing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/arith.h"

namespace tessera {
namespace {

// Distinct unit numbers floor(byte / unit) over [a, a + width) for every a.
i64 distinctUnits(const std::vector<i64>& starts, int width, i64 unit) {
  std::vector<i64> units;
  for (i64 a : starts)
    for (i64 u = a / unit; u <= (a + width - 1) / unit; ++u) units.push_back(u);
  std::sort(units.begin(), units.end());
  return std::unique(units.begin(), units.end()) - units.begin();
}

}  // namespace

Result<SectorReport> sectorReport(std::span<const std::optional<i64>> addresses, int width) {
  if (width != 1 && width != 2 && width != 4 && width != 8 && width != 16 && width != 32)
    return Diag{fmt::format("no global-memory access is {} bytes wide a lane", width), "1, 2, 4, 8, 16 or 32 bytes"};
  SectorReport report;
  std::vector<i64> starts;
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
    if (!addresses[lane]) continue;
    i64 a = *addresses[lane];
    if (a < 0 || a > std::numeric_limits<i64>::max() - width)
      return Diag{fmt::format("lane {} has the address {}", lane, a), "addresses from 0 below 2^63 - width"};
    if (a % width != 0)
      return Diag{fmt::format("lane {}: address {} is not a multiple of {} bytes; the hardware faults", lane, a, width),
                  fmt::format("every address a multiple of {}", width),
                  fmt::format("use {} accesses of {} bytes", width / (a & -a), a & -a)};
    starts.push_back(a);
  }
  report.requestedBytes = static_cast<i64>(starts.size()) * width;
  report.uniqueBytes = distinctUnits(starts, width, 1);
  report.sectors = distinctUnits(starts, width, kSectorBytes);
  report.lines = distinctUnits(starts, width, kLineBytes);
  report.idealSectors = ceilDiv(report.uniqueBytes, kSectorBytes);
  if (report.sectors > 0)
    report.efficiency = static_cast<double>(report.uniqueBytes) / static_cast<double>(kSectorBytes * report.sectors);
  return report;
}

std::string print(const SectorReport& report) {
  return fmt::format("{{sectors: {}, lines: {}}}", report.sectors, report.lines);
}

}  // namespace tessera
