// A worksheet value as a tile of memory: core/analysis/access/tile.h, with a Diag for a value that is not a layout.
#pragma once

#include "core/analysis/access/tile.h"
#include "core/worksheet/value.h"

namespace tessera {

// A Diag if the value is not a layout in memory (an integer, an instruction).
[[nodiscard]] Result<Layout> memoryLayoutOf(const Value& value);
[[nodiscard]] Result<Arrow> memoryArrowOf(const Value& value);
[[nodiscard]] Result<TileMap> tileMapOf(const Value& value, int elementBits = 0);
[[nodiscard]] Result<Tile> tileOf(const Value& value, int elementBits);
// Why the value has no known addresses: a swizzle on bytes over elements of unknown type. nullopt: it has.
[[nodiscard]] std::optional<std::string> missingElementType(const Value& value);
// "the base address 0x7f2d00000400 is omitted": for a tensor whose pointer has one; otherwise "".
[[nodiscard]] std::string baseAddressNote(const Value& value);
[[nodiscard]] std::optional<int> elementBitsOf(const Value& value);

}  // namespace tessera
