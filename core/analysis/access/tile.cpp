#include "core/analysis/access/tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/arith.h"
#include "core/map/tabulate.h"

namespace tessera {
namespace {

Result<void> checkShape(i64 size, int elementBits) {
  if (!isPowerOfTwo(elementBits) || elementBits > 128)
    return Diag{fmt::format("an element of {} bits has no place in shared memory", elementBits),
                "1, 2, 4, 8, 16, 32, 64 or 128 bits"};
  if (size > Tile::kMaxTileElements)
    return Diag{fmt::format("the tile has {} elements, more than {} and more than any shared memory", size,
                            Tile::kMaxTileElements),
                "a tile of one CTA", "slice it first"};
  return {};
}

// Values of the modes [first, last) of a plain layout, in colex order.
std::vector<i64> tabulate(const cute::Layout& layout, int first, int last) {
  std::vector<i64> out{0};
  for (int k = first; k < last; ++k)
    for (const cute::LayoutLeaf& leaf : flatLeaves(layout.mode(k))) {
      const std::size_t inner = out.size();
      out.reserve(inner * static_cast<std::size_t>(leaf.extent));
      for (i64 d = 1; d < leaf.extent; ++d)
        for (std::size_t i = 0; i < inner; ++i) out.push_back(out[i] + d * leaf.stride.value());
    }
  return out;
}

Result<void> checkOffsets(const std::vector<i64>& offsets, const std::string& text) {
  const i64 least = *std::ranges::min_element(offsets), most = *std::ranges::max_element(offsets);
  if (least < 0)
    return Diag{fmt::format("{} has the negative offset {}", text, least), "offsets >= 0", "add an offset"};
  if (most > (i64{1} << 48)) return Diag{fmt::format("{} reaches offset {}", text, most), "an offset of at most 2^48"};
  return {};
}

// The change of the address for one step along a mode, at the origin.
i64 stepOf(const Arrow& arrow, std::size_t mode) {
  std::size_t first = 0;
  for (std::size_t k = 0; k < mode; ++k) first += arrow.from.modes[k].digits.size();
  std::vector<i64> at(arrow.map.digits().size(), 0);
  const i64 origin = arrow.map.at(at)[0];
  const std::vector<i64>& leaves = arrow.from.modes[mode].digits;
  const auto leaf = std::ranges::find_if(leaves, [](i64 e) { return e > 1; });
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
  const auto first = static_cast<std::size_t>(std::ranges::find_if(modes, counts) - modes.begin());
  if (first == modes.size()) return 1;
  std::size_t last = modes.size() - 1;
  while (!counts(modes[last])) --last;
  if (first == last) return first;
  const bool stages = !arrow.map.params().empty() || stepOf(arrow, last) >= stepOf(arrow, first);
  return stages ? first + 1 : last;
}

}  // namespace

Tile Tile::ofTable(i64 rows, i64 columns, std::vector<i64> offsets, int elementBits, std::string text) {
  Tile tile;
  tile.rows_ = rows;
  tile.columns_ = columns;
  tile.elementBits_ = elementBits;
  tile.offsets_ = std::move(offsets);
  tile.text_ = std::move(text);
  return tile;
}

Result<Tile> Tile::of(const cute::Layout& layout, int elementBits) {
  TESSERA_CHECKED(requirePlain(layout, "an access analysis"));
  TESSERA_CHECKED(checkShape(layout.size(), elementBits));
  const int rowModes = layout.rank() > 1 ? 1 : 0;
  // Separable: offset(r, c) = f(r) + g(c).
  const std::vector<i64> rows = tabulate(layout, 0, rowModes), columns = tabulate(layout, rowModes, layout.rank());
  std::vector<i64> offsets;
  offsets.reserve(rows.size() * columns.size());
  for (const i64 r : rows)
    for (const i64 c : columns) offsets.push_back(r + c);
  TESSERA_CHECKED(checkOffsets(offsets, print(layout)));
  return ofTable(static_cast<i64>(rows.size()), static_cast<i64>(columns.size()), std::move(offsets), elementBits,
                 print(layout));
}

Result<Tile> Tile::of(const Map& map, int elementBits, int rowDigits, std::string text) {
  if (map.axes().empty() || map.indexDigits().size() != map.digits().size() || !map.params().empty())
    return Diag{"an access analysis needs a map from coordinates to one offset, without fans and parameters",
                "one place per coordinate"};
  TESSERA_CHECKED(checkShape(map.size().value_or(std::numeric_limits<i64>::max()), elementBits));
  i64 rows = 1;
  const int digits = static_cast<int>(map.digits().size());
  for (int d = 0; d < rowDigits && digits > 1 && d < digits; ++d) rows *= map.digit(d).extent;
  const i64 columns = *map.size() / rows;
  std::vector<i64> colex(static_cast<std::size_t>(*map.size())), offsets;
  TESSERA_CHECKED(tabulate(map, 0, LinearOrder::Colex, colex));
  offsets.reserve(colex.size());
  for (i64 r = 0; r < rows; ++r)
    for (i64 c = 0; c < columns; ++c) offsets.push_back(colex[static_cast<std::size_t>(r + rows * c)]);
  TESSERA_CHECKED(checkOffsets(offsets, "the map"));
  return ofTable(rows, columns, std::move(offsets), elementBits, text.empty() ? print(map) : std::move(text));
}

i64 Tile::span() const { return 1 + *std::ranges::max_element(offsets_); }

int Tile::contiguousDimension() const {
  if (columns_ > 1 && offset(0, 1) - offset(0, 0) == 1) return 1;
  if (rows_ > 1 && offset(1, 0) - offset(0, 0) == 1) return 0;
  return 1;
}

std::string vectorFault(const Tile& tile, int bytes) {
  const i64 bits = i64{8} * bytes;
  if (bits < tile.elementBits())
    return fmt::format("{} bytes are less than one element of {} bits", bytes, tile.elementBits());
  const i64 n = bits / tile.elementBits();
  const bool alongRow = tile.contiguousDimension() == 1;
  const i64 length = alongRow ? tile.columns() : tile.rows(), others = alongRow ? tile.rows() : tile.columns();
  if (length % n != 0)
    return fmt::format(
        "{} elements along the contiguous dimension are not a multiple of the {} elements of a {}-byte vector", length,
        n, bytes);
  auto at = [&](i64 other, i64 i) { return alongRow ? tile.offset(other, i) : tile.offset(i, other); };
  auto coordinate = [&](i64 other, i64 i) {
    return alongRow ? fmt::format("({},{})", other, i) : fmt::format("({},{})", i, other);
  };
  for (i64 other = 0; other < others; ++other)
    for (i64 start = 0; start < length; start += n) {
      const i64 first = at(other, start);
      if (first % n != 0)
        return fmt::format("{} is at byte {}, not a multiple of {}", coordinate(other, start),
                           first * tile.elementBits() / 8, bytes);
      for (i64 j = 1; j < n; ++j)
        if (at(other, start + j) != first + j)
          return fmt::format("{} is {} elements after {}, not {}", coordinate(other, start + j),
                             at(other, start + j) - first, coordinate(other, start), j);
    }
  return "";
}

int vectorBytes(const Tile& tile) {
  for (int bytes = 16; bytes >= 1; bytes /= 2)
    if (vectorFault(tile, bytes).empty()) return bytes;
  return 0;
}

Result<Arrow> memoryArrowOf(const Layout& layout) {
  TESSERA_TRY(Arrow arrow, layout.arrow());
  if (arrow.map.axes().size() != 1) {
    return Diag{fmt::format("{} axes are not one address in memory", arrow.map.axes().size()),
                "a layout with one offset"};
  }
  if (arrow.from.kind == SpaceKind::Hardware || arrow.from.kind == SpaceKind::Memory ||
      arrow.to.kind == SpaceKind::Hardware || arrow.to.kind == SpaceKind::Devices) {
    return Diag{fmt::format("{} maps {} to {}, not to memory addresses", layout.noun(), name(arrow.from.kind),
                            name(arrow.to.kind)),
                "a layout with one offset"};
  }
  return arrow;
}

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
