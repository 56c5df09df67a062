// --tile of tessera hlo: what it asks for, and the tile of one map.
//
//     [8,128]       of each tile number the first element, of every such tile the sizes (core/hlo/tile.h)
//     [T,128]       a name is a size that is not said; wherever the tile begins: o0, o1 (core/hlo/symbolic_tile.h)
//     any           tiles of any sizes and strides: o0, s0, t0, o1 ...
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "app/engine/json_writer.h"
#include "core/hlo/symbolic_tile.h"
#include "core/hlo/tile.h"

namespace tessera {

struct TileAsked {
  bool any = false;
  std::vector<hlo::TileSize> sizes;
  [[nodiscard]] bool isNumbers() const;
};
[[nodiscard]] Result<TileAsked> tileAsked(std::string_view text);

struct ToldTile {
  std::variant<hlo::OperandTile, hlo::SymbolicTile> tile;
  std::string text;  // of a symbolic tile one line for each case
};
// `sizes` are those of the array that the map goes from.
[[nodiscard]] Result<ToldTile> toldTile(const Map& map, const std::vector<i64>& sizes, const TileAsked& asked);
// "is", "text" and the rest, as members of the object that is begun.
void write(const ToldTile& told, JsonWriter& json);

}  // namespace tessera
