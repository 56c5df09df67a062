#include "core/notation/cute/algebra/modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/mapped.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/divide.h"

namespace tessera::cute {

namespace {

// f of the shape with f of the stride.
template <typename F>
Result<Layout> onBoth(const Layout& layout, const F& f) {
  TESSERA_TRY(IntTuple shape, f(layout.shape()));
  TESSERA_TRY(IntTuple stride, f(layout.stride()));
  return Layout::make(std::move(shape), std::move(stride));
}

// Keeps the modes under `_` if `wildcards` (slice), otherwise those under integers (dice).
Result<void> keep(const IntTuple& coord, const IntTuple& tuple, bool wildcards, std::vector<IntTuple>& out) {
  if (coord.isLeaf()) {
    if (coord.isWildcard() == wildcards) out.push_back(tuple);
    return {};
  }
  if (tuple.isLeaf() || coord.rank() != tuple.rank())
    return Diag{fmt::format("coordinate {} does not fit shape {}", print(coord), print(tuple)),
                "one coordinate or `_` for each mode"};
  for (int k = 0; k < coord.rank(); ++k) TESSERA_CHECKED(keep(coord.mode(k), tuple.mode(k), wildcards, out));
  return {};
}

Result<Layout> kept(const IntTuple& coord, const Layout& layout, bool wildcards) {
  if (coord.isWildcard() && wildcards) return layout;
  return onBoth(layout, [&](const IntTuple& tuple) -> Result<IntTuple> {
    std::vector<IntTuple> out;
    TESSERA_CHECKED(keep(coord, tuple, wildcards, out));
    return IntTuple::tuple(std::move(out));
  });
}

Result<void> checkRange(int rank, i64 begin, i64& end) {
  if (end == -1) end = rank;
  if (begin >= 0 && begin <= end && end <= rank) return {};
  return Diag{fmt::format("modes [{}, {}) of a rank-{} layout", begin, end, rank),
              fmt::format("0 <= begin <= end <= {}", rank)};
}

}  // namespace

Result<Layout> slice(const IntTuple& coord, const Layout& layout) { return kept(coord, layout, true); }
Result<Layout> dice(const IntTuple& coord, const Layout& layout) { return kept(coord, layout, false); }

Result<std::pair<Layout, i64>> sliceAndOffset(const IntTuple& coord, const Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "slice_and_offset"));
  TESSERA_TRY(Layout rest, slice(coord, layout));
  std::vector<IntTuple> leaves = coord.leaves();
  std::replace_if(
      leaves.begin(), leaves.end(), [](const IntTuple& l) { return l.isWildcard(); }, IntTuple(0));
  TESSERA_TRY(const IntTuple offset, layout.crd2idx(withLeaves(coord, leaves)));
  return std::pair(std::move(rest), offset.value());
}

Result<IntTuple> group(const IntTuple& tuple, i64 begin, i64 end) {
  TESSERA_CHECKED(checkRange(tuple.rank(), begin, end));
  std::vector<IntTuple> out, inside;
  for (int k = 0; k < tuple.rank(); ++k) (k >= begin && k < end ? inside : out).push_back(tuple.mode(k));
  out.insert(out.begin() + begin, IntTuple::tuple(std::move(inside)));
  return IntTuple::tuple(std::move(out));
}

Result<IntTuple> take(const IntTuple& tuple, i64 begin, i64 end) {
  TESSERA_CHECKED(checkRange(tuple.rank(), begin, end));
  std::vector<IntTuple> out;
  for (i64 k = begin; k < end; ++k) out.push_back(tuple.mode(static_cast<int>(k)));
  return IntTuple::tuple(std::move(out));
}

Result<IntTuple> select(const IntTuple& tuple, const std::vector<i64>& modes) {
  std::vector<IntTuple> out;
  for (const i64 k : modes) {
    if (k < 0 || k >= tuple.rank())
      return Diag{fmt::format("mode {} of a rank-{} layout", k, tuple.rank()),
                  fmt::format("a mode from 0 to {}", tuple.rank() - 1)};
    out.push_back(tuple.mode(static_cast<int>(k)));
  }
  return IntTuple::tuple(std::move(out));
}

Result<Layout> group(const Layout& layout, i64 begin, i64 end) {
  return onBoth(layout, [&](const IntTuple& t) { return group(t, begin, end); });
}
Result<Layout> take(const Layout& layout, i64 begin, i64 end) {
  return onBoth(layout, [&](const IntTuple& t) { return take(t, begin, end); });
}
Result<Layout> select(const Layout& layout, const std::vector<i64>& modes) {
  return onBoth(layout, [&](const IntTuple& t) { return select(t, modes); });
}

Result<Layout> makeLayout(const std::vector<Layout>& modes) {
  return Layout::make(IntTuple::tuple(mapped<IntTuple>(modes, &Layout::shape)),
                      IntTuple::tuple(mapped<IntTuple>(modes, &Layout::stride)));
}

Result<Layout> joined(const std::vector<Layout>& modes) {
  if (modes.size() == 1 && modes[0].shape().isLeaf()) return modes[0];
  return makeLayout(modes);
}

Result<Layout> append(const Layout& layout, const Layout& extra) {
  std::vector<Layout> modes = layout.modes();
  modes.push_back(extra);
  return makeLayout(modes);
}

Result<Layout> prepend(const Layout& layout, const Layout& extra) {
  std::vector<Layout> modes = layout.modes();
  modes.insert(modes.begin(), extra);
  return makeLayout(modes);
}

IntTuple zeroBeside(const Layout& like) { return IntTuple(0).withStatic(like.isStatic()); }

Layout unitBeside(const Layout& like) {
  const auto isUnmarked = [](const IntTuple& leaf) { return !leaf.isStatic(); };
  if (!everyLeaf(like.shape(), isUnmarked) || !everyLeaf(like.stride(), isUnmarked)) return Layout();
  return *Layout::make(IntTuple(1), IntTuple(0));
}

Result<Layout> padRank(const Layout& layout, int n) {
  if (layout.rank() >= n) return layout;
  std::vector<Layout> modes = layout.modes();
  while (static_cast<int>(modes.size()) < n) modes.push_back(unitBeside(layout));
  return makeLayout(modes);
}

bool Tiler::operator==(const Tiler& other) const { return entries == other.entries; }

namespace {

bool hasColon(const Tiler& tiler) {
  return std::ranges::any_of(tiler.entries, [](const TilerEntry& e) {
    return (e.kind == TilerEntry::Kind::Layout && !e.fromInteger) ||
           (e.kind == TilerEntry::Kind::Nested && hasColon(e.nested));
  });
}

std::string printNested(const Tiler& tiler, char open, char close) {
  std::string out(1, open);
  for (std::size_t k = 0; k < tiler.entries.size(); ++k) {
    const TilerEntry& e = tiler.entries[k];
    if (k > 0) out += ',';
    if (e.kind == TilerEntry::Kind::Whole) {
      out += '_';
    } else if (e.kind == TilerEntry::Kind::Nested) {
      out += printNested(e.nested, open, close);
    } else {
      out += e.fromInteger ? print(e.layout.shape()) : print(e.layout);
    }
  }
  return out + close;
}

}  // namespace

// With a layout inside, C++'s parentheses are unambiguous; without one they would be read as a shape.
std::string print(const Tiler& tiler) {
  return hasColon(tiler) ? printNested(tiler, '(', ')') : printNested(tiler, '<', '>');
}

Result<Tiler> tilerOfShape(const IntTuple& shape) {
  Tiler tiler;
  for (int k = 0; k < shape.rank(); ++k) {
    const IntTuple& s = shape.mode(k);
    TilerEntry entry;
    if (s.isTuple()) {
      entry.kind = TilerEntry::Kind::Nested;
      TESSERA_TRY(entry.nested, tilerOfShape(s));
    } else if (!s.isWildcard()) {
      entry.kind = TilerEntry::Kind::Layout;
      entry.fromInteger = true;
      TESSERA_TRY(entry.layout, Layout::make(s, s.isStatic() ? IntTuple::staticLeaf(1) : IntTuple(1)));
    }
    tiler.entries.push_back(std::move(entry));
  }
  return tiler;
}

Result<i64> size(const Layout& layout) { return product(layout.shape()); }
Result<i64> size(const ComposedLayout& layout) { return product(layout.shape()); }

namespace {

IntTuple plusOne(const IntTuple& t) {
  if (t.isLeaf()) return t.value() + 1;
  return IntTuple::tuple(mapped<IntTuple>(t.children(), plusOne));
}

}  // namespace

Result<IntTuple> cosize(const Layout& layout) {
  TESSERA_CHECKED(requireKnown(layout, "cosize"));
  if (!layout.hasBasis()) return IntTuple(layout.cosize());
  std::vector<IntTuple> last, strides;
  for (const LayoutLeaf& l : flatLeaves(layout)) {
    last.emplace_back(l.extent - 1);
    const i64 d = l.stride.value();
    strides.push_back(IntTuple::scaledBasis(d < 0 ? -d : d, l.stride.basis()));
  }
  TESSERA_TRY(const IntTuple top,
              crd2idx(withLeaves(layout.shape(), last), layout.shape(), withLeaves(layout.shape(), strides)));
  return plusOne(top);
}

Result<IntTuple> cosize(const ComposedLayout& layout) { return cosize(layout.inner()); }

namespace {

// Compact strides, visiting the leaves in key order (stable).
Result<IntTuple> compactByKey(const IntTuple& shape, const std::vector<i64>& keys) {
  TESSERA_CHECKED(product(shape));
  const std::vector<IntTuple> extents = shape.leaves();
  std::vector<std::size_t> visit(extents.size());
  std::iota(visit.begin(), visit.end(), std::size_t{0});
  std::ranges::stable_sort(visit, [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
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
  if (shape.isLeaf() || shape.rank() != order.rank())
    return Diag{fmt::format("order {} does not fit shape {}", print(order), print(shape)), "one number for each mode"};
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
  TESSERA_CHECKED(product(shape));
  if (b < 1) return Diag{fmt::format("domain_distribute over {} elements", b), "at least 1"};
  std::vector<LayoutLeaf> leaves;
  i64 before = 1, rest = b;
  for (const IntTuple& s : shape.leaves()) {
    if (s.value() < 1) return Diag{fmt::format("extent {} is not positive", s.value()), "at least 1"};
    const i64 g = std::gcd(s.value(), rest);
    leaves.push_back({g, g == 1 ? 0 : before});
    rest /= g;
    before *= s.value();
  }
  return coalesced(leaves, false);
}

}  // namespace tessera::cute
