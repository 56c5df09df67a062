// CATLASS TLA as a notation: a CuTe layout whose origin shape gives the real coordinates (guards).
#pragma once

#include "core/layout/layout.h"
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
