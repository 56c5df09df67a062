#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/hlo/tiles/symbolic_tile.h"

namespace tessera::hlo {
namespace {

constexpr std::size_t kMostTilings = std::size_t{1} << 16;
constexpr i64 kMostNumbers = i64{1} << 16;  // tiles tried one by one

// Whether tiles of exactly these sizes have an answer at every offset, in the dimensions `from`.
bool everywhere(const Map& map, const std::vector<i64>& tile, const std::vector<int>& from) {
  std::vector<TileSize> sizes;
  for (const i64 n : tile) sizes.push_back({n, ""});
  const auto sized = symbolicTile(map, sizes);
  if (!sized) return false;
  for (const SymbolicTile::Part& part : sized->parts)
    if (part.from == from &&
        std::ranges::none_of(part.ways, [](const SymbolicTile::Way& w) { return w.where.empty(); }))
      return false;
  return true;
}

// Per dimension of `from`, the full size and the size of the last tile; in every combination.
std::vector<std::vector<i64>> cornersOf(const std::vector<i64>& sizes, const std::vector<i64>& tile,
                                        const std::vector<int>& from) {
  std::vector<std::vector<i64>> all{tile};
  for (const int d : from) {
    const auto k = static_cast<std::size_t>(d);
    const std::size_t before = all.size();
    for (std::size_t c = 0; c < before && sizes[k] % tile[k] != 0; ++c) {
      all.push_back(all[c]);
      all.back()[k] = sizes[k] % tile[k];
    }
  }
  return all;
}

}  // namespace

Result<std::vector<std::vector<i64>>> candidateTilings(const std::vector<i64>& sizes) {
  std::vector<std::vector<i64>> all{{}};
  for (const i64 n : sizes) {
    std::vector<i64> of;
    for (i64 p = 1; p < n; p *= 2) {
      of.push_back(p);
      if (p > n / 2) break;
    }
    if (n > 0) of.push_back(n);
    if (all.size() * std::max<std::size_t>(1, of.size()) > kMostTilings)
      return Diag{fmt::format("an array of {} dimensions has more than {} tilings", sizes.size(), kMostTilings),
                  "fewer or smaller dimensions"};
    std::vector<std::vector<i64>> next;
    for (const std::vector<i64>& before : all)
      for (const i64 size : of) {
        next.push_back(before);
        next.back().push_back(size);
      }
    all = std::move(next);
  }
  return all;
}

Tiling tilingOf(const Map& map, const std::vector<i64>& sizes, const std::vector<i64>& tile) {
  const SymbolicTile any = symbolicTile(map);
  for (const SymbolicTile::Part& part : any.parts) {
    const auto corners = cornersOf(sizes, tile, part.from);
    if (std::ranges::all_of(corners,
                            [&](const std::vector<i64>& corner) { return everywhere(map, corner, part.from); }))
      continue;
    // Tiles of the part's dimensions, by number; those of the others are the first.
    std::vector<i64> counts;
    i64 count = 1;
    for (const int d : part.from) {
      const auto k = static_cast<std::size_t>(d);
      counts.push_back(ceilDiv(sizes[k], tile[k]));
      if (counts.back() > kMostNumbers / count) return {Tiling::Verdict::Unknown, {}, "too many tiles to try"};
      count *= counts.back();
    }
    if (!any.map.params().empty()) return {Tiling::Verdict::Unknown, {}, "it depends on run-time values"};
    for (i64 n = 0; n < count; ++n) {
      std::vector<i64> at(sizes.size());
      const std::vector<i64> own = delinearize(n, counts, LinearOrder::Lex);
      for (std::size_t k = 0; k < own.size(); ++k) at[static_cast<std::size_t>(part.from[k])] = own[k];
      std::vector<TileSide> side;
      for (std::size_t k = 0; k < tile.size(); ++k)
        side.push_back({at[k] * tile[k], std::min(tile[k], sizes[k] - at[k] * tile[k]), 1});
      const TileAt is = tileAt(any, side);
      if (is.kind == TileAt::Kind::None) return {Tiling::Verdict::No, at, is.why};
    }
  }
  return {};
}

}  // namespace tessera::hlo
