#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "core/hlo/tiles/symbolic_tile.h"

namespace tessera::hlo {
namespace {

std::vector<std::string> namesOf(const std::vector<Param>& params) { return mapped<std::string>(params, &Param::name); }

std::string conditionsOf(const Conditions& where, const std::vector<Param>& params) {
  std::string out;
  for (const Guard& g : where) out += (out.empty() ? "where " : ", ") + textOf(g, params);
  return out;
}

// "offsets [o0, 0], sizes [s0, 8], strides [t0, 1]", for the dimensions in this order.
std::string sidesOf(const std::vector<const SymbolicTile::Dimension*>& dimensions, const std::vector<Param>& params) {
  std::string offsets, sizes, strides, within;
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    const char* const comma = k > 0 ? ", " : "";
    const SymbolicTile::Dimension& d = *dimensions[k];
    offsets += comma + textOf(d.is.offset, params);
    sizes += comma + textOf(d.is.size, params);
    strides += comma + textOf(d.is.stride, params);
    if (d.within) within += fmt::format(", of it what is in [{}, {}]", d.within->lo, d.within->hi);
  }
  return fmt::format("offsets [{}], sizes [{}], strides [{}]{}", offsets, sizes, strides, within);
}

std::string wayOf(const SymbolicTile::Way& way, const std::vector<Param>& params) {
  std::vector<const SymbolicTile::Dimension*> all;
  for (const SymbolicTile::Dimension& d : way.dimensions) all.push_back(&d);
  std::string out = way.nothing ? "nothing" : all.empty() ? "all" : sidesOf(all, params);
  if (!way.where.empty()) out += " " + conditionsOf(way.where, params);
  return out;
}

std::string partOf(const SymbolicTile::Part& part, const std::vector<Param>& params) {
  std::string numbers;
  for (const int k : part.dimensions) numbers += (numbers.empty() ? "" : ", ") + std::to_string(k);
  std::string out = part.dimensions.empty()
                        ? "read:"
                        : fmt::format("dimension{} {}:", part.dimensions.size() > 1 ? "s" : "", numbers);
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

std::string textOf(const SymbolicTile& tile) {
  if (tile.empty) return "nothing";
  if (!tile.is()) return "no tile: " + tile.why();
  const bool oneWay =
      std::all_of(tile.parts.begin(), tile.parts.end(), [](const SymbolicTile::Part& p) { return p.ways.size() == 1; });
  std::string out;
  if (!oneWay) {
    for (const SymbolicTile::Part& part : tile.parts) out += (out.empty() ? "" : "\n") + partOf(part, tile.params);
    return out;
  }
  std::size_t rank = 0;
  for (const SymbolicTile::Part& p : tile.parts) rank += p.dimensions.size();
  std::vector<const SymbolicTile::Dimension*> all(rank);
  Conditions where;
  for (const SymbolicTile::Part& part : tile.parts) {
    for (std::size_t k = 0; k < part.dimensions.size(); ++k)
      all[static_cast<std::size_t>(part.dimensions[k])] = &part.ways[0].dimensions[k];
    where.insert(where.end(), part.ways[0].where.begin(), part.ways[0].where.end());
  }
  out = sidesOf(all, tile.params);
  if (!where.empty()) out += " " + conditionsOf(where, tile.params);
  return out;
}

std::string textOf(const SymbolicTile& tile, const std::vector<i64>& sizes) {
  std::string out = textOf(tile), box;
  bool whole = tile.empty || !tile.is() || tile.box.size() != sizes.size();
  for (std::size_t k = 0; !whole && k < sizes.size(); ++k)
    box += fmt::format("{}{}:{}", k > 0 ? "," : "", tile.box[k].lo, tile.box[k].hi + 1);
  for (std::size_t k = 0; !whole; ++k) {
    if (k == sizes.size()) return out;
    if (tile.box[k].lo > 0 || tile.box[k].hi + 1 < sizes[k]) break;
  }
  return whole ? out : out + (out.find('\n') == std::string::npos ? "; " : "\n") + "of tiles inside [" + box + "]";
}

std::string textOf(const TileAt& tile) {
  if (tile.kind == TileAt::Kind::Nothing) return "nothing";
  if (tile.kind == TileAt::Kind::None) return "no tile: " + tile.why;
  std::string offsets, sizes, strides;
  for (std::size_t k = 0; k < tile.sides.size(); ++k) {
    const char* const comma = k > 0 ? "," : "";
    offsets += comma + std::to_string(tile.sides[k].offset);
    sizes += comma + std::to_string(tile.sides[k].size);
    strides += comma + std::to_string(tile.sides[k].stride);
  }
  return fmt::format("offsets [{}], sizes [{}], strides [{}]", offsets, sizes, strides);
}

}  // namespace tessera::hlo
