#include "core/hlo/tiles/tilings.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"

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
        std::none_of(part.ways.begin(), part.ways.end(), [](const SymbolicTile::Way& w) { return w.where.empty(); }))
      return false;
  return true;
}

// Tiles of the dimensions `from`, by number; the others are at their first.
class Numbers {
 public:
  Numbers(const std::vector<i64>& sizes, const std::vector<i64>& tile, const std::vector<int>& from)
      : sizes_(sizes), tile_(tile), from_(from) {
    for (const int k : from) counts_.push_back(ceilDiv(size(k), tile[static_cast<std::size_t>(k)]));
  }

  // nullopt: too many.
  [[nodiscard]] std::optional<i64> count() const {
    i64 all = 1;
    for (const i64 n : counts_) {
      if (n > kMostNumbers / all) return std::nullopt;
      all *= n;
    }
    return all;
  }
  [[nodiscard]] std::vector<i64> number(i64 linear) const {
    std::vector<i64> at(sizes_.size());
    const std::vector<i64> own = delinearize(linear, counts_, LinearOrder::Lex);
    for (std::size_t k = 0; k < from_.size(); ++k) at[static_cast<std::size_t>(from_[k])] = own[k];
    return at;
  }
  // Per dimension, the full size and the size of the last tile.
  [[nodiscard]] std::vector<std::vector<i64>> corners() const {
    std::vector<std::vector<i64>> all{tile_};
    for (const int d : from_) {
      const auto k = static_cast<std::size_t>(d);
      const i64 rest = size(d) % tile_[k];
      const std::size_t before = all.size();
      for (std::size_t c = 0; c < before && rest != 0; ++c) {
        all.push_back(all[c]);
        all.back()[k] = rest;
      }
    }
    return all;
  }

 private:
  [[nodiscard]] i64 size(int k) const { return sizes_[static_cast<std::size_t>(k)]; }
  const std::vector<i64>& sizes_;
  const std::vector<i64>& tile_;
  const std::vector<int>& from_;
  std::vector<i64> counts_;
};

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
    const Numbers numbers(sizes, tile, part.from);
    const auto corners = numbers.corners();
    if (std::all_of(corners.begin(), corners.end(),
                    [&](const std::vector<i64>& corner) { return everywhere(map, corner, part.from); }))
      continue;
    const auto count = numbers.count();
    if (!count || !any.map.params().empty())
      return {Tiling::Verdict::Unknown, {}, count ? "it depends on run-time values" : "too many tiles to try"};
    for (i64 n = 0; n < *count; ++n) {
      const std::vector<i64> at = numbers.number(n);
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
