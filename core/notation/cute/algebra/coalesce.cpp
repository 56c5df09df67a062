#include "core/notation/cute/algebra/coalesce.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/modes.h"

namespace tessera::cute {

namespace {

// d2 == s * d1 as strides (the bases must match unless both are 0).
bool continues(i64 extent, const IntTuple& d1, const IntTuple& d2) {
  const auto next = checkedMul(extent, d1.value());
  return next && *next == d2.value() && (d1.basis() == d2.basis() || (d1.value() == 0 && d2.value() == 0));
}

// Right to left, like CuTe's bw_coalesce. Keeps the last leaf even at extent 1 if `keepLast`.
std::vector<LayoutLeaf> merged(std::vector<LayoutLeaf> leaves, bool keepLast) {
  std::vector<LayoutLeaf> out;  // reversed
  out.reserve(leaves.size() + 1);
  if (keepLast && !leaves.empty() && leaves.back().extent == 1) leaves.back().extent = 2;
  for (std::size_t k = leaves.size(); k-- > 0;) {
    const LayoutLeaf& l = leaves[k];
    if (l.extent == 1) continue;
    if (!out.empty() && continues(l.extent, l.stride, out.back().stride)) {
      out.back() = {l.extent * out.back().extent, l.stride};
    } else {
      out.push_back(l);
    }
  }
  if (out.empty()) out.push_back({1, IntTuple(0)});
  std::ranges::reverse(out);
  return out;
}

}  // namespace

Result<Layout> coalesce(const Layout& layout) {
  TESSERA_CHECKED(requireKnown(layout, "coalesce"));
  return ofLeaves(merged(flatLeaves(layout), false), layout.isStatic());
}

Result<Layout> coalesceUnbounded(const Layout& layout) {
  TESSERA_CHECKED(requireKnown(layout, "coalesce"));
  // Extent 2 represents "unbounded"; if it overflows the offsets, the mode cannot be used anyway.
  Result<Layout> wide = ofLeaves(merged(flatLeaves(layout), true), layout.isStatic());
  return wide ? wide : coalesce(layout);
}

Result<Layout> coalesce(const Layout& layout, const IntTuple& profile) {
  if (profile.isLeaf()) return coalesce(layout);
  if (profile.rank() > layout.rank())
    return Diag{fmt::format("profile {} has {} modes, but layout {} has {}", print(profile), profile.rank(),
                            print(layout), layout.rank()),
                "a profile with at most as many modes"};
  std::vector<Layout> modes = layout.modes();
  for (int k = 0; k < profile.rank(); ++k) {
    Layout& mode = modes[static_cast<std::size_t>(k)];
    TESSERA_TRY(mode, coalesce(mode, profile.mode(k)));
  }
  return makeLayout(modes);
}

Result<Layout> coalesced(const std::vector<LayoutLeaf>& leaves, bool isStatic) {
  TESSERA_TRY(const Layout whole, ofLeaves(leaves, isStatic));
  TESSERA_TRY(const Layout merged, coalesce(whole));
  return merged.withStatic(isStatic);
}

Result<Layout> filterZeros(const Layout& layout) {
  std::vector<IntTuple> extents = layout.shape().leaves();
  const std::vector<IntTuple> strides = layout.stride().leaves();
  for (std::size_t k = 0; k < extents.size(); ++k)
    if (strides[k].isKnown() && strides[k].value() == 0) extents[k] = IntTuple(1).withStatic(extents[k].isStatic());
  return Layout::make(withLeaves(layout.shape(), extents), layout.stride());
}

Result<Layout> filter(const Layout& layout) {
  TESSERA_TRY(const Layout zeros, filterZeros(layout));
  return coalesce(zeros);
}

Result<Layout> nullspace(const Layout& layout) {
  TESSERA_CHECKED(requireKnown(layout, "nullspace"));
  std::vector<LayoutLeaf> kernel;
  i64 before = 1;
  for (const LayoutLeaf& l : flatLeaves(layout)) {
    if (l.stride.value() == 0) kernel.push_back({l.extent, IntTuple(l.extent == 1 ? 0 : before)});
    before *= l.extent;
  }
  if (kernel.empty()) kernel.push_back({1, IntTuple(0)});
  return ofLeaves(kernel, layout.isStatic());
}

Result<Layout> flatten(const Layout& layout) { return Layout::make(flatten(layout.shape()), flatten(layout.stride())); }

bool equalAsFunctions(const Layout& a, const Layout& b) {
  if (a.size() != b.size()) return false;
  const Result<Layout> x = coalesce(a), y = coalesce(b);
  return x && y && *x == *y;
}

}  // namespace tessera::cute
