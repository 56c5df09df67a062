#include "core/worksheet/functions/tile_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

Result<Arrow> memoryArrowOf(const Value& value) {
  if (std::get_if<Layout>(&value) == nullptr)
    return Diag{fmt::format("{} is no layout in memory", nounOf(value)), "a layout, shape:stride", "", {}};
  TESSERA_TRY(Arrow arrow, arrowOf(value));
  if (arrow.map.axes().size() != 1) {
    return Diag{fmt::format("{} axes are no address in one memory", arrow.map.axes().size()),
                "a layout with one offset",
                "",
                {}};
  }
  if (arrow.from.kind == SpaceKind::Hardware || arrow.from.kind == SpaceKind::Memory ||
      arrow.to.kind == SpaceKind::Hardware || arrow.to.kind == SpaceKind::Devices) {
    return Diag{fmt::format("{} goes from {} to {}, not to addresses of a memory", nounOf(value), name(arrow.from.kind),
                            name(arrow.to.kind)),
                "a layout with one offset",
                "",
                {}};
  }
  return arrow;
}

Result<TileMap> tileMapOf(const Value& value) {
  TESSERA_TRY(Arrow arrow, memoryArrowOf(value));
  const std::vector<Mode>& modes = arrow.from.modes;
  const std::size_t rows = modes.size() < 2 ? 0 : arrow.from.order == LinearOrder::Colex ? 1 : modes.size() - 1;
  int rowDigits = 0;
  for (std::size_t k = 0; k < rows; ++k) rowDigits += static_cast<int>(modes[k].digits.size());
  return TileMap{std::move(arrow.map), rowDigits};
}

Result<Tile> tileOf(const Value& value, int elementBits) {
  TESSERA_TRY(const TileMap tile, tileMapOf(value));
  return Tile::of(tile.map, elementBits, tile.rowDigits, print(value));
}

std::optional<int> elementBitsOf(const Value& value) {
  const Result<Arrow> arrow = arrowOf(value);
  if (!arrow || arrow->to.elementBits == 0) return std::nullopt;
  return arrow->to.elementBits;
}

}  // namespace tessera
