#include "render/figure/figure.h"

namespace tessera {

u64 pointDomain(const std::vector<i64>& extents) {
  // FNV-1a over the extents; the number of extents is part of it.
  u64 h = 1469598103934665603ULL;
  const auto eat = [&h](u64 v) {
    for (int k = 0; k < 8; ++k) {
      h ^= (v >> (8 * k)) & 0xff;
      h *= 1099511628211ULL;
    }
  };
  eat(extents.size());
  for (const i64 e : extents) eat(static_cast<u64>(e));
  return h;
}

std::string CellSource::rowHeader(i64 row) const { return std::to_string(row); }
std::string CellSource::colHeader(i64 col) const { return std::to_string(col); }

}  // namespace tessera
