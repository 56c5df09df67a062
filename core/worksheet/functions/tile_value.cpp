#include "core/worksheet/functions/tile_value.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/notation/cute/lower.h"
#include "core/worksheet/functions/functions.h"

namespace tessera {
namespace {

// The digits of mode 0, when there is more than one mode.
int rowDigitsOf(const CuteLayout& layout) {
  return layout.rank() < 2 ? 0 : static_cast<int>(flatLeaves(layout.mode(0)).size());
}

const CuteLayout* shapedBy(const Value& value) {
  if (const auto* layout = std::get_if<CuteLayout>(&value)) return layout;
  if (const auto* composed = std::get_if<ComposedLayout>(&value)) return &composed->inner();
  if (const auto* tla = std::get_if<TlaLayout>(&value)) return &tla->layout();
  return nullptr;
}

}  // namespace

Result<TileMap> tileMapOf(const Value& value) {
  if (std::holds_alternative<i64>(value) || std::holds_alternative<IntTuple>(value))
    return Diag{fmt::format("{} is no layout in memory", nounOf(value)), "a layout, shape:stride", "", {}};
  TESSERA_TRY(Map map, toMap(value));
  if (map.axes().size() != 1) {
    return Diag{
        fmt::format("{} axes are no address in one memory", map.axes().size()), "a layout with one offset", "", {}};
  }
  const CuteLayout* shape = shapedBy(value);
  const int digits = static_cast<int>(map.digits().size());
  if (shape != nullptr) return TileMap{std::move(map), rowDigitsOf(*shape)};
  // An array's columns are its last dimension, anything else has the first as its rows.
  const int rowDigits = xlaShapeIn(value) != nullptr ? std::max(digits - 1, 0) : digits > 1 ? 1 : 0;
  return TileMap{std::move(map), rowDigits};
}

Result<Tile> tileOf(const Value& value, int elementBits) {
  if (const auto* layout = std::get_if<CuteLayout>(&value)) return Tile::of(*layout, elementBits);
  if (const auto* composed = std::get_if<ComposedLayout>(&value)) return Tile::of(*composed, elementBits);
  if (const auto* tla = std::get_if<TlaLayout>(&value)) return Tile::of(tla->layout(), elementBits);
  TESSERA_TRY(const TileMap tile, tileMapOf(value));
  return Tile::of(tile.map, elementBits, tile.rowDigits, print(value));
}

std::optional<int> elementBitsOf(const Value& value) {
  if (const XlaShape* array = xlaShapeIn(value); array != nullptr && array->isArray())
    return static_cast<int>(array->storedBits());
  const auto* composed = std::get_if<ComposedLayout>(&value);
  if (composed == nullptr || composed->engine().elementBits == 0) return std::nullopt;
  return composed->engine().elementBits;
}

}  // namespace tessera
