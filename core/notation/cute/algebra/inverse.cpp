#include "core/notation/cute/algebra/inverse.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/through_points.h"

namespace tessera::cute {

std::vector<IndexRun> indexRuns(const Layout& coalesced) {
  std::vector<IndexRun> runs;
  i64 before = 1;
  for (const LayoutLeaf& l : flatLeaves(coalesced)) {
    if (l.extent > 1) runs.push_back({l.extent, l.stride.value(), before});
    before *= l.extent;
  }
  return runs;
}

namespace {

// Whether 0 <= G(L(i)) < size(L) and L(G(L(i))) == L(i) for all i: by composition if that is a layout, else by
// enumerating the domain.
Result<void> checkLeftInverse(const Layout& layout, const Layout& inverse) {
  if (const Result<Layout> back = composition(inverse, layout)) {
    const Result<Layout> again = composition(layout, *back);
    const bool inside = back->minOffset() >= 0 && back->maxOffset() < layout.size();
    if (inside && again && equalAsFunctions(*again, layout)) return {};
  }
  constexpr i64 kLimit = i64{1} << 20;
  if (layout.size() > kLimit) {
    return Diag{fmt::format("the law of {} could not be checked beyond 2^20 elements", print(layout)),
                "an injective layout"};
  }
  for (i64 i = 0; i < layout.size(); ++i) {
    const i64 value = layout(i);
    const i64 back = inverse(value);
    if (back >= layout.size()) {
      return Diag{fmt::format("at i = {}, L({}) = {}, and G({}) = {} is no index below {}", i, i, value, value, back,
                              layout.size()),
                  "an injective layout"};
    }
    if (layout(back) != value) {
      return Diag{fmt::format("at i = {}, L({}) = {}, G({}) = {}, and L({}) = {}, not {}", i, i, value, value, back,
                              back, layout(back), value),
                  "an injective layout"};
    }
  }
  return {};
}

}  // namespace

Result<Layout> prefixOf(const Layout& layout, i64 n) {
  i64 whole = 1;
  for (const LayoutLeaf& l : flatLeaves(layout)) {
    if (l.extent > n / whole) {
      return composition(layout, *Layout::make(IntTuple(whole * (n / whole)).withStatic(layout.isStatic()),
                                               IntTuple(1).withStatic(layout.isStatic())));
    }
    whole *= l.extent;
  }
  return layout;
}

Result<Layout> rightInverse(const Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "right_inverse"));
  TESSERA_TRY(const Layout flat, coalesce(layout));
  const std::vector<IndexRun> runs = indexRuns(flat);
  std::vector<LayoutLeaf> leaves;
  i64 next = 1;
  while (true) {
    const auto it = std::find_if(runs.begin(), runs.end(), [&](const IndexRun& r) { return r.stride == next; });
    if (it == runs.end()) break;
    leaves.push_back({it->extent, IntTuple(it->before)});
    next *= it->extent;
  }
  return coalesced(leaves, layout.isStatic());
}

namespace {

// CuTe's form: the digit of each stride begins at that stride.
Result<Layout> digitByDigit(const std::vector<IndexRun>& runs, bool isStatic) {
  std::vector<LayoutLeaf> leaves;
  i64 sizeSoFar = 1;
  i64 pending = 0;  // the stride for the next extent: the index step of the mode below
  const i64 last = runs.empty() ? 1 : runs.back().extent;
  for (const IndexRun& r : runs) {
    if (r.stride == 0) continue;
    if (r.stride % sizeSoFar != 0) {
      return Diag{
          fmt::format("stride {} is no multiple of the stride {} below it, so the digits of an offset cannot be "
                      "read off one by one",
                      r.stride, sizeSoFar),
          "sorted strides that each divide by the one before"};
    }
    leaves.push_back({r.stride / sizeSoFar, IntTuple(pending)});
    sizeSoFar = r.stride;
    pending = r.before;
  }
  leaves.push_back({last, IntTuple(pending)});
  return coalesced(leaves, isStatic);
}

// Every offset with every index that has it; nullopt if there are too many.
std::optional<std::vector<Point>> pointsOf(const std::vector<IndexRun>& runs) {
  constexpr i64 kMost = i64{1} << 16;
  std::vector<Point> points = {{0, 0}};
  for (const IndexRun& r : runs) {
    if (r.extent > kMost / static_cast<i64>(points.size())) return std::nullopt;
    const std::size_t count = points.size();
    for (i64 digit = 1; digit < r.extent; ++digit) {
      for (std::size_t k = 0; k < count; ++k) {
        points.push_back({points[k].y + digit * r.stride, points[k].i + digit * r.before});
      }
    }
  }
  return points;
}

}  // namespace

Result<Layout> leftInverse(const Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "left_inverse"));
  TESSERA_TRY(const Layout flat, coalesce(layout));
  std::vector<IndexRun> runs = indexRuns(flat);
  std::stable_sort(runs.begin(), runs.end(), [](const IndexRun& a, const IndexRun& b) { return a.stride < b.stride; });
  if (!runs.empty() && runs[0].stride < 0) {
    return Diag{fmt::format("left_inverse: L({}) = {} is negative, and no layout is read there", runs[0].before,
                            runs[0].stride),
                "strides of at least 0"};
  }
  Result<Layout> inverse = digitByDigit(runs, layout.isStatic());
  if (inverse) {
    const Result<void> holds = checkLeftInverse(flat, *inverse);
    if (holds) return inverse;
    inverse = holds.error();
  }
  const auto points = pointsOf(runs);
  const ThroughPoints through = points ? layoutThrough(*points) : ThroughPoints{std::nullopt, false};
  if (through.layout) {
    return through.layout->withStatic(layout.isStatic());
  }
  Diag diag = inverse.error();
  diag.message = fmt::format(
      "left_inverse: {}; {}", diag.message,
      through.complete ? "no layout G has L(G(L(i))) = L(i) for every i" : "no other G was found in reasonable time");
  return diag;
}

}  // namespace tessera::cute
