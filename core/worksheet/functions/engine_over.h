// wgmma...A over S, tma.load over S, tcgen05.ld over T: ACCESS over L, TYPE where an engine and no lane addresses the tile.
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
  std::string element;                  // what the elements are, when the row says so
};
// What this row asks of an engine; nullopt when its lanes address memory or hold the tile, or nobody does.
[[nodiscard]] std::optional<EngineAsk> engineOf(const AtlasRow& row, const AtlasOperand* operand);
// "tma.load", "tma.store.3d": the row of the table.
[[nodiscard]] std::optional<AtlasRow> tmaRow(std::string_view text);
// Argument 1 as the tile.
[[nodiscard]] Result<Value> engineOverCall(const Call& call, const EngineAsk& ask, const std::string& what,
                                           const std::string& type, int bits);

}  // namespace tessera
