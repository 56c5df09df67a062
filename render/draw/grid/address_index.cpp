#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/map/inverse/inverse.h"
#include "render/draw/grid/memory.h"

namespace tessera {
namespace {

constexpr int kMaxSteps = 20000;
constexpr i64 kTablePoints = i64{1} << 18;

// All digit tuples with base + sum d_k * stride_k == target.
class StrideSearch {
 public:
  struct Leaf {
    i64 extent, stride, weight;  // weight: in the colex linear index
  };
  explicit StrideSearch(std::vector<Leaf> leaves) : leaves_(std::move(leaves)) {
    std::erase_if(leaves_, [](const Leaf& l) { return l.extent == 1; });
    std::stable_sort(leaves_.begin(), leaves_.end(),
                     [](const Leaf& a, const Leaf& b) { return std::abs(a.stride) > std::abs(b.stride); });
    low_.assign(leaves_.size() + 1, 0);
    high_.assign(leaves_.size() + 1, 0);
    for (std::size_t k = leaves_.size(); k-- > 0;) {
      const i64 reach = (leaves_[k].extent - 1) * leaves_[k].stride;
      low_[k] = low_[k + 1] + std::min<i64>(0, reach);
      high_[k] = high_[k + 1] + std::max<i64>(0, reach);
    }
  }

  // Appends linear indices, at most `limit` in total. Returns false if cut short.
  bool find(i64 target, std::size_t limit, std::vector<i64>& out) const {
    int steps = 0;
    return descend(0, target, 0, limit, out, steps);
  }

 private:
  bool descend(std::size_t k, i64 rest, i64 index, std::size_t limit, std::vector<i64>& out, int& steps) const {
    if (rest < low_[k] || rest > high_[k]) return true;
    if (++steps > kMaxSteps) return false;
    if (k == leaves_.size()) {
      if (out.size() == limit) return false;
      out.push_back(index);
      return true;
    }
    const Leaf& leaf = leaves_[k];
    i64 first = 0, last = leaf.extent - 1;
    if (leaf.stride > 0) {  // low <= rest - d*stride <= high
      first = std::max(first, ceilDiv(rest - high_[k + 1], leaf.stride));
      last = std::min(last, floorDiv(rest - low_[k + 1], leaf.stride));
    } else if (leaf.stride < 0) {
      first = std::max(first, ceilDiv(low_[k + 1] - rest, -leaf.stride));
      last = std::min(last, floorDiv(high_[k + 1] - rest, -leaf.stride));
    }
    for (i64 d = first; d <= last; ++d) {
      if (!descend(k + 1, rest - d * leaf.stride, index + d * leaf.weight, limit, out, steps)) return false;
    }
    return true;
  }

  std::vector<Leaf> leaves_;
  std::vector<i64> low_, high_;
};

std::vector<StrideSearch::Leaf> leavesOf(const cute::Layout& layout) {
  std::vector<StrideSearch::Leaf> leaves;
  i64 weight = 1;
  for (const cute::LayoutLeaf& leaf : flatLeaves(layout)) {
    leaves.push_back({leaf.extent, leaf.stride.value(), weight});
    weight *= leaf.extent;
  }
  return leaves;
}

// Sw(offset + inner), and outer(offset + inner): inverted from the outside in.
class LayoutIndex : public AddressIndex {
 public:
  explicit LayoutIndex(SubjectPtr s)
      : s_(std::move(s)),
        inner_(leavesOf(*s_->inner)),
        outer_(s_->outer ? outerLeaves(*s_) : leavesOf(cute::Layout())) {}

  [[nodiscard]] Occupants occupants(i64 address, int limit) const override {
    Occupants result;
    const std::size_t most = static_cast<std::size_t>(std::max(1, limit));
    if (s_->swizzle) {
      if (address < 0) return result;
      address = (*s_->swizzle)(address);
    }
    std::vector<i64> inputs = {address};
    if (s_->outer) {
      inputs.clear();
      if (!outer_.find(address, 4096, inputs)) result.more = true;
    }
    for (i64 x : inputs) {
      if (!inner_.find(x - s_->offset, most, result.indices)) result.more = true;
    }
    std::sort(result.indices.begin(), result.indices.end());
    return result;
  }

 private:
  // The outer layout's last digit takes the whole quotient, so it extends beyond its extent.
  static std::vector<StrideSearch::Leaf> outerLeaves(const Subject& s) {
    std::vector<StrideSearch::Leaf> leaves = leavesOf(*s.outer);
    const i64 top = s.offset + s.inner->maxOffset();
    if (!leaves.empty() && leaves.back().weight > 0) {
      leaves.back().extent = std::max(leaves.back().extent, top / leaves.back().weight + 1);
    }
    return leaves;
  }

  SubjectPtr s_;
  StrideSearch inner_, outer_;
};

// Small maps: every point, by address. Fan digits count as occupants of their index.
class TableIndex : public AddressIndex {
 public:
  TableIndex(const Subject& s, i64 points) {
    std::vector<i64> extents;
    for (const Digit& d : s.map.digits()) extents.push_back(d.extent);
    for (i64 n = 0; n < points; ++n) {
      const std::vector<i64> digits = delinearize(n, extents, LinearOrder::Colex);
      if (!s.map.guards().empty() && !s.map.isReal(digits)) continue;
      std::vector<i64> coord;
      for (int d : s.leafDigit) coord.push_back(digits[static_cast<std::size_t>(d)]);
      std::vector<i64> leafExtents;
      for (int d : s.leafDigit) leafExtents.push_back(s.map.digits()[static_cast<std::size_t>(d)].extent);
      at_[s.evaluator->value(digits)].push_back(linearize(coord, leafExtents, LinearOrder::Colex));
    }
    for (auto& [address, indices] : at_) std::sort(indices.begin(), indices.end());
  }

  [[nodiscard]] Occupants occupants(i64 address, int limit) const override {
    Occupants result;
    const auto it = at_.find(address);
    if (it == at_.end()) return result;
    const std::size_t n = std::min(it->second.size(), static_cast<std::size_t>(std::max(1, limit)));
    result.indices.assign(it->second.begin(), it->second.begin() + static_cast<std::ptrdiff_t>(n));
    result.more = n < it->second.size();
    return result;
  }

 private:
  std::unordered_map<i64, std::vector<i64>> at_;
};

class InverseIndex : public AddressIndex {
 public:
  InverseIndex(std::shared_ptr<const Inverse> inverse, std::vector<i64> extents)
      : inverse_(std::move(inverse)), extents_(std::move(extents)) {}
  [[nodiscard]] Occupants occupants(i64 address, int) const override {
    const auto point = inverse_->find(address);
    if (!point) return {};
    return {{linearize(*point, extents_, LinearOrder::Colex)}, false};
  }

 private:
  std::shared_ptr<const Inverse> inverse_;
  std::vector<i64> extents_;
};

}  // namespace

Result<std::shared_ptr<const AddressIndex>> addressIndex(const SubjectPtr& s) {
  using Pointer = std::shared_ptr<const AddressIndex>;
  if (s->axes() != 1) {
    return Diag{fmt::format("{} gives {} numbers, not one address", s->text, s->axes()), "a layout of memory"};
  }
  if (!s->strides.empty() && s->map.guards().empty() && s->inner && (!s->outer || s->outer->isPlain())) {
    return Pointer(std::make_shared<LayoutIndex>(s));
  }
  const auto points = s->map.pointCount();
  if (points && *points <= kTablePoints) return Pointer(std::make_shared<TableIndex>(*s, *points));
  auto back = inverse(s->map, kTablePoints);
  if (!back) {
    Diag diag = back.error();
    diag.message = "memory order needs the map's inverse: " + diag.message;
    return diag;
  }
  std::vector<i64> extents;
  for (const Digit& d : s->map.digits()) extents.push_back(d.extent);
  return Pointer(std::make_shared<InverseIndex>(*back, std::move(extents)));
}

}  // namespace tessera
