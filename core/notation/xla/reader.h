// Shared by the parsers of XLA text: the cursor for XLA's dialect (blanks, // and /* */ comments), and one production.
#pragma once

#include <string_view>

#include "core/base/cursor.h"
#include "core/notation/xla/shape.h"

namespace tessera::xla {

class Reader : public Cursor {
 public:
  explicit Reader(std::string_view text, std::size_t at = 0)
      : Cursor(text, {.lineComments = true, .blockComments = true, .plus = false}, at) {}
};

// One shape at the cursor.
[[nodiscard]] Result<Shape> readShape(Cursor& in);

}  // namespace tessera::xla
