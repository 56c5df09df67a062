// An arrow is a layout by itself: what to_map(L) gives. Its text is its map's.
#pragma once

#include "core/layout/layout.h"

namespace tessera {

[[nodiscard]] inline std::string print(const Arrow& arrow) { return print(arrow.map); }

template <>
struct NotationOf<Arrow> {
  static std::string_view kind(const Arrow&) { return "map"; }
  static std::string_view noun(const Arrow&) { return "a map"; }
  static Result<Arrow> arrow(const Arrow& arrow) { return arrow; }
};

}  // namespace tessera
