// CATLASS TLA as a notation: a CuTe layout whose origin shape says which coordinates are real (guards).
#pragma once

#include "core/layout/layout.h"
#include "core/notation/tla/tla.h"

namespace tessera {

template <>
struct NotationOf<TlaLayout> {
  static std::string_view kind(const TlaLayout&) { return "layout"; }
  static std::string_view noun(const TlaLayout&) { return "a TLA layout"; }
  static Result<Arrow> arrow(const TlaLayout& layout);
  static LayoutFacts facts(const TlaLayout& layout);
};

}  // namespace tessera
