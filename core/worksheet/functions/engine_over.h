// ACCESS over L, TYPE where an engine, not lanes, addresses the
// tile: wgmma...A over S, tma.load over S, tcgen05.ld over T.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/atlas/atlas.h"
#include "core/worksheet/functions/functions.h"

namespace tessera {

struct EngineAsk {
  AtlasRow row;
  std::optional<AtlasOperand> operand;  // of wgmma, tcgen05.mma: the one in shared memory
  std::string element;                  // element type, if the row determines it
};
// The engine access of this row; nullopt if its lanes address memory or hold the tile, or nothing addresses it.
[[nodiscard]] std::optional<EngineAsk> engineOf(const AtlasRow& row, const AtlasOperand* operand);
// The table row of "tma.load", "tma.store.3d".
[[nodiscard]] std::optional<AtlasRow> tmaRow(std::string_view text);
// Argument 1 is the tile.
// A Diag: elements of this type (empty: any) are not as wide as those of the tile.
[[nodiscard]] Result<void> checkBits(const Call& call, const std::string& element, const std::string& what, int bits);
[[nodiscard]] Result<Value> engineOverCall(const Call& call, const EngineAsk& ask, const std::string& what,
                                           const std::string& type, int bits);

}  // namespace tessera
