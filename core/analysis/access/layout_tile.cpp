#include "core/analysis/access/layout_tile.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

Result<Arrow> memoryArrowOf(const Layout& layout) {
  TESSERA_TRY(Arrow arrow, layout.arrow());
  if (arrow.map.axes().size() != 1) {
    return Diag{fmt::format("{} axes are no address in one memory", arrow.map.axes().size()),
                "a layout with one offset"};
  }
  if (arrow.from.kind == SpaceKind::Hardware || arrow.from.kind == SpaceKind::Memory ||
      arrow.to.kind == SpaceKind::Hardware || arrow.to.kind == SpaceKind::Devices) {
    return Diag{fmt::format("{} goes from {} to {}, not to addresses of a memory", layout.noun(), name(arrow.from.kind),
                            name(arrow.to.kind)),
                "a layout with one offset"};
  }
  return arrow;
}

namespace {

// The change of the address for one step along a mode, at the origin.
i64 stepOf(const Arrow& arrow, std::size_t mode) {
  std::size_t first = 0;
  for (std::size_t k = 0; k < mode; ++k) first += arrow.from.modes[k].digits.size();
  std::vector<i64> at(arrow.map.digits().size(), 0);
  const i64 origin = arrow.map.at(at)[0];
  const std::vector<i64>& leaves = arrow.from.modes[mode].digits;
  const auto leaf = std::find_if(leaves.begin(), leaves.end(), [](i64 e) { return e > 1; });
  if (leaf == leaves.end()) return 0;
  const auto digit = first + static_cast<std::size_t>(leaf - leaves.begin());
  at[static_cast<std::size_t>(arrow.map.indexDigits()[digit])] = 1;
  return std::abs(arrow.map.at(at)[0] - origin);
}

// The number of modes that form the rows.
std::size_t rowModes(const Arrow& arrow) {
  const std::vector<Mode>& modes = arrow.from.modes;
  if (modes.size() < 3) return modes.size() / 2;
  const auto counts = [](const Mode& m) { return m.extent() > 1; };
  const auto first = static_cast<std::size_t>(std::find_if(modes.begin(), modes.end(), counts) - modes.begin());
  if (first == modes.size()) return 1;
  std::size_t last = modes.size() - 1;
  while (!counts(modes[last])) --last;
  if (first == last) return first;
  const bool stages = !arrow.map.params().empty() || stepOf(arrow, last) >= stepOf(arrow, first);
  return stages ? first + 1 : last;
}

}  // namespace

Result<Layout> withElements(const Layout& layout, int elementBits) {
  if (elementBits == 0 || !layout.missingElements()) return layout;
  return layout.withElements(elementBits).value_or(layout);
}

Result<TileMap> tileMapOf(const Layout& layout, int elementBits) {
  TESSERA_TRY(const Layout typed, withElements(layout, elementBits));
  TESSERA_TRY(Arrow arrow, memoryArrowOf(typed));
  const std::size_t rows = rowModes(arrow);
  int rowDigits = 0;
  for (std::size_t k = 0; k < rows; ++k) rowDigits += static_cast<int>(arrow.from.modes[k].digits.size());
  return TileMap{std::move(arrow.map), rowDigits};
}

Result<Tile> tileOf(const Layout& layout, int elementBits) {
  TESSERA_TRY(const TileMap tile, tileMapOf(layout, elementBits));
  return Tile::of(tile.map, elementBits, tile.rowDigits, print(layout));
}

std::optional<int> elementBitsOf(const Layout& layout) {
  const Result<Arrow>& arrow = layout.arrow();
  if (!arrow || arrow->to.elementBits == 0) return std::nullopt;
  return arrow->to.elementBits;
}

}  // namespace tessera
