// The validity checks V1..V7, and the search for two elements at one place.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/base/arith.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/axes.h"

namespace tessera::axe {

namespace detail {

namespace {

struct Search {
  const std::vector<DigitIter>& iters;
  const std::function<bool(const std::vector<i64>&)>& found;
  i64& budget;
  std::vector<std::size_t> order;  // largest |stride| first
  std::vector<i64> least, most;    // range of order[k..]
  std::vector<i64> divisor;        // gcd of the strides of order[k..]; 0 if all are 0
  std::vector<i64> digits;
  bool stopped = false;
  bool complete = true;

  void run(std::size_t level, i64 rest) {
    if (--budget < 0) {
      complete = false;
      stopped = true;
      return;
    }
    if (level == order.size()) {
      if (rest == 0 && !found(digits)) stopped = true;
      return;
    }
    const DigitIter& it = iters[order[level]];
    i64 low = it.low, high = it.low + it.extent - 1;
    if (it.stride != 0) {
      // rest - digit * stride must be in [least, most] of the later levels.
      const i64 a = rest - most[level + 1], b = rest - least[level + 1], s = it.stride;
      low = std::max(low, s > 0 ? ceilDiv(a, s) : ceilDiv(-b, -s));
      high = std::min(high, s > 0 ? floorDiv(b, s) : floorDiv(-a, -s));
    }
    for (i64 d = low; d <= high && !stopped; ++d) {
      const i64 left = rest - d * it.stride;
      const i64 g = divisor[level + 1];
      if (g != 0 ? left % g != 0 : left != 0) {
        if (--budget < 0) complete = false, stopped = true;
        continue;
      }
      digits[order[level]] = d;
      run(level + 1, left);
    }
  }
};

}  // namespace

bool searchDigits(const std::vector<DigitIter>& iters, i64 target, i64& budget,
                  const std::function<bool(const std::vector<i64>&)>& found) {
  Search search{iters, found, budget, {}, {}, {}, {}, {}, false, true};
  const std::size_t n = iters.size();
  search.order.resize(n);
  std::iota(search.order.begin(), search.order.end(), std::size_t{0});
  const auto magnitude = [&](std::size_t k) { return iters[k].stride < 0 ? -iters[k].stride : iters[k].stride; };
  std::ranges::stable_sort(search.order, [&](std::size_t a, std::size_t b) { return magnitude(a) > magnitude(b); });
  search.least.assign(n + 1, 0);
  search.most.assign(n + 1, 0);
  search.divisor.assign(n + 1, 0);
  for (std::size_t k = n; k-- > 0;) {
    const DigitIter& it = iters[search.order[k]];
    const i64 first = it.low * it.stride, last = (it.low + it.extent - 1) * it.stride;
    search.least[k] = search.least[k + 1] + std::min(first, last);
    search.most[k] = search.most[k + 1] + std::max(first, last);
    search.divisor[k] = std::gcd(search.divisor[k + 1], magnitude(search.order[k]));
  }
  search.digits.assign(n, 0);
  if (target < search.least[0] || target > search.most[0]) return true;
  search.run(0, target);
  return search.complete;
}

}  // namespace detail

namespace {

constexpr i64 kSearchBudget = i64{1} << 24;

i64 weightOf(const Layout& layout, std::size_t k) {
  i64 weight = 1;
  for (std::size_t j = k + 1; j < layout.shard().size(); ++j) weight *= layout.shard()[j].extent;
  return weight;
}

}  // namespace

Result<std::optional<Collision>> findCollision(const Layout& layout) {
  // Axes are independent: x and y share a place iff, on every axis, their digits coincide for some replicas, as equal
  // digits always do. So it suffices to find two digit tuples of one axis that coincide:
  //     sum_k (x_k - y_k) s_k + sum_t (r_t - r'_t) s_t == 0,   not all x_k - y_k zero.
  const detail::Replicas replicas = detail::canonicalReplicas(layout.replica());
  i64 budget = kSearchBudget;
  for (const std::string& axis : layout.axes()) {
    std::vector<detail::DigitIter> iters;
    std::vector<std::size_t> which;
    for (std::size_t k = 0; k < layout.shard().size(); ++k) {
      const Iter& it = layout.shard()[k];
      if (it.axis != axis || it.extent == 1) continue;
      iters.push_back({2 * it.extent - 1, it.stride, -(it.extent - 1)});
      which.push_back(k);
    }
    const std::vector<Iter> copies = detail::onAxis(replicas.iters, axis);
    for (const Iter& it : copies) iters.push_back({2 * it.extent - 1, it.stride, -(it.extent - 1)});
    std::vector<i64> difference;
    const bool complete = detail::searchDigits(iters, 0, budget, [&](const std::vector<i64>& solution) {
      for (std::size_t k = 0; k < which.size(); ++k) {
        if (solution[k] == 0) continue;
        difference = solution;
        return false;
      }
      return true;
    });
    if (difference.empty()) {
      if (!complete)
        return Diag{fmt::format("whether two elements share a place on axis {} takes too long to decide", axis)};
      continue;
    }
    Collision found;
    Place place = layout.offset();
    for (const auto& [a, shift] : replicas.shift) place[a] += shift;
    for (std::size_t k = 0; k < which.size(); ++k) {
      const i64 d = difference[k], weight = weightOf(layout, which[k]);
      found.first += std::max<i64>(d, 0) * weight;
      found.second += std::max<i64>(-d, 0) * weight;
      place[axis] += std::max<i64>(d, 0) * layout.shard()[which[k]].stride;
    }
    std::size_t t = which.size();
    for (const Iter& it : copies) place[axis] += std::max<i64>(difference[t++], 0) * it.stride;
    if (found.first > found.second) std::swap(found.first, found.second);
    found.place = std::move(place);
    return std::optional(std::move(found));
  }
  return std::optional<Collision>{};
}

namespace {

// Holds if `wrong` is empty.
Check checkOf(std::string id, std::string subject, std::string fine, std::string wrong) {
  const bool holds = wrong.empty();
  return {std::move(id), std::move(subject), holds, holds ? std::move(fine) : std::move(wrong)};
}

Check checkStrides(const Layout& layout) {
  std::string wrong;
  for (const auto* list : {&layout.shard(), &layout.replica()})
    for (const Iter& it : *list)
      if (it.extent > 1 && it.stride == 0)
        wrong = fmt::format("the iter {}:0@{} does not move (a broadcast, which the paper has no iter for)", it.extent,
                            it.axis);
  return checkOf("V1", "strides are not zero", "every iter moves", std::move(wrong));
}

Check checkInjective(const Layout& layout) {
  const auto collision = findCollision(layout);
  std::string wrong;
  if (!collision)
    wrong = collision.error().message;
  else if (*collision)
    wrong = fmt::format("elements {} and {} share the place {}", (*collision)->first, (*collision)->second,
                        print((*collision)->place));
  return checkOf("V3", "injective", "no two elements share a place", std::move(wrong));
}

Check checkBounds(const Layout& layout) {
  std::string wrong;
  for (const std::string& axis : layout.axes()) {
    const AxisInfo* info = findAxis(axis);
    const auto [least, most] = rangeOn(layout, axis);
    if (info != nullptr && info->bound && (least < 0 || most >= *info->bound))
      wrong = fmt::format("{} takes values {}..{}, but the hardware has [0, {})", axis, least, most, *info->bound);
  }
  return checkOf("V5", "axis bounds", "every axis stays inside the hardware", std::move(wrong));
}

Check checkMemory(const Layout& layout) {
  std::string wrong;
  for (const std::string& axis : layout.axes())
    if (const i64 least = rangeOn(layout, axis).first; axisKind(axis) == AxisKind::Memory && least < 0)
      wrong = fmt::format("{} reaches {}", axis, least);
  return checkOf("V7", "memory places are not negative", "no memory axis goes below 0", std::move(wrong));
}

}  // namespace

std::vector<Check> check(const Layout& layout) {
  std::vector<Check> checks = {checkStrides(layout)};
  checks.push_back(
      {"V2", "shape admitted", true, fmt::format("{} has {} elements", printShape(layout.domain()), layout.size())});
  checks.push_back(checkInjective(layout));
  const bool gaps = gapCondition(layout);
  checks.push_back({"V4", "replica digits are unique", gaps,
                    gaps ? "replica strides keep their gaps" : "some replicas of one element share a place"});
  checks.push_back(checkBounds(layout));
  const auto scope = scopeOf(layout);
  checks.push_back({"V6", "thread scopes form one chain", scope.ok(),
                    !scope.ok() ? scope.error().message
                    : *scope    ? fmt::format("{} in {}", (*scope)->first, (*scope)->second)
                                : "no thread axis"});
  checks.push_back(checkMemory(layout));
  return checks;
}

}  // namespace tessera::axe
