#include "core/notation/cute/algebra/make.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/slice.h"

namespace tessera::cute {

namespace {

// Compact strides, visiting the leaves in key order (stable).
Result<IntTuple> compactByKey(const IntTuple& shape, const std::vector<i64>& keys) {
  TESSERA_CHECKED(product(shape).ok() ? Result<void>() : Result<void>(product(shape).error()));
  const std::vector<IntTuple> extents = shape.leaves();
  std::vector<std::size_t> visit(extents.size());
  std::iota(visit.begin(), visit.end(), std::size_t{0});
  std::stable_sort(visit.begin(), visit.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<IntTuple> strides(extents.size());
  i64 running = 1;
  for (const std::size_t k : visit) {
    strides[k] = IntTuple(extents[k].value() == 1 ? 0 : running);
    running *= extents[k].value();
  }
  return withLeaves(shape, strides);
}

Result<void> ordersOf(const IntTuple& shape, const IntTuple& order, std::vector<i64>& keys) {
  if (order.isLeaf()) {
    if (!order.isKnown()) return Diag{fmt::format("{} is not an order", print(order)), "integers"};
    keys.insert(keys.end(), shape.leafCount(), order.value());
    return {};
  }
  if (shape.isLeaf() || shape.rank() != order.rank()) {
    return Diag{fmt::format("order {} does not fit shape {}", print(order), print(shape)), "one number for each mode"};
  }
  for (int k = 0; k < shape.rank(); ++k) TESSERA_CHECKED(ordersOf(shape.mode(k), order.mode(k), keys));
  return {};
}

Result<Layout> withStrides(const IntTuple& shape, Result<IntTuple> stride) {
  if (!stride) return stride.error();
  return Layout::make(shape, stride->withStatic(shape.allStatic()));
}

}  // namespace

Result<Layout> makeLayoutLeft(const IntTuple& shape) { return Layout::compact(shape); }

Result<Layout> makeLayoutRight(const IntTuple& shape) {
  std::vector<i64> keys(shape.leafCount());
  for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = -static_cast<i64>(k);
  return withStrides(shape, compactByKey(shape, keys));
}

Result<Layout> makeOrderedLayout(const IntTuple& shape, const IntTuple& order) {
  std::vector<i64> keys;
  TESSERA_CHECKED(ordersOf(shape, order, keys));
  return withStrides(shape, compactByKey(shape, keys));
}

Result<Layout> makeLayoutLike(const Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "make_layout_like"));
  TESSERA_TRY(const Layout moving, filterZeros(layout));
  std::vector<i64> keys;
  for (const LayoutLeaf& l : flatLeaves(layout))
    keys.push_back(l.stride.value() < 0 ? -l.stride.value() : l.stride.value());
  return withStrides(layout.shape(), compactByKey(moving.shape(), keys));
}

Result<Layout> makeFragmentLike(const Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "make_fragment_like"));
  if (layout.rank() <= 1) return makeLayoutLeft(layout.shape());
  TESSERA_TRY(const Layout moving, filterZeros(layout.mode(0)));
  TESSERA_TRY(const Layout strides, Layout::compact(moving.shape()));
  TESSERA_TRY(const Layout first, Layout::make(layout.mode(0).shape(), strides.stride()));
  TESSERA_TRY(const Layout others, take(layout, 1, layout.rank()));
  TESSERA_TRY(const Layout rest, makeOrderedLayout(others.shape(), others.stride()));
  return tiledProduct(first, rest);
}

namespace {

IntTuple identityStrides(const IntTuple& shape, std::vector<int> path) {
  if (shape.isLeaf()) return IntTuple::scaledBasis(1, std::move(path), true);
  std::vector<IntTuple> out;
  for (int k = 0; k < shape.rank(); ++k) {
    std::vector<int> next = path;
    next.push_back(k);
    out.push_back(identityStrides(shape.mode(k), std::move(next)));
  }
  return IntTuple::tuple(std::move(out));
}

}  // namespace

Result<Layout> makeIdentityLayout(const IntTuple& shape) { return Layout::make(shape, identityStrides(shape, {})); }

Result<Layout> domainDistribute(const IntTuple& shape, i64 b) {
  TESSERA_CHECKED(product(shape).ok() ? Result<void>() : Result<void>(product(shape).error()));
  if (b < 1) return Diag{fmt::format("domain_distribute over {} elements", b), "at least 1"};
  std::vector<IntTuple> extents;
  std::vector<IntTuple> strides;
  i64 before = 1;
  i64 rest = b;
  for (const IntTuple& s : shape.leaves()) {
    if (s.value() < 1) return Diag{fmt::format("extent {} is not positive", s.value()), "at least 1"};
    const i64 g = std::gcd(s.value(), rest);
    extents.emplace_back(g);
    strides.emplace_back(g == 1 ? 0 : before);
    rest /= g;
    before *= s.value();
  }
  TESSERA_TRY(const Layout whole,
              Layout::make(IntTuple::tuple(std::move(extents)), IntTuple::tuple(std::move(strides))));
  return coalesce(whole);
}

}  // namespace tessera::cute
