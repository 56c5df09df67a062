// The lines of a source as pictures show them, and the layout of a picture with a number, a text and marks for each.
//
//     drawnLines("a;\n\tb;")         {"a;", "  b;"}: tabs are two blanks, long lines are cut
//     shownLines(400, {17, 300})     12 ... 22, 0, 295 ... 305: 0 stands for lines that are left out
//
// Law: the result of shownLines has every marked line, and all lines of a short text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace tessera {

[[nodiscard]] std::vector<std::string> drawnLines(std::string_view text);
[[nodiscard]] std::vector<std::size_t> shownLines(std::size_t count, const std::vector<std::size_t>& marked);

}  // namespace tessera
