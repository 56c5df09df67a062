// Parses a tiler from text: a tiler literal or a shape. Statements read tilers as arguments (core/worksheet).
#pragma once

#include "core/notation/cute/text/text.h"

namespace tessera::cute {

inline Result<Tiler> parseTiler(std::string_view text) {
  TESSERA_TRY(Value value, parse(text));
  if (auto* tiler = std::get_if<Tiler>(&value)) return std::move(*tiler);
  if (auto* shape = std::get_if<IntTuple>(&value)) return tilerOfShape(*shape);
  return Diag{"no tiler", "<3:4,8:2>"};
}

}  // namespace tessera::cute
