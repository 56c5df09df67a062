#include "core/notation/tla/notation.h"

#include "core/notation/cute/notation.h"
#include "core/notation/tla/lower.h"

namespace tessera {

Result<Arrow> NotationOf<TlaLayout>::arrow(const TlaLayout& layout) {
  TESSERA_TRY(Arrow arrow, NotationOf<CuteLayout>::arrow(layout.layout()));
  TESSERA_TRY(arrow.map, toMap(layout));
  return arrow;
}

LayoutFacts NotationOf<TlaLayout>::facts(const TlaLayout& layout) {
  LayoutFacts facts = NotationOf<CuteLayout>::facts(layout.layout());
  facts.push_back(factOf("origin_shape", layout.originShape()));
  return facts;
}

}  // namespace tessera
