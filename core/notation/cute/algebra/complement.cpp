#include "core/notation/cute/algebra/complement.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/coalesce.h"

namespace tessera::cute {

namespace {

struct PlacedLeaf {
  LayoutLeaf leaf;
  i64 before = 1;  // linear index of this leaf's digit 1
};

// The leaves of filter(A) sorted by stride, with their places in A so that a Diag can name indices of A.
std::vector<PlacedLeaf> sortedLeaves(const Layout& a) {
  std::vector<PlacedLeaf> sorted;
  sorted.reserve(a.shape().leafCount());
  i64 before = 1;
  for (const LayoutLeaf& l : flatLeaves(a)) {
    if (l.extent > 1 && l.stride.value() != 0) sorted.push_back({l, before});
    before *= l.extent;
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const PlacedLeaf& x, const PlacedLeaf& y) {
    return x.leaf.stride.value() < y.leaf.stride.value();
  });
  return sorted;
}

// extent * stride; overflow is beyond every cotarget.
i64 spanOf(const LayoutLeaf& l) { return checkedMul(l.extent, l.stride.value()).value_or(INT64_MAX); }

// Whether each mode begins at or after the span of the modes below it: then the gaps are CuTe's.
bool isChain(const std::vector<PlacedLeaf>& sorted) {
  i64 span = 1;
  for (const PlacedLeaf& p : sorted) {
    if (p.leaf.stride.value() < span) return false;
    span = spanOf(p.leaf);
  }
  return true;
}

std::vector<LayoutLeaf> gapsOfChain(const std::vector<PlacedLeaf>& sorted, i64 cotarget) {
  std::vector<LayoutLeaf> gaps;
  gaps.reserve(sorted.size() + 1);
  i64 span = 1;
  for (const PlacedLeaf& p : sorted) {
    gaps.push_back({p.leaf.stride.value() / span, span});
    span = spanOf(p.leaf);
  }
  gaps.push_back({ceilDiv(cotarget, span), span});
  return gaps;
}

struct Hit {
  i64 value;
  i64 index;  // of A
};

std::vector<Hit> hitsOf(const std::vector<PlacedLeaf>& sorted) {
  std::vector<Hit> hits = {{0, 0}};
  for (const PlacedLeaf& p : sorted) {
    const std::size_t count = hits.size();
    for (i64 digit = 1; digit < p.leaf.extent; ++digit) {
      for (std::size_t k = 0; k < count; ++k) {
        hits.push_back({hits[k].value + digit * p.leaf.stride.value(), hits[k].index + digit * p.before});
      }
    }
  }
  std::sort(hits.begin(), hits.end(),
            [](const Hit& x, const Hit& y) { return std::pair(x.value, x.index) < std::pair(y.value, y.index); });
  return hits;
}

// The smallest t such that the values, in units of g, differ modulo t: copies of A every g * t steps then do not
// overlap. The largest value + 1 always works, and is used if the search would take too long.
i64 periodOf(const std::vector<Hit>& hits, i64 g) {
  constexpr i64 kWork = i64{1} << 24;
  const i64 most = hits.back().value / g + 1;
  const i64 size = static_cast<i64>(hits.size());
  i64 work = 0;
  std::vector<i64> seen;  // last t at which each remainder was seen
  for (i64 t = size; t < most && (work += size) < kWork; ++t) {
    seen.resize(static_cast<std::size_t>(t), 0);
    if (std::all_of(hits.begin(), hits.end(), [&](const Hit& h) {
          return std::exchange(seen[static_cast<std::size_t>(h.value / g % t)], t) != t;
        }))
      return t;
  }
  return most;
}

// Interleaved modes: the gap below all of them is their common factor g, and copies of the whole follow every g * t
// steps, as close as possible without overlap.
Result<std::vector<LayoutLeaf>> gapsOfInterleaved(const std::vector<PlacedLeaf>& sorted, i64 cotarget) {
  constexpr i64 kMost = i64{1} << 16;
  i64 size = 1;
  i64 g = 0;
  i64 reach = 0;
  for (const PlacedLeaf& p : sorted) {
    const auto next = checkedMul(size, p.leaf.extent);
    if (!next || *next > kMost) {
      return Diag{
          fmt::format("complement: the modes interleave, and more than {} values are too many to look at", kMost),
          "sorted by stride, each stride at least the extent * stride before it"};
    }
    size = *next;
    g = std::gcd(g, p.leaf.stride.value());
    reach = std::max(reach, spanOf(p.leaf));
  }
  const std::vector<Hit> hits = hitsOf(sorted);
  for (std::size_t k = 1; k < hits.size(); ++k) {
    if (hits[k].value != hits[k - 1].value) continue;
    const i64 first = hits[k - 1].index, second = hits[k].index;
    return Diag{fmt::format("complement needs a layout that repeats no value: at i = {} and i = {}, A({}) = A({}) = {}",
                            first, second, first, second, hits[k].value),
                "an injective layout", "filter(A) drops the modes of stride 0"};
  }
  const i64 period = g * periodOf(hits, g);
  const i64 copies = ceilDiv(cotarget, period);
  return std::vector<LayoutLeaf>{{g, 1}, {copies == 1 && reach < cotarget ? 2 : copies, period}};
}

}  // namespace

Result<Layout> complement(const Layout& a, i64 cotarget) {
  TESSERA_CHECKED(requirePlain(a, "complement"));
  if (cotarget < 1) {
    return Diag{fmt::format("complement up to {}: nothing to fill", cotarget), "a size of at least 1"};
  }
  const std::vector<PlacedLeaf> sorted = sortedLeaves(a);
  if (!sorted.empty() && sorted[0].leaf.stride.value() < 0) {
    return Diag{fmt::format("complement needs values of at least 0: A({}) = {}", sorted[0].before,
                            sorted[0].leaf.stride.value()),
                "strides of at least 0"};
  }
  std::vector<LayoutLeaf> gaps;
  if (isChain(sorted)) {
    gaps = gapsOfChain(sorted, cotarget);
  } else {
    TESSERA_TRY(gaps, gapsOfInterleaved(sorted, cotarget));
  }
  return coalesced(gaps, a.isStatic());
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
