// Shared by the parsers of Axe, mesh and placement text: the cursor for their dialect, where names may contain dots.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "core/base/cursor.h"

namespace tessera::axe::spelling {

class Scanner : public Cursor {
 public:
  explicit Scanner(std::string_view text, std::size_t at = 0) : Cursor(text, {.nameAlso = "."}, at) {}
};

// "(8,16)" or "8" -> {8,16}; every entry >= 1.
[[nodiscard]] inline Result<std::vector<i64>> shapeTuple(Cursor& in) {
  std::vector<i64> shape;
  const bool tuple = in.accept("(");
  do {
    if (tuple && in.peek() == ')') break;
    const std::size_t begin = in.start();
    TESSERA_TRY(const i64 e, in.integer());
    if (e < 1) return in.failFrom(begin, fmt::format("the extent {} is not positive", e), "an extent >= 1");
    shape.push_back(e);
  } while (tuple && in.accept(","));
  if (tuple) TESSERA_CHECKED(in.expect(")", "at the end of the shape"));
  if (shape.empty()) return in.fail("an empty shape", "at least one extent");
  return shape;
}

}  // namespace tessera::axe::spelling
