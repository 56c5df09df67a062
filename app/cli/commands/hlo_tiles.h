// The option --tile of tessera hlo: parses it, and computes the tile of one map.
//
//     [8,128]       the first element as a function of the tile number, and the sizes (core/hlo/tiles/tile.h)
//     [T,128]       a name is a symbolic size; the tile may start anywhere: o0, o1 (core/hlo/tiles/symbolic_tile.h)
//     any           tiles of any size and stride: o0, s0, t0, o1 ...
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "app/engine/json_writer.h"
#include "core/hlo/tiles/symbolic_tile.h"
#include "core/hlo/tiles/tile.h"

namespace tessera {

struct TileOption {
  bool any = false;
  std::vector<hlo::TileSize> sizes;
  [[nodiscard]] bool isNumbers() const;
};
[[nodiscard]] Result<TileOption> parseTileOption(std::string_view text);

struct ReportedTile {
  std::variant<hlo::OperandTile, hlo::SymbolicTile> tile;
  std::string text;  // for a symbolic tile, one line per case
};
// `sizes`: of the array that is the map's domain.
[[nodiscard]] Result<ReportedTile> reportedTile(const Map& map, const std::vector<i64>& sizes,
                                                const TileOption& option);
// Writes "is", "text" and the rest as members of the current object.
void write(const ReportedTile& reported, JsonWriter& json);

}  // namespace tessera
