// Canonical form, replica sets and equality (paper, appendix A).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>

#include "core/base/arith.h"
#include "core/notation/axe/algebra/algebra.h"

namespace tessera::axe {

namespace detail {

namespace {
constexpr std::size_t kMostReplicaValues = std::size_t{1} << 20;
}  // namespace

std::vector<Iter> canonicalIters(const std::vector<Iter>& iters) {
  std::vector<Iter> merged;
  for (Iter it : iters) {
    if (it.extent == 1) continue;
    if (it.stride == 0)
      it.axis = std::string(kMemoryAxis);  // stride 0 moves nothing; without its axis, the form is unique
    // Merges to the left repeatedly, because the merged iter may merge with the one before it.
    while (!merged.empty()) {
      const Iter& last = merged.back();
      const std::optional<i64> step = checkedMul(it.extent, it.stride);
      if (last.axis != it.axis || !step || last.stride != *step) break;
      it.extent *= last.extent;
      merged.pop_back();
    }
    merged.push_back(std::move(it));
  }
  return merged;
}

namespace {

// Saturates the (extent, stride) pairs of one axis, strides > 0, smallest stride first (C2 of the paper).
void saturate(std::vector<std::pair<i64, i64>>& iters) {
  const auto byStride = [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  };
  std::ranges::sort(iters, byStride);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k < iters.size() && !changed; ++k) {
      for (std::size_t j = k + 1; j < iters.size(); ++j) {
        if (iters[j].second % iters[k].second != 0) continue;
        const i64 q = iters[j].second / iters[k].second;
        if (q > iters[k].first) continue;
        iters[k].first += q * (iters[j].first - 1);
        iters.erase(iters.begin() + static_cast<std::ptrdiff_t>(j));
        changed = true;
        break;
      }
    }
  }
}

}  // namespace

Replicas canonicalReplicas(const std::vector<Iter>& iters) {
  Replicas result;
  std::map<std::string, std::vector<std::pair<i64, i64>>> byAxis;
  for (const Iter& it : iters) {
    if (it.extent == 1 || it.stride == 0) continue;
    if (it.stride < 0) result.shift[it.axis] += (it.extent - 1) * it.stride;
    byAxis[it.axis].push_back({it.extent, it.stride < 0 ? -it.stride : it.stride});
  }
  for (auto& [axis, list] : byAxis) {
    saturate(list);
    for (const auto& [extent, stride] : list) result.iters.push_back({extent, stride, axis});
  }
  return result;
}

std::optional<std::set<i64>> replicaValues(const std::vector<Iter>& iters, const std::string& axis) {
  std::set<i64> values = {0};
  for (const Iter& it : iters) {
    if (it.axis != axis || it.extent == 1 || it.stride == 0) continue;
    if (static_cast<u64>(it.extent) > kMostReplicaValues) return std::nullopt;
    std::set<i64> next;
    for (const i64 v : values) {
      for (i64 r = 0; r < it.extent; ++r) next.insert(v + r * it.stride);
      if (next.size() > kMostReplicaValues) return std::nullopt;
    }
    values = std::move(next);
  }
  return values;
}

std::optional<std::vector<std::pair<i64, i64>>> itersOfSet(const std::set<i64>& values) {
  constexpr std::size_t kMost = 4096;
  if (values.empty() || *values.begin() != 0 || values.size() > kMost) return std::nullopt;
  if (values.size() == 1) return std::vector<std::pair<i64, i64>>{};
  const i64 step = *std::next(values.begin());
  i64 run = 1;
  while (values.count(run * step) != 0) ++run;
  // The iter of the smallest stride has this step and at most this extent. Longest first.
  for (i64 extent = run; extent >= 2; --extent) {
    const auto covers = [&](i64 v) {
      for (i64 r = 0; r < extent; ++r)
        if (values.count(v + r * step) == 0) return false;
      return true;
    };
    std::set<i64> rest;  // the starts of runs; greedily, the smallest uncovered value starts one
    std::set<i64> covered;
    bool fits = true;
    for (const i64 v : values) {
      if (covered.count(v) != 0) continue;
      if (!covers(v)) {
        fits = false;
        break;
      }
      rest.insert(v);
      for (i64 r = 0; r < extent; ++r) covered.insert(v + r * step);
    }
    if (!fits) continue;
    if (auto more = itersOfSet(rest)) {
      more->insert(more->begin(), {extent, step});
      return more;
    }
  }
  return std::nullopt;
}

std::vector<Iter> onAxis(const std::vector<Iter>& iters, const std::string& axis) {
  std::vector<Iter> found;
  for (const Iter& it : iters)
    if (it.axis == axis) found.push_back(it);
  return found;
}

i64 reachOf(const std::vector<Iter>& iters) {
  i64 sum = 0;
  for (const Iter& it : iters) sum += std::abs(it.stride) * (it.extent - 1);
  return sum;
}

Result<Layout> build(std::vector<Iter> shard, std::vector<Iter> replica, Place offset) {
  if (shard.empty()) shard.push_back(Iter{});
  return Layout::create(std::move(shard), std::move(replica), std::move(offset));
}

Result<Layout> built(std::vector<Iter> shard, std::vector<Iter> replica, Place offset) {
  TESSERA_TRY(const Layout made, build(std::move(shard), std::move(replica), std::move(offset)));
  return canonicalize(made);
}

i64 factor(const Scales& scales, const std::string& axis) {
  const auto found = scales.find(axis);
  return found == scales.end() ? 1 : found->second;
}

Result<std::vector<Iter>> scaled(std::vector<Iter> iters, const Scales& scales) {
  for (Iter& it : iters)
    if (!mulInto(it.stride, factor(scales, it.axis)))
      return Diag{fmt::format("the stride {}@{} times {} overflows", it.stride, it.axis, factor(scales, it.axis))};
  return iters;
}

Result<Place> scaled(Place offset, const Scales& scales) {
  for (auto& [axis, value] : offset)
    if (!mulInto(value, factor(scales, axis)))
      return Diag{fmt::format("the offset {}@{} times {} overflows", value, axis, factor(scales, axis))};
  return offset;
}

Place placeAt(const std::vector<Iter>& iters, i64 x) {
  Place place;
  for (std::size_t k = iters.size(); k-- > 0; x /= iters[k].extent)
    place[iters[k].axis] += (x % iters[k].extent) * iters[k].stride;
  return place;
}

Place sum(Place a, const Place& b, i64 times) {
  for (const auto& [axis, value] : b) a[axis] += value * times;
  std::erase_if(a, [](const auto& entry) { return entry.second == 0; });
  return a;
}

}  // namespace detail

namespace {

bool gapsOn(const std::vector<Iter>& saturated, const std::string& axis) {
  i64 reach = 0;
  for (const Iter& it : saturated) {
    if (it.axis != axis) continue;
    if (reach >= it.stride) return false;
    const std::optional<i64> next = checkedMul(it.extent, it.stride);
    reach = next ? *next : std::numeric_limits<i64>::max();
  }
  return true;
}

}  // namespace

Layout canonicalize(const Layout& layout) {
  detail::Replicas replicas = detail::canonicalReplicas(layout.replica());
  auto made = detail::build(detail::canonicalIters(layout.shard()), std::move(replicas.iters),
                            detail::sum(layout.offset(), replicas.shift));
  // The reach does not grow, except where an offset and a reversed stride cancel: |O| + |shift| <= reach.
  if (!made) return layout;
  Layout canonical = *std::move(made);
  if (layout.shape().empty()) return canonical;
  auto bound = canonical.over(layout.shape());
  return bound ? *std::move(bound) : canonical;
}

bool gapCondition(const Layout& layout) {
  const std::vector<Iter> saturated = detail::canonicalReplicas(layout.replica()).iters;
  for (const std::string& axis : layout.axes())
    if (!gapsOn(saturated, axis)) return false;
  return true;
}

Result<bool> equal(const Layout& a, const Layout& b) {
  if (a.size() != b.size()) return false;
  if (detail::canonicalIters(a.shard()) != detail::canonicalIters(b.shard())) return false;
  const detail::Replicas ra = detail::canonicalReplicas(a.replica());
  const detail::Replicas rb = detail::canonicalReplicas(b.replica());
  // The minimum of each set is offset + shift, because the strides are positive now.
  if (detail::sum(a.offset(), ra.shift) != detail::sum(b.offset(), rb.shift)) return false;
  if (ra.iters == rb.iters) return true;
  std::set<std::string> axes;
  for (const Iter& it : ra.iters) axes.insert(it.axis);
  for (const Iter& it : rb.iters) axes.insert(it.axis);
  for (const std::string& axis : axes) {
    const std::vector<Iter> ia = detail::onAxis(ra.iters, axis), ib = detail::onAxis(rb.iters, axis);
    if (ia == ib) continue;
    if (gapsOn(ia, axis) && gapsOn(ib, axis)) return false;  // two different unique forms
    if (detail::reachOf(ia) != detail::reachOf(ib)) return false;
    const auto va = detail::replicaValues(ia, axis), vb = detail::replicaValues(ib, axis);
    if (!va || !vb)
      return Diag{
          fmt::format("the replica sets on axis {} have more than 2^20 values and break the gap condition, so "
                      "their forms do not decide whether they are equal",
                      axis)};
    if (*va != *vb) return false;
  }
  return true;
}

}  // namespace tessera::axe
