// The clipboard, for images: by xclip or wl-copy, or by what a web page sets.
#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"

namespace tessera {

// A Diag says which tool is missing, or how it failed.
[[nodiscard]] Result<void> copyImage(const std::string& png);
// Replaces the tools.
void setImageClipboard(std::function<Result<void>(const std::string& png)> copy);

}  // namespace tessera
