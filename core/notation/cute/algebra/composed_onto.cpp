// Composed layouts as the second operand: moves their swizzle to the other side of a layout.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/complement.h"
#include "core/notation/cute/algebra/composed.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/index_function.h"
#include "core/notation/cute/algebra/moved_swizzle.h"

namespace tessera::cute {

namespace {

Result<i64> valueAt(const IndexFunction& f, i64 y) {
  const auto value = f.at(y);
  if (!value) return Diag{fmt::format("the value at {} does not fit in 64 bits", y), "smaller strides"};
  return (*value)[0];
}

// A at each of the given indices, evaluated past its end as in C++.
Result<std::vector<i64>> readThrough(const Layout& a, std::vector<i64> indices) {
  TESSERA_CHECKED(requirePlain(a, "composition"));
  TESSERA_TRY(const Layout wide, coalesceUnbounded(a));
  const IndexFunction f(wide);
  for (i64& y : indices) {
    TESSERA_TRY(y, valueAt(f, y));
  }
  return indices;
}

Result<void> requireBare(const ComposedLayout& b) {
  if (b.engine().kind == Engine::Kind::None && !b.isTensor()) return {};
  return Diag{fmt::format("{} has a pointer, and what it is applied to would be an address", print(b)),
              "Sw o 0 o layout"};
}

// Sw' o 0 o inner with these values, or a layout alone, or a constant and a layout; a Diag names the first index where
// the best swizzle is wrong.
Result<ComposedLayout> withValues(const Layout& domain, const Result<Layout>& inner, const std::vector<i64>& wanted,
                                  const std::optional<Swizzle>& first, const char* law) {
  std::optional<Diag> refusal;
  if (inner) {
    const std::vector<i64> from = valuesOf(*inner);
    const MovedSwizzle moved = movedSwizzle(from, wanted, from == wanted ? std::nullopt : first);
    if (moved.prefix == inner->size()) return ComposedLayout::make(moved.swizzle, zeroBeside(*inner), *inner);
    const auto at = static_cast<std::size_t>(moved.prefix);
    refusal = Diag{fmt::format("no swizzle Sw o 0 o {} satisfies {}: at i = {} that is {}, but {} gives {}",
                               print(*inner), law, at, wanted[at], print(moved.swizzle), moved.swizzle(from[at])),
                   "a layout through which the bits of the swizzle stay bits"};
  }
  if (const auto plain = layoutOfTable(domain, wanted)) {
    const IntTuple start = domain.isStatic() ? IntTuple::staticLeaf(wanted[0]) : IntTuple(wanted[0]);
    return ComposedLayout::make(Swizzle(), start, *plain);
  }
  return refusal ? *refusal : inner.error();
}

}  // namespace

Result<std::vector<i64>> tableOf(const ComposedLayout& layout) {
  const Layout& b = layout.inner();
  TESSERA_CHECKED(requirePlain(b, "a table of values"));
  if (b.size() > kTableLimit) {
    return Diag{
        fmt::format("{} has {} elements, and more than 2^20 are not looked at one by one", print(layout), b.size()),
        "a smaller layout"};
  }
  TESSERA_TRY(const i64 offset, layout.elementOffset());
  if (!checkedAdd(offset, b.maxOffset()) || !checkedAdd(offset, b.minOffset())) {
    return Diag{"the offset does not fit in 64 bits", "smaller offsets"};
  }
  std::vector<i64> values = valuesOf(b);
  for (i64& v : values) v += offset;
  if (const Layout* affine = layout.outerLayout()) return readThrough(*affine, std::move(values));
  const Swizzle s = layout.elementSwizzle();
  for (i64& v : values) v = s(v);
  return values;
}

Result<ComposedLayout> composition(const Layout& a, const ComposedLayout& b) {
  TESSERA_CHECKED(requirePlain(a, "composition"));
  TESSERA_CHECKED(requireBare(b));
  TESSERA_TRY(const std::vector<i64> indices, tableOf(b));
  TESSERA_TRY(const std::vector<i64> wanted, readThrough(a, indices));
  if (const Layout* affine = b.outerLayout()) {
    const Result<Layout> outer = composition(a, *affine);
    if (outer) {
      TESSERA_TRY(ComposedLayout moved, ComposedLayout::make(*outer, b.offset(), b.inner()));
      const auto values = tableOf(moved);
      if (values && *values == wanted) return moved;
    }
    const Diag none{"no layout outside has the values of A o B on this domain", "an outer layout within A"};
    return withValues(b.inner(), outer ? Result<Layout>(none) : Result<Layout>(outer.error()), wanted, {}, "");
  }
  TESSERA_TRY(const i64 offset, b.elementOffset());
  Result<Layout> inner = composition(a, b.inner());
  if (offset != 0) inner = Diag{fmt::format("A o {}: the offset is between A and the swizzle", print(b)), "offset 0"};
  return withValues(b.inner(), inner, wanted, masksThrough(a, b.elementSwizzle()), "R(i) = A(L(i))");
}

Result<ComposedLayout> composition(const Layout& a, const Swizzle& b) {
  TESSERA_CHECKED(requirePlain(a, "composition"));
  TESSERA_TRY(const Layout identity, Layout::make(IntTuple(a.size()), IntTuple(1)));
  TESSERA_TRY(const ComposedLayout order, ComposedLayout::make(b, IntTuple(0), identity));
  TESSERA_TRY(const std::vector<i64> indices, tableOf(order));
  TESSERA_TRY(const std::vector<i64> wanted, readThrough(a, indices));
  return withValues(a, a, wanted, masksThrough(a, b), "R(i) = A(Sw(i))");
}

Result<ComposedLayout> composition(const ComposedLayout& a, const ComposedLayout& b) {
  TESSERA_TRY(const ComposedLayout inner, composition(a.inner(), b));
  TESSERA_TRY(const i64 moved, inner.elementOffset());
  const bool plain = inner.swizzle() != nullptr && inner.swizzle()->isIdentity();
  if (plain && moved == 0) return ComposedLayout::make(a.outer(), a.offset(), inner.inner(), a.engine());
  TESSERA_TRY(const i64 offset, a.elementOffset());
  const bool bare = a.swizzle() != nullptr && a.engine().kind == Engine::Kind::None;
  if (bare && offset == 0 && moved == 0 && inner.swizzle() != nullptr) {
    TESSERA_TRY(std::vector<i64> wanted, tableOf(inner));
    for (i64& v : wanted) v = (*a.swizzle())(v);
    const Result<Swizzle> both = compose(*a.swizzle(), *inner.swizzle());
    return withValues(inner.inner(), inner.inner(), wanted, both ? std::optional(*both) : std::nullopt,
                      "R(i) = A(L(i))");
  }
  return Diag{fmt::format("{} o {}: what is applied first becomes {}, and two outer functions are not one", print(a),
                          print(b), print(inner)),
              "a layout shape:stride on the right"};
}

Result<ComposedLayout> logicalProduct(const Layout& a, const ComposedLayout& b) {
  TESSERA_CHECKED(requirePlain(a, "logical_product"));
  TESSERA_CHECKED(requireBare(b));
  TESSERA_TRY(const std::vector<i64> places, tableOf(b));
  const i64 last = *std::max_element(places.begin(), places.end());
  const auto room = last < 0 || last == INT64_MAX ? std::nullopt : checkedMul(a.size(), last + 1);
  const auto size = checkedMul(a.size(), b.inner().size());
  if (!room || !size || *size > kTableLimit) {
    return Diag{"logical_product: more than 2^20 elements under a swizzle are not examined", "a smaller product"};
  }
  TESSERA_TRY(const Layout rest, complement(a, *room));
  TESSERA_TRY(const std::vector<i64> copies, readThrough(rest, places));
  std::vector<i64> wanted;
  for (const i64 start : copies) {
    for (const i64 v : valuesOf(a)) wanted.push_back(start + v);
  }
  const Result<Layout> inner = logicalProduct(a, b.inner());
  TESSERA_TRY(const Layout domain, Layout::make(IntTuple::tuple({a.shape(), b.inner().shape()}),
                                                IntTuple::tuple({a.stride(), b.inner().stride()})));
  const std::optional<Swizzle> first = b.swizzle() == nullptr ? std::nullopt : masksThrough(rest, *b.swizzle());
  return withValues(domain, inner, wanted, first, "R(i,j) = A(i) + A*(L(j))");
}

}  // namespace tessera::cute
