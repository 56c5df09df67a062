// An arrow as a layout: the value of to_map(L). It prints as its map with one variable per mode, because text has no
// nested modes: (i0, i1) of ((4,2)):((1,4)) would be read as two dimensions.
#pragma once

#include "core/layout/layout.h"

namespace tessera {

[[nodiscard]] inline std::string print(const Arrow& arrow) {
  const Result<Arrow> whole = isNested(arrow) ? withSimplerModes(arrow) : Result<Arrow>(arrow);
  return print(whole ? whole->map : arrow.map);
}

template <>
struct NotationOf<Arrow> {
  static std::string_view kind(const Arrow&) { return "map"; }
  static std::string_view noun(const Arrow&) { return "a map"; }
  static Result<Arrow> arrow(const Arrow& arrow) { return arrow; }
};

}  // namespace tessera
