#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "core/hlo/tiles/symbolic_tile.h"

namespace tessera::hlo {
namespace {

std::vector<std::string> namesOf(const std::vector<Param>& params) { return mapped<std::string>(params, &Param::name); }

// "offsets [o0, 0], sizes [s0, 8], strides [t0, 1]", for the dimensions in this order.
std::string sidesOf(const std::vector<const SymbolicTile::Dimension*>& dimensions, const std::vector<Param>& params) {
  std::string within;
  for (const SymbolicTile::Dimension* d : dimensions)
    if (d->within) within += fmt::format(", only what is in [{}, {}]", d->within->lo, d->within->hi);
  const auto list = [&](Expr Progression::*of) {
    auto texts = mapped<std::string>(dimensions, [&](const auto* d) { return textOf(d->is.*of, params); });
    return fmt::format("{}", fmt::join(texts, ", "));
  };
  return fmt::format("offsets [{}], sizes [{}], strides [{}]{}", list(&Progression::offset), list(&Progression::size),
                     list(&Progression::stride), within);
}

std::string wayOf(const SymbolicTile::Way& way, const std::vector<Param>& params) {
  std::vector<const SymbolicTile::Dimension*> all;
  for (const SymbolicTile::Dimension& d : way.dimensions) all.push_back(&d);
  std::string out = way.nothing ? "nothing" : all.empty() ? "all" : sidesOf(all, params);
  if (!way.where.empty()) out += " where " + textOf(way.where, params);
  return out;
}

std::string partOf(const SymbolicTile::Part& part, const std::vector<Param>& params) {
  std::string out = "read:";
  if (!part.dimensions.empty())
    out = fmt::format("dimension{} {}:", part.dimensions.size() > 1 ? "s" : "", fmt::join(part.dimensions, ", "));
  for (std::size_t k = 0; k < part.ways.size(); ++k) out += (k > 0 ? "\n  or " : " ") + wayOf(part.ways[k], params);
  return out;
}

}  // namespace

std::string textOf(const Expr& value, const std::vector<Param>& params) { return print(value, {}, namesOf(params)); }

std::string textOf(const Guard& condition, const std::vector<Param>& params) {
  const std::string value = textOf(condition.value, params);
  if (condition.lo == condition.hi) return fmt::format("{} = {}", value, condition.lo);
  if (condition.hi == INT64_MAX) return fmt::format("{} >= {}", value, condition.lo);
  if (condition.lo == -INT64_MAX) return fmt::format("{} <= {}", value, condition.hi);
  return fmt::format("{} in [{}, {}]", value, condition.lo, condition.hi);
}

std::string textOf(const Conditions& where, const std::vector<Param>& params) {
  auto texts = mapped<std::string>(where, [&](const Guard& g) { return textOf(g, params); });
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string textOf(const SymbolicTile& tile) {
  if (tile.empty) return "nothing";
  if (!tile.is()) return "no tile: " + tile.why();
  const bool oneWay = std::ranges::all_of(tile.parts, [](const SymbolicTile::Part& p) { return p.ways.size() == 1; });
  std::string out;
  if (!oneWay) {
    for (const SymbolicTile::Part& part : tile.parts) out += (out.empty() ? "" : "\n") + partOf(part, tile.params);
    return out;
  }
  std::vector<const SymbolicTile::Dimension*> all(tile.map.axes().size());
  Conditions where;
  for (const SymbolicTile::Part& part : tile.parts) {
    for (std::size_t k = 0; k < part.dimensions.size(); ++k)
      all[static_cast<std::size_t>(part.dimensions[k])] = &part.ways[0].dimensions[k];
    where.insert(where.end(), part.ways[0].where.begin(), part.ways[0].where.end());
  }
  out = sidesOf(all, tile.params);
  if (!where.empty()) out += " where " + textOf(where, tile.params);
  return out;
}

std::string textOf(const SymbolicTile& tile, const std::vector<i64>& sizes) {
  const std::string out = textOf(tile);
  if (!tile.is() || tile.box.size() != sizes.size()) return out;
  bool whole = true;
  for (std::size_t k = 0; k < sizes.size(); ++k) whole = whole && tile.box[k].lo <= 0 && tile.box[k].hi + 1 >= sizes[k];
  if (whole) return out;
  auto box = mapped<std::string>(tile.box, [](const Range& r) { return fmt::format("{}:{}", r.lo, r.hi + 1); });
  return fmt::format("{}{}of tiles inside [{}]", out, out.find('\n') == std::string::npos ? "; " : "\n",
                     fmt::join(box, ","));
}

std::string textOf(const TileAt& tile) {
  if (tile.kind == TileAt::Kind::Nothing) return "nothing";
  if (tile.kind == TileAt::Kind::None) return "no tile: " + tile.why;
  const auto list = [&](i64 TileSide::*of) { return fmt::format("{}", fmt::join(mapped<i64>(tile.sides, of), ",")); };
  return fmt::format("offsets [{}], sizes [{}], strides [{}]", list(&TileSide::offset), list(&TileSide::size),
                     list(&TileSide::stride));
}

}  // namespace tessera::hlo
