#include "core/notation/cute/algebra/inverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/mapped.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composition.h"

namespace tessera::cute {

std::vector<IndexRun> indexRuns(const Layout& layout) {
  std::vector<IndexRun> runs;
  i64 before = 1;
  for (const LayoutLeaf& l : flatLeaves(layout)) {
    if (l.extent > 1) runs.push_back({l.extent, l.stride.value(), before});
    before *= l.extent;
  }
  return runs;
}

namespace {

// Whether 0 <= G(L(i)) < size(L) and L(G(L(i))) == L(i) for all i: by composition if possible, else by enumeration.
Result<void> checkLeftInverse(const Layout& layout, const Layout& inverse) {
  if (const Result<Layout> back = composition(inverse, layout)) {
    const Result<Layout> again = composition(layout, *back);
    const bool inside = back->minOffset() >= 0 && back->maxOffset() < layout.size();
    if (inside && again && equalAsFunctions(*again, layout)) return {};
  }
  constexpr i64 kLimit = i64{1} << 20;
  if (layout.size() > kLimit)
    return Diag{fmt::format("the law of {} could not be checked beyond 2^20 elements", print(layout)),
                "an injective layout"};
  for (i64 i = 0; i < layout.size(); ++i) {
    const i64 value = layout(i);
    const i64 back = inverse(value);
    if (back >= layout.size())
      return Diag{fmt::format("at i = {}, L({}) = {}, and G({}) = {} is not an index below {}", i, i, value, value,
                              back, layout.size()),
                  "an injective layout"};
    if (layout(back) != value)
      return Diag{fmt::format("at i = {}, L({}) = {}, G({}) = {}, and L({}) = {}, not {}", i, i, value, value, back,
                              back, layout(back), value),
                  "an injective layout"};
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
    const auto it = std::ranges::find(runs, next, &IndexRun::stride);
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
    if (r.stride % sizeSoFar != 0)
      return Diag{
          fmt::format("stride {} is not a multiple of the stride {} below it, so the digits of an offset cannot be "
                      "read one by one",
                      r.stride, sizeSoFar),
          "sorted strides, each a multiple of the one before"};
    leaves.push_back({r.stride / sizeSoFar, IntTuple(pending)});
    sizeSoFar = r.stride;
    pending = r.before;
  }
  leaves.push_back({last, IntTuple(pending)});
  return coalesced(leaves, isStatic);
}

}  // namespace

std::optional<std::vector<Point>> pointsOf(const std::vector<IndexRun>& runs) {
  constexpr i64 kMost = i64{1} << 16;
  std::vector<Point> points = {{0, 0}};
  for (const IndexRun& r : runs) {
    if (r.extent > kMost / static_cast<i64>(points.size())) return std::nullopt;
    const std::size_t count = points.size();
    for (i64 digit = 1; digit < r.extent; ++digit) {
      for (std::size_t k = 0; k < count; ++k)
        points.push_back({points[k].y + digit * r.stride, points[k].i + digit * r.before});
    }
  }
  return points;
}

Result<Layout> leftInverse(const Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "left_inverse"));
  TESSERA_TRY(const Layout flat, coalesce(layout));
  std::vector<IndexRun> runs = indexRuns(flat);
  std::ranges::stable_sort(runs, [](const IndexRun& a, const IndexRun& b) { return a.stride < b.stride; });
  if (!runs.empty() && runs[0].stride < 0)
    return Diag{fmt::format("left_inverse: L({}) = {} is negative, where layouts are not defined", runs[0].before,
                            runs[0].stride),
                "strides of at least 0"};
  Result<Layout> inverse = digitByDigit(runs, layout.isStatic());
  if (inverse) {
    const Result<void> holds = checkLeftInverse(flat, *inverse);
    if (holds) return inverse;
    inverse = holds.error();
  }
  const auto points = pointsOf(runs);
  const ThroughPoints through = points ? layoutThrough(*points) : ThroughPoints{std::nullopt, false};
  if (through.layout) return through.layout->withStatic(layout.isStatic());
  Diag diag = inverse.error();
  diag.message = fmt::format(
      "left_inverse: {}; {}", diag.message,
      through.complete ? "no layout G has L(G(L(i))) = L(i) for every i" : "no other G was found in reasonable time");
  return diag;
}

namespace {

// Limits on the equations examined; lower for repeated values, where each choice of an index is a separate search.
constexpr i64 kBudget = 400'000;
constexpr i64 kBudgetOfChoices = 20'000;

// All integer solutions of the equations so far: at + every combination of `free`.
struct Solutions {
  std::vector<i128> at;
  std::vector<std::vector<i128>> free;

  void addUnknown() {
    at.push_back(0);
    for (auto& direction : free) direction.push_back(0);
    free.emplace_back(at.size(), 0);
    free.back().back() = 1;
  }

  // Whether this sum has the same value for all solutions.
  [[nodiscard]] bool settles(const std::vector<i64>& coefficients) const;
  // Keeps the solutions of sum coefficients * unknowns == value; false if there are none.
  [[nodiscard]] bool require(const std::vector<i64>& coefficients, i64 value);
};

i128 dot(const std::vector<i64>& a, const std::vector<i128>& b) {
  i128 sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

bool Solutions::settles(const std::vector<i64>& coefficients) const {
  return std::ranges::all_of(free,
                             [&](const std::vector<i128>& direction) { return dot(coefficients, direction) == 0; });
}

bool Solutions::require(const std::vector<i64>& coefficients, i64 value) {
  constexpr i128 kLarge = i128{1} << 60;
  const i128 missing = value - dot(coefficients, at);
  auto slopes = mapped<i128>(free, [&](const auto& direction) { return dot(coefficients, direction); });
  // Euclid's algorithm on the directions until only one of them moves this sum.
  std::size_t pivot = free.size();
  while (true) {
    std::size_t moving = 0;
    for (std::size_t k = 0; k < free.size(); ++k) {
      if (slopes[k] == 0) continue;
      const auto size = [](i128 x) { return x < 0 ? -x : x; };
      if (moving++ == 0 || size(slopes[k]) < size(slopes[pivot])) pivot = k;
    }
    if (moving == 0) return missing == 0;
    if (moving == 1) break;
    for (std::size_t k = 0; k < free.size(); ++k) {
      if (k == pivot || slopes[k] == 0) continue;
      const i128 times = slopes[k] / slopes[pivot];
      slopes[k] -= times * slopes[pivot];
      for (std::size_t u = 0; u < at.size(); ++u) free[k][u] -= times * free[pivot][u];
    }
  }
  if (missing % slopes[pivot] != 0) return false;
  const i128 times = missing / slopes[pivot];
  for (std::size_t u = 0; u < at.size(); ++u) {
    at[u] += times * free[pivot][u];
    if (at[u] > kLarge || at[u] < -kLarge) return false;  // too large for a stride
  }
  free.erase(free.begin() + static_cast<std::ptrdiff_t>(pivot));
  return true;
}

class Search {
 public:
  explicit Search(const std::vector<Point>& points) : points_(points), top_(points.back().y) {
    const bool repeats =
        std::ranges::adjacent_find(points, [](const Point& a, const Point& b) { return a.y == b.y; }) != points.end();
    budget_ = repeats ? kBudgetOfChoices : kBudget;
  }

  ThroughPoints run() {
    for (std::size_t periods = 0; periods == 0 || (top_ >> periods) > 0; ++periods) {
      Solutions strides;
      strides.addUnknown();
      extend(std::move(strides), 0, periods);
      if (found_ || spent()) break;
    }
    return {std::move(found_), !spent()};
  }

 private:
  [[nodiscard]] bool spent() const { return work_ > budget_; }

  [[nodiscard]] std::vector<i64> digitsOf(i64 y) const {
    std::vector<i64> digits;
    i64 below = 1;
    for (const i64 period : chain_) {
      digits.push_back(y % (period / below));
      y /= period / below;
      below = period;
    }
    digits.push_back(y);
    return digits;
  }

  // Tries the chains that extend chain_ by `more` periods. The points below `next` are met.
  void extend(Solutions strides, std::size_t next, std::size_t more) {
    const i64 last = chain_.empty() ? 1 : chain_.back();
    while (next < points_.size() && (more == 0 || points_[next].y / 2 < last)) {
      const i64 y = points_[next].y;
      const std::vector<i64> digits = digitsOf(y);
      const std::size_t first = next;
      while (next < points_.size() && points_[next].y == y) ++next;
      work_ += static_cast<i64>(next - first);
      if (next - first == 1) {
        if (!strides.require(digits, points_[first].i)) return;
      } else if (strides.settles(digits)) {
        const i128 value = dot(digits, strides.at);
        if (std::none_of(points_.begin() + static_cast<std::ptrdiff_t>(first),
                         points_.begin() + static_cast<std::ptrdiff_t>(next),
                         [&](const Point& p) { return p.i == value; }))
          return;
      } else {
        return choose(strides, digits, first, next, more);
      }
    }
    if (more == 0) return keep(strides);
    for (i64 factor = 2; factor <= top_ / last && !found_ && !spent(); ++factor) {
      chain_.push_back(last * factor);
      Solutions wider = strides;
      wider.addUnknown();
      extend(std::move(wider), next, more - 1);
      chain_.pop_back();
      ++work_;
    }
  }

  // Points [first, next) share one y: tries each i, smallest first.
  void choose(const Solutions& strides, const std::vector<i64>& digits, std::size_t first, std::size_t next,
              std::size_t more) {
    for (std::size_t k = first; k < next && !found_ && !spent(); ++k) {
      Solutions chosen = strides;
      if (chosen.require(digits, points_[k].i)) extend(std::move(chosen), next, more);
    }
  }

  void keep(const Solutions& strides) {
    std::vector<LayoutLeaf> leaves;
    i64 below = 1;
    for (std::size_t k = 0; k < strides.at.size(); ++k) {
      const bool isLast = k == chain_.size();
      leaves.push_back({isLast ? top_ / below + 1 : chain_[k] / below, static_cast<i64>(strides.at[k])});
      if (!isLast) below = chain_[k];
    }
    if (const Result<Layout> merged = coalesced(leaves, false)) found_ = *merged;
  }

  const std::vector<Point>& points_;
  i64 top_;
  i64 work_ = 0;
  i64 budget_ = 0;
  std::vector<i64> chain_;  // P_1 | P_2 | ...
  std::optional<Layout> found_;
};

// The same points in units of their common factor; adds an unused first digit.
std::optional<Layout> inUnits(std::vector<Point> points, i64 g) {
  for (Point& p : points) p.y /= g;
  const ThroughPoints scaled = Search(points).run();
  if (!scaled.layout) return std::nullopt;
  std::vector<LayoutLeaf> leaves = flatLeaves(*scaled.layout);
  leaves.insert(leaves.begin(), {g, IntTuple(0)});
  const Result<Layout> merged = coalesced(leaves, false);
  return merged ? std::optional(*merged) : std::nullopt;
}

}  // namespace

ThroughPoints layoutThrough(std::vector<Point> points) {
  std::ranges::sort(points, [](const Point& a, const Point& b) { return std::pair(a.y, a.i) < std::pair(b.y, b.i); });
  if (points.empty()) return {};
  if (points.front().y == 0 && points.front().i != 0) return {};  // every layout maps 0 to 0
  ThroughPoints out = Search(points).run();
  if (out.layout || out.complete) return out;
  i64 g = 0;
  for (const Point& p : points) g = std::gcd(g, p.y);
  if (g > 1) out.layout = inUnits(points, g);
  return out;
}

}  // namespace tessera::cute
