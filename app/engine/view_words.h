#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera {

// "banks fp16 ldmatrix.x4", as behind a show: the view, and the words behind it; commas may stand between.
[[nodiscard]] std::pair<std::string, std::vector<std::string>> viewWords(const std::string& view);

}  // namespace tessera
