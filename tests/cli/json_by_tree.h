// The second opinion on app/engine/json.h: the same answers, built as trees of nlohmann::ordered_json and dumped whole.
#pragma once

#include <string>

#include "app/engine/json.h"

namespace tessera::by_tree {

[[nodiscard]] std::string jsonOf(const Outcome& outcome, const LineIndex& index, const JsonPlace& place);
[[nodiscard]] std::string jsonOf(const Diag& diag, const LineIndex& index, const JsonPlace& place);
[[nodiscard]] std::string jsonOf(const Tally& tally, const std::string& file, double seconds);
[[nodiscard]] std::string jsonOf(const AtlasRow& row);
[[nodiscard]] std::string jsonOfPicture(std::size_t bytes);

}  // namespace tessera::by_tree
