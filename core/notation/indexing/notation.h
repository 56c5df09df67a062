// Indexing maps as a notation: Coordinates -> Coordinates, with the last coordinate fastest in a linear index. A single
// result named "offset" or "m" is an address, so an index formula is a memory layout.
#pragma once

#include "core/layout/layout.h"
#include "core/notation/indexing/map.h"

namespace tessera {

template <>
struct NotationOf<indexing::IndexingMap> {
  static std::string_view kind(const indexing::IndexingMap&) { return "map"; }
  static std::string_view noun(const indexing::IndexingMap&) { return "an indexing map"; }
  static Result<Arrow> arrow(const indexing::IndexingMap& map);
};

}  // namespace tessera
