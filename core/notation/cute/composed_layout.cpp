#include "core/notation/cute/composed_layout.h"

#include <fmt/format.h>

#include "core/base/arith.h"

namespace tessera::cute {

namespace {

// Bytes -> elements of `bits` bits: xor acts on byte addresses, layouts count elements.
Result<Swizzle> swizzleOnElements(const Swizzle& onBytes, int bits) {
  if (bits == 0) return onBytes;
  if (!isPowerOfTwo(bits)) {
    return Diag{fmt::format("a swizzle on {}-bit elements: not a power of two", bits),
                "1, 2, 4, 8, 16, 32, 64, 128 bits",
                "",
                {}};
  }
  return bits >= 8 ? upcast(onBytes, bits / 8) : downcast(onBytes, 8 / bits);
}

}  // namespace

Result<ComposedLayout> ComposedLayout::make(Outer outer, IntTuple offset, Layout inner, Engine engine) {
  if (outer.index() == 0 && engine.kind == Engine::Kind::None) {
    return Diag{"a composed layout without an outer function", "a swizzle, a layout or a pointer before ` o `", "", {}};
  }
  if (offset.hasWildcard()) {
    return Diag{fmt::format("offset {} has a wildcard", print(offset)), "an integer or a tuple of integers", "", {}};
  }
  if (const auto* affine = std::get_if<Layout>(&outer); affine != nullptr && affine->hasBasis() && inner.hasBasis()) {
    return Diag{"both layouts have scaled bases", "one of them with integer strides", "", {}};
  }
  Swizzle onElements;
  if (const auto* s = std::get_if<Swizzle>(&outer)) {
    if (inner.hasBasis()) {
      return Diag{
          fmt::format("a swizzle works on integers, {} maps to coordinates", print(inner)), "integer strides", "", {}};
    }
    TESSERA_TRY(onElements, swizzleOnElements(*s, engine.kind == Engine::Kind::None ? 0 : engine.elementBits));
  }
  return ComposedLayout(std::move(outer), std::move(offset), std::move(inner), std::move(engine), onElements);
}

Result<i64> ComposedLayout::elementOffset() const {
  if (engine_.kind != Engine::Kind::None) {
    const bool bytes = engine_.kind == Engine::Kind::Smem || engine_.kind == Engine::Kind::Gmem ||
                       engine_.kind == Engine::Kind::Raw || engine_.kind == Engine::Kind::Dsl;
    if (!bytes || !engine_.bound || engine_.elementBits == 0) return engine_.address;
    const auto bits = checkedMul(engine_.address, 8);
    if (!bits || *bits % engine_.elementBits != 0) {
      return Diag{fmt::format("address {:#x} is not a multiple of {} bits", engine_.address, engine_.elementBits),
                  "an address aligned to the element",
                  "",
                  {}};
    }
    return *bits / engine_.elementBits;
  }
  const IntTuple offset = unwrapped(offset_);
  if (!offset.isKnown() || !offset.basis().empty()) {
    return Diag{fmt::format("offset {} is not an integer", print(offset_)), "an integer", "", {}};
  }
  return offset.value();
}

namespace {

Result<IntTuple> addTuples(const IntTuple& a, const IntTuple& b) {
  if (a.isLeaf() && b.isLeaf()) {
    if (!a.isKnown() || !b.isKnown()) return Diag{"an unknown value in a sum", "known integers", "", {}};
    const auto sum = checkedAdd(a.value(), b.value());
    if (!sum)
      return Diag{fmt::format("{} + {} does not fit in 64 bits", a.value(), b.value()), "smaller values", "", {}};
    return IntTuple(*sum);
  }
  if (a.isLeaf() && a.isKnown() && a.value() == 0) return b;
  if (b.isLeaf() && b.isKnown() && b.value() == 0) return a;
  if (a.isLeaf() || b.isLeaf()) {
    return Diag{fmt::format("{} and {} do not add", print(a), print(b)), "tuples of one profile", "", {}};
  }
  std::vector<IntTuple> out;
  for (int k = 0; k < std::max(a.rank(), b.rank()); ++k) {
    if (k >= a.rank() || k >= b.rank()) {
      out.push_back(k < a.rank() ? a.mode(k) : b.mode(k));
      continue;
    }
    TESSERA_TRY(IntTuple sum, addTuples(a.mode(k), b.mode(k)));
    out.push_back(std::move(sum));
  }
  return IntTuple::tuple(std::move(out));
}

}  // namespace

Result<IntTuple> ComposedLayout::crd2idx(const IntTuple& coord) const {
  TESSERA_TRY(IntTuple inner, inner_.crd2idx(coord));
  if (engine_.kind != Engine::Kind::None && engine_.kind != Engine::Kind::Arith) {
    TESSERA_TRY(const i64 base, elementOffset());
    if (inner.isTuple()) return Diag{"a pointer and a coordinate do not add", "integer strides", "", {}};
    TESSERA_TRY(inner, addTuples(base, inner));
  } else {
    TESSERA_TRY(inner, addTuples(offset_, inner));
  }
  if (const Layout* affine = outerLayout()) return affine->crd2idx(inner);
  if (swizzle() == nullptr) return inner;
  const IntTuple index = unwrapped(inner);
  if (!index.isKnown()) return Diag{fmt::format("{} is not an index", print(inner)), "an integer", "", {}};
  return IntTuple(elementSwizzle_(index.value()));
}

std::string print(const ComposedLayout& layout) {
  std::string out;
  const Engine& engine = layout.engine();
  if (const Swizzle* s = layout.swizzle())
    out = print(*s) + (engine.kind != Engine::Kind::None && engine.bound ? "_" : " o ");
  if (const Layout* affine = layout.outerLayout()) out = print(*affine) + " o ";
  out += engine.kind != Engine::Kind::None ? engine.text : print(layout.offset());
  return out + " o " + print(layout.inner()) + engine.closing;
}

}  // namespace tessera::cute
