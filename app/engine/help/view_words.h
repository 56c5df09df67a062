#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera {

// "banks fp16 ldmatrix.x4", as after a show: the view and the words after it, with or without commas.
[[nodiscard]] std::pair<std::string, std::vector<std::string>> viewWords(const std::string& view);

}  // namespace tessera
