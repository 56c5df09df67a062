// Shared by the parsers of Axe, mesh and placement text: the cursor for their dialect, where names may contain dots.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/cursor.h"

namespace tessera::axe::spelling {

class Scanner : public Cursor {
 public:
  explicit Scanner(std::string_view text, std::size_t at = 0) : Cursor(text, {.nameAlso = "."}, at) {}
};

// "(8,16)" or "8" -> {8,16}; every entry >= 1.
[[nodiscard]] Result<std::vector<i64>> shapeTuple(Cursor& in);

}  // namespace tessera::axe::spelling
