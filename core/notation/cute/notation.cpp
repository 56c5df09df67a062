#include "core/notation/cute/notation.h"

#include "core/notation/cute/lower.h"

namespace tessera {
namespace {

Arrow overModes(Map map, const cute::IntTuple& shape, SpaceKind to) {
  Arrow arrow;
  arrow.from = {SpaceKind::Elements, modesOf(shape), LinearOrder::Colex, 0};
  arrow.to.kind = to;
  arrow.map = std::move(map);
  return arrow;
}

// In place: each fact in a list also has a name to set.
void setFact(LayoutFact& fact, const cute::IntTuple& tuple) {
  if (tuple.isTuple()) {
    auto& list = fact.value.emplace<LayoutFact::Tree>(tuple.children().size());
    for (std::size_t k = 0; k < list.size(); ++k) setFact(list[k], tuple.children()[k]);
  } else if (tuple.isKnown() && tuple.basis().empty()) {
    fact.value = tuple.value();
  } else {
    fact.value = print(tuple);
  }
}

}  // namespace

std::vector<Mode> cute::modesOf(const cute::IntTuple& shape) {
  std::vector<Mode> modes;
  for (int k = 0; k < shape.rank(); ++k) {
    Mode mode;
    for (const cute::IntTuple& leaf : shape.mode(k).leaves()) mode.digits.push_back(leaf.value());
    modes.push_back(std::move(mode));
  }
  return modes;
}

LayoutFact cute::factOf(std::string name, const cute::IntTuple& tuple) {
  LayoutFact fact{std::move(name), {}};
  setFact(fact, tuple);
  return fact;
}

Result<Arrow> NotationOf<cute::Layout>::arrow(const cute::Layout& layout) {
  TESSERA_TRY(Map map, toMap(layout));
  return overModes(std::move(map), layout.shape(), layout.hasBasis() ? SpaceKind::Coordinates : SpaceKind::Memory);
}

Result<Arrow> NotationOf<cute::Layout>::threadValueArrow(const cute::Layout& layout) {
  if (layout.rank() != 2 || layout.hasBasis()) {
    return Diag{print(layout) + " has no modes (thread, value), so it places nothing on threads",
                "a layout of two modes, ((4,8),(2,2)):((32,1),(16,8))"};
  }
  TESSERA_TRY(Arrow arrow, NotationOf<cute::Layout>::arrow(layout));
  arrow.from.kind = SpaceKind::Hardware;
  arrow.from.modes[0].name = "thread";
  arrow.from.modes[1].name = "value";
  arrow.to.kind = SpaceKind::Elements;
  return arrow;
}

LayoutFacts NotationOf<cute::Layout>::facts(const cute::Layout& layout) {
  LayoutFacts facts;
  facts.reserve(6);
  facts.push_back(factOf("shape", layout.shape()));
  facts.push_back(factOf("stride", layout.stride()));
  facts.push_back({"rank", i64{layout.rank()}});
  facts.push_back({"depth", i64{layout.depth()}});
  if (layout.isKnown()) facts.push_back({"size", layout.size()});
  if (layout.isPlain()) facts.push_back({"cosize", layout.cosize()});
  return facts;
}

Result<Arrow> NotationOf<cute::ComposedLayout>::arrow(const cute::ComposedLayout& layout) {
  TESSERA_TRY(Map map, toMap(layout));
  const bool oneAddress = map.axes().size() == 1;
  Arrow arrow = overModes(std::move(map), layout.shape(), oneAddress ? SpaceKind::Memory : SpaceKind::Coordinates);
  arrow.to.elementBits = layout.engine().elementBits;
  return arrow;
}

std::optional<std::string> NotationOf<cute::ComposedLayout>::missingElements(const cute::ComposedLayout& layout) {
  if (!layout.needsElementType()) return std::nullopt;
  const Diag missing = layout.elementTypeMissing();
  return missing.message + "; " + missing.hint;
}

Result<Arrow> NotationOf<cute::Swizzle>::arrow(const cute::Swizzle& swizzle) {
  return Diag{"a swizzle alone has no extent, so it is no map", "S o L, with the layout that it is applied to",
              print(swizzle) + " o 1024:1"};
}

LayoutFacts NotationOf<cute::Swizzle>::facts(const cute::Swizzle& s) {
  return {{"swizzle", LayoutFact::Tree{{"", i64{s.bits()}}, {"", i64{s.base()}}, {"", i64{s.shift()}}}}};
}

}  // namespace tessera
