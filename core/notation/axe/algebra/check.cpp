// The validity checks V1..V7, and the search for two elements at one place.
#include <fmt/format.h>

#include <algorithm>

#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/algebra/search.h"
#include "core/notation/axe/axes.h"

namespace tessera::axe {

namespace {

constexpr i64 kSearchBudget = i64{1} << 24;

i64 weightOf(const Layout& layout, std::size_t k) {
  i64 weight = 1;
  for (std::size_t j = k + 1; j < layout.shard().size(); ++j) weight *= layout.shard()[j].extent;
  return weight;
}

}  // namespace

Result<std::optional<Collision>> findCollision(const Layout& layout) {
  // Axes are independent: x and y share a place iff their digits can meet through some replicas on every axis, and an
  // axis on which their digits agree always can. So it suffices to find two digit tuples of one axis that meet:
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
    for (const Iter& it : replicas.iters)
      if (it.axis == axis) iters.push_back({2 * it.extent - 1, it.stride, -(it.extent - 1)});
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
    for (const Iter& it : replicas.iters)
      if (it.axis == axis) place[axis] += std::max<i64>(difference[t++], 0) * it.stride;
    if (found.first > found.second) std::swap(found.first, found.second);
    found.place = std::move(place);
    return std::optional(std::move(found));
  }
  return std::optional<Collision>{};
}

namespace {

Check checkStrides(const Layout& layout) {
  Check check{"V1", "strides are not zero", true, "every iter moves"};
  for (const auto* list : {&layout.shard(), &layout.replica()})
    for (const Iter& it : *list)
      if (it.extent > 1 && it.stride == 0) {
        check.holds = false;
        check.text = fmt::format("the iter {}:0@{} does not move (a broadcast, which the paper has no iter for)",
                                 it.extent, it.axis);
      }
  return check;
}

Check checkInjective(const Layout& layout) {
  Check check{"V3", "injective", true, "no two elements share a place"};
  const auto collision = findCollision(layout);
  if (!collision) {
    check.holds = false;
    check.text = collision.error().message;
  } else if (*collision) {
    check.holds = false;
    check.text = fmt::format("elements {} and {} share the place {}", (*collision)->first, (*collision)->second,
                             print((*collision)->place));
  }
  return check;
}

Check checkBounds(const Layout& layout) {
  Check check{"V5", "axis bounds", true, "every axis stays inside the hardware"};
  for (const std::string& axis : layout.axes()) {
    const AxisInfo* info = findAxis(axis);
    if (info == nullptr || !info->bound) continue;
    const auto [least, most] = rangeOn(layout, axis);
    if (least >= 0 && most < *info->bound) continue;
    check.holds = false;
    check.text = fmt::format("{} takes values {}..{}, the hardware has [0, {})", axis, least, most, *info->bound);
  }
  return check;
}

Check checkMemory(const Layout& layout) {
  Check check{"V7", "memory places are not negative", true, "no memory axis goes below 0"};
  for (const std::string& axis : layout.axes()) {
    const auto [least, most] = rangeOn(layout, axis);
    if (axisKind(axis) != AxisKind::Memory || least >= 0) continue;
    check.holds = false;
    check.text = fmt::format("{} goes down to {}", axis, least);
  }
  return check;
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
