// CATLASS TLA as a notation: a CuTe layout whose origin shape gives the real coordinates (guards).
#pragma once

#include "core/base/result.h"
#include "core/layout/layout.h"
#include "core/map/map.h"
#include "core/notation/tla/tla.h"

namespace tessera {

template <>
struct NotationOf<tla::Layout> {
  static std::string_view kind(const tla::Layout&) { return "layout"; }
  static std::string_view noun(const tla::Layout&) { return "a TLA layout"; }
  static Result<Arrow> arrow(const tla::Layout& layout);
  static LayoutFacts facts(const tla::Layout& layout);
  static constexpr std::string_view kFamily = "cute";
  static Layout underlying(const tla::Layout& layout);
};

}  // namespace tessera

namespace tessera::tla {

// The map of the CuTe layout, with guards that mark the coordinates inside originShape as real.
// Law: the map's value at c is crd2offset(c), and c is real iff each of its modes is inside originShape.
[[nodiscard]] Result<Map> toMap(const Layout& layout);

}  // namespace tessera::tla
