#include "core/notation/tla/notation.h"

#include "core/notation/cute/notation.h"
#include "core/notation/tla/lower.h"

namespace tessera {

Result<Arrow> NotationOf<tla::Layout>::arrow(const tla::Layout& layout) {
  TESSERA_TRY(Arrow arrow, NotationOf<cute::Layout>::arrow(layout.layout()));
  TESSERA_TRY(arrow.map, toMap(layout));
  return arrow;
}

Layout NotationOf<tla::Layout>::underlying(const tla::Layout& layout) { return layout.layout(); }

LayoutFacts NotationOf<tla::Layout>::facts(const tla::Layout& layout) {
  LayoutFacts facts = NotationOf<cute::Layout>::facts(layout.layout());
  facts.push_back(factOf("origin_shape", layout.originShape()));
  return facts;
}

}  // namespace tessera
