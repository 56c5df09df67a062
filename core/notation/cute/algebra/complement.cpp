#include "core/notation/cute/algebra/complement.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/coalesce.h"

namespace tessera::cute {

namespace {

struct PlacedLeaf {
  LayoutLeaf leaf;
  i64 before = 1;  // linear index of this leaf's digit 1
};

// Two modes that overlap. When a multiple of the smaller stride is the larger one, both indices hit the same value.
Diag overlap(const std::vector<PlacedLeaf>& sorted, std::size_t at, i64 span) {
  const PlacedLeaf& high = sorted[at];
  const i64 d = high.leaf.stride.value();
  for (std::size_t k = 0; k < at; ++k) {
    const PlacedLeaf& low = sorted[k];
    const i64 e = low.leaf.stride.value();
    if (d % e == 0 && d / e < low.leaf.extent) {
      const i64 first = d / e * low.before;
      return {fmt::format("complement needs a layout that repeats no value: at i = {} and i = {}, A({}) = A({}) = {}",
                          std::min(first, high.before), std::max(first, high.before), std::min(first, high.before),
                          std::max(first, high.before), d),
              "an injective layout",
              "filter(A) drops the modes of stride 0",
              {}};
    }
  }
  return {fmt::format("complement needs modes that do not interleave: stride {} lies inside the span {} of the modes "
                      "below it",
                      d, span),
          "sorted by stride, each stride at least the extent * stride before it",
          "",
          {}};
}

}  // namespace

Result<Layout> complement(const Layout& a, i64 cotarget) {
  TESSERA_CHECKED(requirePlain(a, "complement"));
  if (cotarget < 1) {
    return Diag{fmt::format("complement up to {}: nothing to fill", cotarget), "a size of at least 1", "", {}};
  }
  // The leaves of filter(A), with their places in A so that a refusal can name indices of A.
  std::vector<PlacedLeaf> sorted;
  i64 before = 1;
  for (const LayoutLeaf& l : flatLeaves(a)) {
    if (l.extent > 1 && l.stride.value() != 0) sorted.push_back({l, before});
    before *= l.extent;
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const PlacedLeaf& x, const PlacedLeaf& y) {
    return x.leaf.stride.value() < y.leaf.stride.value();
  });
  std::vector<IntTuple> shape;
  std::vector<IntTuple> stride;
  i64 span = 1;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const i64 d = sorted[k].leaf.stride.value();
    if (d < 0) {
      return Diag{fmt::format("complement needs values of at least 0: A({}) = {}", sorted[k].before, d),
                  "strides of at least 0",
                  "",
                  {}};
    }
    if (d < span) return overlap(sorted, k, span);
    shape.emplace_back(d / span);
    stride.emplace_back(span);
    span = sorted[k].leaf.extent * d;  // fits: Layout::make checked it
  }
  shape.emplace_back(ceilDiv(cotarget, span));
  stride.emplace_back(span);
  const bool isStatic = a.isStatic();
  Result<Layout> whole = Layout::make(IntTuple::tuple(std::move(shape)), IntTuple::tuple(std::move(stride)));
  if (!whole) return whole;
  TESSERA_TRY(const Layout merged, coalesce(*whole));
  return Layout::make(merged.shape().withStatic(isStatic), merged.stride().withStatic(isStatic));
}

Result<Layout> complement(const Layout& a) {
  TESSERA_CHECKED(requirePlain(a, "complement"));
  TESSERA_TRY(const Layout moving, filter(a));
  return complement(a, moving.cosize());
}

Result<Layout> complement(const Layout& a, const IntTuple& shape) {
  TESSERA_TRY(const i64 n, product(shape));
  return complement(a, n);
}

}  // namespace tessera::cute
