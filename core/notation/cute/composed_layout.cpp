#include "core/notation/cute/composed_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"

namespace tessera::cute {

Result<ComposedLayout> ComposedLayout::make(Outer outer, IntTuple offset, Layout inner, Engine engine) {
  if (outer.index() == 0 && engine.kind == Engine::Kind::None)
    return Diag{"the composed layout has no outer function", "a swizzle, a layout or a pointer before ` o `"};
  if (offset.hasWildcard())
    return Diag{fmt::format("offset {} has a wildcard", print(offset)), "an integer or a tuple of integers"};
  if (const auto* affine = std::get_if<Layout>(&outer); affine != nullptr && affine->hasBasis() && inner.hasBasis())
    return Diag{"both layouts have scaled bases", "one of them with integer strides"};
  Swizzle onElements;
  if (auto* s = std::get_if<Swizzle>(&outer)) {
    if (s->isIdentity() || engine.elementBits != 0) *s = s->withOnBytes(false);  // a pointer's swizzle acts on bytes
    if (inner.hasBasis())
      return Diag{fmt::format("a swizzle acts on integers, but {} maps to coordinates", print(inner)),
                  "integer strides"};
    onElements = *s;
    if (engine.kind != Engine::Kind::None && engine.elementBits != 0) {
      TESSERA_TRY(onElements, cute::onElements(*s, engine.elementBits));
    }
  }
  return ComposedLayout(std::move(outer), std::move(offset), std::move(inner), std::move(engine), onElements);
}

bool ComposedLayout::needsElementType() const {
  const Swizzle* s = swizzle();
  return s != nullptr && s->onBytes();
}

Diag ComposedLayout::elementTypeMissing() const {
  const Swizzle* s = swizzle();
  const std::string text = print(*this);
  return Diag{fmt::format("{} acts on bytes and {} counts elements: the element type is needed",
                          s != nullptr ? print(*s) : text, print(inner_)),
              "the element type after the layout", fmt::format("write {} over f16", text)};
}

Result<ComposedLayout> ComposedLayout::withElements(int bits) const {
  if (engine_.elementBits != 0 && engine_.elementBits != bits)
    return Diag{fmt::format("{} has elements of {} bits, not of {}", print(*this), engine_.elementBits, bits),
                "its own type"};
  if (!needsElementType()) return *this;
  TESSERA_TRY(const Swizzle onElements, cute::onElements(*swizzle(), bits));
  return make(onElements, offset_, inner_, engine_);
}

namespace {

bool isPointer(const Engine& engine) {
  using Kind = Engine::Kind;
  return engine.kind != Kind::None && engine.kind != Kind::Counting && engine.kind != Kind::Arith;
}

}  // namespace

std::string ComposedLayout::baseAddress() const {
  if (!isPointer(engine_) || !engine_.bound || engine_.address == 0) return "";
  return fmt::format("{:#x}", engine_.address);
}

Result<i64> ComposedLayout::elementOffset() const {
  if (needsElementType()) return elementTypeMissing();
  if (isPointer(engine_)) {
    const bool bytes = engine_.kind != Engine::Kind::Tmem && engine_.kind != Engine::Kind::Subbyte;
    if (!bytes || !engine_.bound || engine_.elementBits == 0 || elementSwizzle_.isIdentity()) return 0;
    // The part of the address below the swizzle's period determines which elements are swapped.
    const std::optional<i64> period = checkedMul(elementSwizzle_.period(), engine_.elementBits);
    const i64 below = period ? engine_.address % std::max<i64>(*period / 8, 1) : engine_.address;
    const i64 bits = checkedMul(below, 8).value_or(INT64_MAX);
    if (bits % engine_.elementBits != 0)
      return Diag{fmt::format("address {:#x} is not a multiple of {} bits", engine_.address, engine_.elementBits),
                  "an address aligned to the element"};
    return bits / engine_.elementBits;
  }
  if (engine_.kind != Engine::Kind::None) return engine_.address;  // counting_iter(42) begins at 42
  const IntTuple offset = unwrapped(offset_);
  if (!offset.isKnown() || !offset.basis().empty())
    return Diag{fmt::format("offset {} is not an integer", print(offset_)), "an integer"};
  return offset.value();
}

namespace {

Result<IntTuple> addTuples(const IntTuple& a, const IntTuple& b) {
  if (a.isLeaf() && b.isLeaf()) {
    if (!a.isKnown() || !b.isKnown()) return Diag{"an unknown value in a sum", "known integers"};
    const auto sum = checkedAdd(a.value(), b.value());
    if (!sum) return Diag{fmt::format("{} + {} does not fit in 64 bits", a.value(), b.value()), "smaller values"};
    return IntTuple(*sum);
  }
  if (a.isLeaf() && a.isKnown() && a.value() == 0) return b;
  if (b.isLeaf() && b.isKnown() && b.value() == 0) return a;
  if (a.isLeaf() || b.isLeaf())
    return Diag{fmt::format("{} and {} cannot be added", print(a), print(b)), "tuples of one profile"};
  return tupleOf(std::max(a.rank(), b.rank()), [&](int k) -> Result<IntTuple> {
    if (k >= a.rank()) return b.mode(k);
    return k >= b.rank() ? a.mode(k) : addTuples(a.mode(k), b.mode(k));
  });
}

}  // namespace

Result<IntTuple> ComposedLayout::crd2idx(const IntTuple& coord) const {
  if (needsElementType()) return elementTypeMissing();
  TESSERA_TRY(IntTuple inner, inner_.crd2idx(coord));
  if (engine_.kind != Engine::Kind::None && engine_.kind != Engine::Kind::Arith) {
    TESSERA_TRY(const i64 base, elementOffset());
    if (inner.isTuple()) return Diag{"a pointer and a coordinate cannot be added", "integer strides"};
    TESSERA_TRY(inner, addTuples(base, inner));
  } else {
    TESSERA_TRY(inner, addTuples(offset_, inner));
  }
  if (const Layout* affine = outerLayout()) return affine->crd2idx(inner);
  if (swizzle() == nullptr) return inner;
  const IntTuple index = unwrapped(inner);
  if (!index.isKnown()) return Diag{fmt::format("{} is not an index", print(inner)), "an integer"};
  return IntTuple(elementSwizzle_(index.value()));
}

std::string print(const ComposedLayout& layout) {
  std::string out;
  const Engine& engine = layout.engine();
  if (const Swizzle* s = layout.swizzle(); s != nullptr && engine.kind != Engine::Kind::Dsl)  // the text has it
    out = print(*s) + (engine.kind != Engine::Kind::None && engine.bound ? "_" : " o ");
  if (const Layout* affine = layout.outerLayout()) out = print(*affine) + " o ";
  out += engine.kind != Engine::Kind::None ? engine.text : print(layout.offset());
  return out + " o " + print(layout.inner()) + engine.closing;
}

}  // namespace tessera::cute
