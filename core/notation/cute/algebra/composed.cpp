#include "core/notation/cute/algebra/composed.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/vector.h"

namespace tessera::cute {

Result<ComposedLayout> withInner(const ComposedLayout& layout, Result<Layout> inner) {
  if (!inner) return inner.error();
  return ComposedLayout::make(layout.outer(), layout.offset(), *std::move(inner), layout.engine());
}

namespace {

// The coarsest modes with these values for one leaf; nullopt if there are none.
std::optional<std::vector<LayoutLeaf>> modesOfTable(const std::vector<i64>& values) {
  std::vector<LayoutLeaf> modes;
  const i64 size = static_cast<i64>(values.size());
  const auto at = [&](i64 x) { return values[static_cast<std::size_t>(x)]; };
  for (i64 unit = 1; unit < size;) {  // values at multiples of unit remain
    i64 run = 1;
    while (unit * run < size && at(unit * run) == run * at(unit)) ++run;
    if ((size / unit) % run != 0) return std::nullopt;
    modes.push_back({run, at(unit)});
    unit *= run;
  }
  if (modes.empty()) modes.push_back({1, 0});
  return modes;
}

}  // namespace

std::optional<Layout> layoutOfTable(const Layout& domain, const std::vector<i64>& table) {
  const i64 origin = table[0];
  std::vector<std::vector<LayoutLeaf>> leaves;
  i64 before = 1;
  for (const LayoutLeaf& l : flatLeaves(domain)) {
    std::vector<i64> values;
    for (i64 x = 0; x < l.extent; ++x) values.push_back(table[static_cast<std::size_t>(x * before)] - origin);
    auto modes = modesOfTable(values);
    if (!modes) return std::nullopt;
    leaves.push_back(*std::move(modes));
    before *= l.extent;
  }
  const Result<Layout> layout = refined(domain.shape(), leaves, domain.isStatic());
  if (!layout) return std::nullopt;
  const std::vector<i64> again = valuesOf(*layout);
  for (std::size_t i = 0; i < table.size(); ++i)
    if (again[i] != table[i] - origin) return std::nullopt;
  return *layout;
}

Result<ComposedSlice> sliceAndOffset(const IntTuple& coord, const ComposedLayout& layout) {
  TESSERA_TRY(const auto part, sliceAndOffset(coord, layout.inner()));
  const auto& [rest, offset] = part;
  TESSERA_TRY(const i64 own, layout.elementOffset());
  const auto start = checkedAdd(own, offset);
  if (!start) return Diag{"the offset does not fit in 64 bits", "smaller offsets"};
  const Swizzle s = layout.elementSwizzle();
  if (layout.isTensor() || (layout.swizzle() != nullptr && s.isIdentity())) return ComposedSlice{rest, *start};
  if (rest.size() <= kTableLimit) {
    const Layout* const affine = layout.outerLayout();
    if (affine != nullptr) TESSERA_CHECKED(requirePlain(*affine, "slice"));
    const auto outer = [&](i64 v) { return affine != nullptr ? (*affine)(v) : s(v); };
    std::vector<i64> table = valuesOf(rest);
    for (i64& v : table) v = outer(*start + v);
    if (const auto plain = layoutOfTable(rest, table)) return ComposedSlice{*plain, outer(*start)};
  }
  ComposedLayout::Outer outer = layout.outer();
  if (layout.swizzle() != nullptr) outer = s;
  TESSERA_TRY(ComposedLayout kept, ComposedLayout::make(std::move(outer), IntTuple(*start), rest));
  return ComposedSlice{std::move(kept), 0};
}

namespace {

// For swizzles on elements and for atoms only; the offset is recast too.
Result<ComposedLayout> recast(const ComposedLayout& layout, i64 n, bool up) {
  TESSERA_TRY(const Layout inner, up ? upcast(layout.inner(), n) : downcast(layout.inner(), n));
  if (layout.engine().kind == Engine::Kind::Smem && layout.swizzle() != nullptr && !layout.engine().bound) {
    // The byte-address domain is unchanged; only the element width changes.
    Engine engine = layout.engine();
    const i64 bits = up ? engine.elementBits * n : engine.elementBits / n;
    if (bits < 1 || bits > 1024 || (!up && engine.elementBits % n != 0))
      return Diag{fmt::format("recast to elements of {} bits", bits), "1 to 1024 bits"};
    engine.elementBits = static_cast<int>(bits);
    engine.text = fmt::format("smem_ptr[{}b](unset)", bits);
    return ComposedLayout::make(layout.outer(), layout.offset(), inner, std::move(engine));
  }
  TESSERA_TRY(const i64 offset, layout.elementOffset());
  if (layout.swizzle() == nullptr) return Diag{"an affine composed layout cannot be recast", "a swizzle"};
  if (up && offset % n != 0)
    return Diag{fmt::format("upcast by {}: the offset {} is inside a new element", n, offset), "an aligned offset"};
  const auto moved = up ? std::optional<i64>(offset / n) : checkedMul(offset, n);
  if (!moved) return Diag{"the offset does not fit in 64 bits", "a smaller offset"};
  TESSERA_TRY(const Swizzle s, up ? upcast(layout.elementSwizzle(), n) : downcast(layout.elementSwizzle(), n));
  return ComposedLayout::make(s, IntTuple(*moved).withStatic(layout.offset().isStatic()), inner);
}

}  // namespace

Result<ComposedLayout> upcast(const ComposedLayout& layout, i64 n) { return recast(layout, n, true); }
Result<ComposedLayout> downcast(const ComposedLayout& layout, i64 n) { return recast(layout, n, false); }

Result<ComposedLayout> recastLayout(const ComposedLayout& layout, i64 oldBits, i64 newBits) {
  if (oldBits < 1 || newBits < 1)
    return Diag{fmt::format("recast from {} to {} bits", oldBits, newBits), "at least 1 bit"};
  if (oldBits % newBits == 0) return downcast(layout, oldBits / newBits);
  if (newBits % oldBits == 0) return upcast(layout, newBits / oldBits);
  return Diag{fmt::format("recast of a swizzle from {} to {} bits", oldBits, newBits), "a power-of-two ratio"};
}

Result<ComposedLayout> composition(const ComposedLayout& a, const Layout& b) {
  return withInner(a, composition(a.inner(), b));
}

Result<Layout> complement(const ComposedLayout& layout, i64 cotarget) {
  TESSERA_TRY(Layout rest, complement(layout.inner(), cotarget));
  TESSERA_TRY(const ComposedLayout filtered, withInner(layout, filter(layout.inner())));
  TESSERA_TRY(std::vector<i64> values, tableOf(filtered));
  std::vector<i64> inner = valuesOf(filtered.inner());
  std::ranges::sort(values);
  std::ranges::sort(inner);
  if (values == inner) return rest;  // the outer function only permutes values
  const i64 sums = checkedMul(rest.size(), static_cast<i64>(values.size())).value_or(INT64_MAX);
  if (sums > kTableLimit)
    return Diag{fmt::format("complement: the values of {} are not those of {}, and {} sums are too many to check",
                            print(layout), print(layout.inner()), sums),
                "at most 2^20 sums"};
  std::vector<i64> all;
  for (const i64 r : valuesOf(rest))
    for (const i64 v : values) all.push_back(v + r);
  std::ranges::sort(all);
  if (const auto twice = std::ranges::adjacent_find(all); twice != all.end())
    return Diag{fmt::format("complement: {} and {} have the same value {}", print(layout), print(rest), *twice),
                "a layout whose outer function permutes its values",
                fmt::format("complement({}, {}) is {}", print(layout.inner()), cotarget, print(rest))};
  return rest;
}

Result<ComposedLayout> asPositionIndependentSwizzleLayout(const ComposedLayout& layout) {
  if (layout.swizzle() == nullptr) return Diag{"a composed layout without a swizzle", "Sw<B,M,S> o ..."};
  const i64 period = layout.elementSwizzle().period();
  TESSERA_TRY(const i64 base, layout.elementOffset());
  if (layout.engine().kind != Engine::Kind::None && base % period != 0)
    return Diag{fmt::format("address {:#x} is not aligned to the swizzle's period of {} elements",
                            layout.engine().address, period),
                "a base address aligned to the period"};
  const IntTuple offset = layout.engine().kind == Engine::Kind::None ? layout.offset() : zeroBeside(layout.inner());
  return ComposedLayout::make(layout.elementSwizzle(), offset, layout.inner());
}

}  // namespace tessera::cute
