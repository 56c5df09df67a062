#include "render/figure/figure.h"

#include <fmt/format.h>

namespace tessera {

u64 pointDomain(const std::vector<i64>& extents) {
  // FNV-1a over the extents and their number: (4,8), (8,4) and 32 are three domains.
  u64 h = 0xcbf29ce484222325ULL;
  auto mix = [&h](u64 v) {
    for (int k = 0; k < 8; ++k) {
      h ^= (v >> (8 * k)) & 0xff;
      h *= 0x100000001b3ULL;
    }
  };
  mix(extents.size());
  for (i64 e : extents) mix(static_cast<u64>(e));
  return h;
}

std::vector<Point> pointsOf(const Cell& cell) {
  std::vector<Point> points;
  if (!cell.point.real()) return points;
  points.push_back(cell.point);
  points.insert(points.end(), cell.also.begin(), cell.also.end());
  return points;
}

std::string CellSource::rowHeader(i64 row) const { return fmt::format("{}", row); }
std::string CellSource::colHeader(i64 col) const { return fmt::format("{}", col); }

}  // namespace tessera
