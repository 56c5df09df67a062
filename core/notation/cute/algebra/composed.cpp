#include "core/notation/cute/algebra/composed.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/recast.h"
#include "core/notation/cute/algebra/slice.h"

namespace tessera::cute {

namespace {

Result<ComposedLayout> withInner(const ComposedLayout& layout, Result<Layout> inner) {
  if (!inner) return inner.error();
  return ComposedLayout::make(layout.outer(), layout.offset(), *std::move(inner), layout.engine());
}

// Slices up to this size are read as tables to see whether they are layouts again; larger ones stay composed.
constexpr i64 kTableLimit = i64{1} << 20;

// values[x] for one leaf, as the coarsest layout modes; nullopt when none fits.
struct TableMode {
  i64 extent;
  i64 stride;
};
std::optional<std::vector<TableMode>> modesOfTable(const std::vector<i64>& values) {
  std::vector<TableMode> modes;
  const i64 size = static_cast<i64>(values.size());
  const auto at = [&](i64 x) { return values[static_cast<std::size_t>(x)]; };
  for (i64 unit = 1; unit < size;) {  // values at multiples of unit remain
    i64 run = 1;
    while (unit * run < size && at(unit * run) == run * at(unit)) ++run;
    if ((size / unit) % run != 0) return std::nullopt;
    modes.push_back({run, at(unit)});
    unit *= run;
  }
  return modes;
}

// The plain layout with R(x) == f(x) - f(0) whose shape refines `domain`'s; nullopt when there is none.
template <typename F>
std::optional<Layout> layoutOfFunction(const Layout& domain, const F& f) {
  const std::vector<LayoutLeaf> leaves = flatLeaves(domain);
  const i64 origin = f(0);
  std::vector<IntTuple> shape;
  std::vector<IntTuple> stride;
  i64 before = 1;
  for (const LayoutLeaf& l : leaves) {
    std::vector<i64> values;
    for (i64 x = 0; x < l.extent; ++x) values.push_back(f(x * before) - origin);
    const auto modes = modesOfTable(values);
    if (!modes) return std::nullopt;
    std::vector<IntTuple> extents;
    std::vector<IntTuple> strides;
    for (const TableMode& m : *modes) {
      extents.emplace_back(m.extent);
      strides.emplace_back(m.stride);
    }
    if (extents.empty()) {
      extents.emplace_back(1);
      strides.emplace_back(0);
    }
    shape.push_back(extents.size() == 1 ? extents[0] : IntTuple::tuple(std::move(extents)));
    stride.push_back(strides.size() == 1 ? strides[0] : IntTuple::tuple(std::move(strides)));
    before *= l.extent;
  }
  const bool isStatic = domain.isStatic();
  const Result<Layout> layout = Layout::make(withLeaves(domain.shape(), shape).withStatic(isStatic),
                                             withLeaves(domain.shape(), stride).withStatic(isStatic));
  if (!layout) return std::nullopt;
  for (i64 i = 0; i < domain.size(); ++i) {
    if ((*layout)(i) != f(i) - origin) return std::nullopt;
  }
  return *layout;
}

}  // namespace

Result<ComposedSlice> sliceAndOffset(const IntTuple& coord, const ComposedLayout& layout) {
  TESSERA_TRY(const auto part, sliceAndOffset(coord, layout.inner()));
  const auto& [rest, offset] = part;
  TESSERA_TRY(const i64 own, layout.elementOffset());
  const auto start = checkedAdd(own, offset);
  if (!start) return Diag{"the offset does not fit in 64 bits", "smaller offsets", "", {}};
  const Swizzle s = layout.elementSwizzle();
  if (layout.isTensor() || (layout.swizzle() != nullptr && s.isIdentity())) return ComposedSlice{rest, *start};
  if (rest.size() <= kTableLimit) {
    std::optional<Layout> plain;
    if (const Layout* affine = layout.outerLayout()) {
      TESSERA_CHECKED(requirePlain(*affine, "slice"));
      plain = layoutOfFunction(rest, [&, &rest = rest](i64 i) { return (*affine)(*start + rest(i)); });
      if (plain) return ComposedSlice{*plain, (*affine)(*start)};
    } else {
      plain = layoutOfFunction(rest, [&, &rest = rest](i64 i) { return s(*start + rest(i)); });
      if (plain) return ComposedSlice{*plain, s(*start)};
    }
  }
  ComposedLayout::Outer outer = layout.outer();
  if (layout.swizzle() != nullptr) outer = s;
  TESSERA_TRY(ComposedLayout kept, ComposedLayout::make(std::move(outer), IntTuple(*start), rest));
  return ComposedSlice{std::move(kept), 0};
}

namespace {

// The image of a run of bits under a layout that permutes them; 0 when it does not stay a set of single bits.
i64 imageOfBits(const Layout& layout, i64 mask) {
  i64 image = 0;
  for (int k = 0; k < 62; ++k) {
    const i64 bit = i64{1} << k;
    if ((mask & bit) == 0) continue;
    const i64 value = layout(bit);
    if (!isPowerOfTwo(value)) return 0;
    image |= value;
  }
  return image;
}

}  // namespace

// With R_B = right_inverse(B): L(R(i)) = Sw(B(R(i))) = i iff B(R(i)) = Sw(i), so R(i) = R_B(Sw(i)) on a range that Sw
// maps into itself. Where R_B permutes bits, that is Sw' o R_B with the masks moved through R_B.
Result<ComposedLayout> rightInverse(const ComposedLayout& layout) {
  if (layout.swizzle() == nullptr) {
    return Diag{"right_inverse of a composed layout without a swizzle", "Sw<B,M,S> o 0 o layout", "", {}};
  }
  TESSERA_TRY(const i64 offset, layout.elementOffset());
  if (offset != 0) {
    return Diag{
        fmt::format("right_inverse: no layout gives back the values below the offset {}", offset), "offset 0", "", {}};
  }
  const Swizzle s = layout.elementSwizzle();
  TESSERA_TRY(const Layout inverse, rightInverse(layout.inner()));
  const i64 n = inverse.size();
  const i64 reads = s.yyyMask();
  const IntTuple zero = inverse.isStatic() ? IntTuple::staticLeaf(0) : IntTuple(0);
  const bool idle = s.isIdentity() || n <= (reads & -reads);  // no source bit is set below n
  if (idle) return ComposedLayout::make(Swizzle(), zero, inverse);
  const auto refuse = [&] {
    return Diag{
        fmt::format("right_inverse: {} does not map [0, {}) to itself bit by bit, so no swizzle of {} undoes it",
                    print(s), n, print(inverse)),
        "an inner layout that reaches a power of two of offsets",
        "",
        {}};
  };
  if (!isPowerOfTwo(n)) return refuse();
  for (const LayoutLeaf& l : flatLeaves(inverse)) {
    if (!isPowerOfTwo(l.extent) || !isPowerOfTwo(l.stride.value())) return refuse();
  }
  // Keep the bit pairs whose source lies below n; their targets have to as well.
  i64 sources = reads & (n - 1);
  i64 targets = 0;
  for (int k = 0; k < 62; ++k) {
    const i64 bit = i64{1} << k;
    if ((sources & bit) != 0) targets |= s.shift() >= 0 ? bit >> s.shift() : bit << -s.shift();
  }
  if ((targets & ~(n - 1)) != 0) return refuse();
  const Result<Swizzle> moved = Swizzle::fromMasks(imageOfBits(inverse, sources), imageOfBits(inverse, targets));
  if (!moved) return refuse();
  // Everything is linear over xor, so agreement on single bits is agreement.
  for (i64 bit = 1; bit < n; bit <<= 1) {
    if ((*moved)(inverse(bit)) != inverse(s(bit))) return refuse();
  }
  return ComposedLayout::make(*moved, zero, inverse);
}

namespace {

// Only for element-domain swizzles and atoms; offsets must recast too.
Result<ComposedLayout> recast(const ComposedLayout& layout, i64 n, bool up) {
  TESSERA_TRY(const Layout inner, up ? upcast(layout.inner(), n) : downcast(layout.inner(), n));
  if (layout.engine().kind == Engine::Kind::Smem && layout.swizzle() != nullptr && !layout.engine().bound) {
    // The byte-address domain stays; only the element label changes.
    Engine engine = layout.engine();
    const i64 bits = up ? engine.elementBits * n : engine.elementBits / n;
    if (bits < 1 || bits > 1024 || (!up && engine.elementBits % n != 0)) {
      return Diag{fmt::format("recast to elements of {} bits", bits), "1 to 1024 bits", "", {}};
    }
    engine.elementBits = static_cast<int>(bits);
    engine.text = fmt::format("smem_ptr[{}b](unset)", bits);
    return ComposedLayout::make(layout.outer(), layout.offset(), inner, std::move(engine));
  }
  TESSERA_TRY(const i64 offset, layout.elementOffset());
  if (layout.swizzle() == nullptr) return Diag{"recast of an affine composed layout", "a swizzle", "", {}};
  if (up && offset % n != 0) {
    return Diag{
        fmt::format("upcast by {}: the offset {} is inside a new element", n, offset), "an aligned offset", "", {}};
  }
  const auto moved = up ? std::optional<i64>(offset / n) : checkedMul(offset, n);
  if (!moved) return Diag{"the offset does not fit in 64 bits", "a smaller offset", "", {}};
  TESSERA_TRY(const Swizzle s, up ? upcast(layout.elementSwizzle(), n) : downcast(layout.elementSwizzle(), n));
  const bool isStatic = layout.offset().isStatic();
  return ComposedLayout::make(s, isStatic ? IntTuple::staticLeaf(*moved) : IntTuple(*moved), inner);
}

}  // namespace

Result<ComposedLayout> upcast(const ComposedLayout& layout, i64 n) { return recast(layout, n, true); }
Result<ComposedLayout> downcast(const ComposedLayout& layout, i64 n) { return recast(layout, n, false); }

Result<ComposedLayout> recastLayout(const ComposedLayout& layout, i64 oldBits, i64 newBits) {
  if (oldBits < 1 || newBits < 1) {
    return Diag{fmt::format("recast from {} to {} bits", oldBits, newBits), "at least 1 bit", "", {}};
  }
  if (oldBits % newBits == 0) return downcast(layout, oldBits / newBits);
  if (newBits % oldBits == 0) return upcast(layout, newBits / oldBits);
  return Diag{fmt::format("recast of a swizzle from {} to {} bits", oldBits, newBits), "a power-of-two ratio", "", {}};
}

Result<ComposedLayout> composition(const ComposedLayout& a, const Layout& b) {
  return withInner(a, composition(a.inner(), b));
}
Result<ComposedLayout> composition(const ComposedLayout& a, const Tiler& b) {
  return withInner(a, composition(a.inner(), b));
}
Result<ComposedLayout> composition(const Swizzle& a, const Layout& b) {
  return ComposedLayout::make(a, b.isStatic() ? IntTuple::staticLeaf(0) : IntTuple(0), b);
}

Result<ComposedLayout> logicalDivide(const ComposedLayout& a, const Tiler& b) {
  return withInner(a, logicalDivide(a.inner(), b));
}
Result<ComposedLayout> zippedDivide(const ComposedLayout& a, const Tiler& b) {
  return withInner(a, zippedDivide(a.inner(), b));
}
Result<ComposedLayout> tiledDivide(const ComposedLayout& a, const Tiler& b) {
  return withInner(a, tiledDivide(a.inner(), b));
}
Result<ComposedLayout> flatDivide(const ComposedLayout& a, const Tiler& b) {
  return withInner(a, flatDivide(a.inner(), b));
}
Result<ComposedLayout> logicalDivide(const ComposedLayout& a, const Layout& b) {
  return withInner(a, logicalDivide(a.inner(), b));
}
Result<ComposedLayout> zippedDivide(const ComposedLayout& a, const Layout& b) {
  return withInner(a, zippedDivide(a.inner(), b));
}
Result<ComposedLayout> tileToShape(const ComposedLayout& block, const IntTuple& shape) {
  return withInner(block, tileToShape(block.inner(), shape));
}
Result<ComposedLayout> tileToShape(const ComposedLayout& block, const IntTuple& shape, const IntTuple& order) {
  return withInner(block, tileToShape(block.inner(), shape, order));
}

Result<ComposedLayout> asPositionIndependentSwizzleLayout(const ComposedLayout& layout) {
  if (layout.swizzle() == nullptr) return Diag{"a composed layout without a swizzle", "Sw<B,M,S> o ...", "", {}};
  const i64 period = layout.elementSwizzle().period();
  TESSERA_TRY(const i64 base, layout.elementOffset());
  if (layout.engine().kind != Engine::Kind::None && base % period != 0) {
    return Diag{fmt::format("address {:#x} is not aligned to the swizzle's period of {} elements",
                            layout.engine().address, period),
                "a base address aligned to the period",
                "",
                {}};
  }
  const IntTuple offset = layout.engine().kind == Engine::Kind::None
                              ? layout.offset()
                              : (layout.inner().isStatic() ? IntTuple::staticLeaf(0) : IntTuple(0));
  return ComposedLayout::make(layout.elementSwizzle(), offset, layout.inner());
}

}  // namespace tessera::cute
