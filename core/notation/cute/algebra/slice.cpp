#include "core/notation/cute/algebra/slice.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::cute {

namespace {

struct Kept {
  std::vector<IntTuple> shape;
  std::vector<IntTuple> stride;
};

// wildcards: keep the modes under `_` (slice), else those under integers (dice).
Result<void> keep(const IntTuple& coord, const IntTuple& shape, const IntTuple& stride, bool wildcards, Kept& out) {
  if (coord.isLeaf()) {
    if (coord.isWildcard() == wildcards) {
      out.shape.push_back(shape);
      out.stride.push_back(stride);
    }
    return {};
  }
  if (shape.isLeaf() || coord.rank() != shape.rank()) {
    return Diag{fmt::format("coordinate {} does not fit shape {}", print(coord), print(shape)),
                "one coordinate or `_` for each mode"};
  }
  for (int k = 0; k < coord.rank(); ++k) {
    TESSERA_CHECKED(keep(coord.mode(k), shape.mode(k), stride.mode(k), wildcards, out));
  }
  return {};
}

Result<Layout> kept(const IntTuple& coord, const Layout& layout, bool wildcards) {
  if (coord.isWildcard() && wildcards) return layout;
  Kept out;
  TESSERA_CHECKED(keep(coord, layout.shape(), layout.stride(), wildcards, out));
  return Layout::make(IntTuple::tuple(std::move(out.shape)), IntTuple::tuple(std::move(out.stride)));
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

IntTuple withoutWildcards(const IntTuple& coord) {
  std::vector<IntTuple> leaves = coord.leaves();
  for (IntTuple& l : leaves) {
    if (l.isWildcard()) l = IntTuple(0);
  }
  return withLeaves(coord, leaves);
}

Result<std::pair<Layout, i64>> sliceAndOffset(const IntTuple& coord, const Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "slice_and_offset"));
  TESSERA_TRY(Layout rest, slice(coord, layout));
  TESSERA_TRY(const IntTuple offset, layout.crd2idx(withoutWildcards(coord)));
  return std::pair(std::move(rest), offset.value());
}

Result<IntTuple> group(const IntTuple& tuple, i64 begin, i64 end) {
  TESSERA_CHECKED(checkRange(tuple.rank(), begin, end));
  std::vector<IntTuple> out;
  std::vector<IntTuple> inside;
  for (int k = 0; k < tuple.rank(); ++k) {
    (k >= begin && k < end ? inside : out).push_back(tuple.mode(k));
  }
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
    if (k < 0 || k >= tuple.rank()) {
      return Diag{fmt::format("mode {} of a rank-{} layout", k, tuple.rank()),
                  fmt::format("a mode from 0 to {}", tuple.rank() - 1)};
    }
    out.push_back(tuple.mode(static_cast<int>(k)));
  }
  return IntTuple::tuple(std::move(out));
}

Result<Layout> group(const Layout& layout, i64 begin, i64 end) {
  TESSERA_TRY(IntTuple shape, group(layout.shape(), begin, end));
  TESSERA_TRY(IntTuple stride, group(layout.stride(), begin, end));
  return Layout::make(std::move(shape), std::move(stride));
}

Result<Layout> take(const Layout& layout, i64 begin, i64 end) {
  TESSERA_TRY(IntTuple shape, take(layout.shape(), begin, end));
  TESSERA_TRY(IntTuple stride, take(layout.stride(), begin, end));
  return Layout::make(std::move(shape), std::move(stride));
}

Result<Layout> select(const Layout& layout, const std::vector<i64>& modes) {
  TESSERA_TRY(IntTuple shape, select(layout.shape(), modes));
  TESSERA_TRY(IntTuple stride, select(layout.stride(), modes));
  return Layout::make(std::move(shape), std::move(stride));
}

Result<Layout> makeLayout(const std::vector<Layout>& modes) {
  std::vector<IntTuple> shape;
  std::vector<IntTuple> stride;
  for (const Layout& m : modes) {
    shape.push_back(m.shape());
    stride.push_back(m.stride());
  }
  return Layout::make(IntTuple::tuple(std::move(shape)), IntTuple::tuple(std::move(stride)));
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
  const auto marked = [](const IntTuple& t) {
    const std::vector<IntTuple> leaves = t.leaves();
    return std::any_of(leaves.begin(), leaves.end(), [](const IntTuple& l) { return l.isStatic(); });
  };
  if (marked(like.shape()) || marked(like.stride())) return Layout();
  return *Layout::make(IntTuple(1), IntTuple(0));
}

Result<Layout> padRank(const Layout& layout, int n) {
  if (layout.rank() >= n) return layout;
  std::vector<Layout> modes = layout.modes();
  while (static_cast<int>(modes.size()) < n) modes.push_back(unitBeside(layout));
  return makeLayout(modes);
}

}  // namespace tessera::cute
