#include "core/map/inverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/map/recognise.h"

namespace tessera {
namespace {

std::string tupleText(const std::vector<i64>& v) { return fmt::format("({})", fmt::join(v, ",")); }

// x - offset is peeled from the largest stride down. Sound and complete when the sorted strides nest: each stride
// exceeds the span of all smaller ones, so at every step exactly one quotient is possible.
class StridedInverse final : public Inverse {
 public:
  static std::shared_ptr<const Inverse> of(const Map& map, const Strided& s) {
    auto inv = std::make_shared<StridedInverse>();
    inv->base_ = s.offset;
    inv->extents_.clear();
    for (const Digit& d : map.digits()) inv->extents_.push_back(d.extent);
    inv->strides_ = s.strides;
    for (std::size_t k = 0; k < s.strides.size(); ++k)
      if (inv->extents_[k] > 1) inv->order_.push_back(k);
    const auto size = [&](std::size_t k) {
      return s.strides[k] < 0 ? -static_cast<u64>(s.strides[k]) : static_cast<u64>(s.strides[k]);
    };
    std::sort(inv->order_.begin(), inv->order_.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    // A negative stride counts down: start at its far end.
    for (std::size_t k = 0; k < s.strides.size(); ++k)
      if (s.strides[k] < 0) inv->base_ += s.strides[k] * (inv->extents_[k] - 1);
    u64 span = 0;
    for (auto it = inv->order_.rbegin(); it != inv->order_.rend(); ++it) {
      if (size(*it) <= span) return nullptr;
      span += size(*it) * static_cast<u64>(inv->extents_[*it] - 1);
    }
    return inv;
  }
  std::optional<std::vector<i64>> find(i64 x) const override {
    const auto start = checkedSub(x, base_);
    if (!start || *start < 0) return std::nullopt;
    i64 rest = *start;
    std::vector<i64> point(extents_.size(), 0);
    for (const std::size_t k : order_) {
      const i64 stride = std::abs(strides_[k]);
      const i64 q = std::min(rest / stride, extents_[k] - 1);
      rest -= q * stride;
      point[k] = strides_[k] < 0 ? extents_[k] - 1 - q : q;
    }
    if (rest != 0) return std::nullopt;
    return point;
  }
  std::string method() const override { return "strided"; }

 private:
  i64 base_ = 0;
  std::vector<i64> extents_, strides_;
  std::vector<std::size_t> order_;  // large strides first
};

class F2Inverse final : public Inverse {
 public:
  F2Inverse(const Map& map, F2Form form, F2Matrix back) : form_(std::move(form)), back_(std::move(back)) {
    for (const Digit& d : map.digits()) bits_.push_back(std::countr_zero(static_cast<u64>(d.extent)));
  }
  std::optional<std::vector<i64>> find(i64 x) const override {
    if (x < 0) return std::nullopt;
    const u64 y = static_cast<u64>(x) ^ form_.constant;
    const u64 p = back_.apply(y);
    if (form_.matrix.apply(p) != y) return std::nullopt;
    std::vector<i64> point;
    int at = 0;
    for (const int n : bits_) {
      point.push_back(static_cast<i64>((p >> at) & ((u64{1} << n) - 1)));
      at += n;
    }
    return point;
  }
  std::string method() const override { return "F2"; }

 private:
  F2Form form_;
  F2Matrix back_;
  std::vector<int> bits_;
};

class TableInverse final : public Inverse {
 public:
  static Result<std::shared_ptr<const Inverse>> of(const Map& map, i64 count) {
    auto inv = std::make_shared<TableInverse>();
    std::vector<i64> extents;
    for (const Digit& d : map.digits()) extents.push_back(d.extent);
    inv->extents_ = extents;
    inv->where_.reserve(static_cast<std::size_t>(count));
    for (i64 n = 0; n < count; ++n) {
      const std::vector<i64> p = delinearize(n, extents, LinearOrder::Colex);
      const i64 v = map.at(p)[0];
      const auto [it, fresh] = inv->where_.emplace(v, n);
      if (!fresh)
        return Diag{fmt::format("it has no inverse: {} and {} both give {}",
                                tupleText(delinearize(it->second, extents, LinearOrder::Colex)), tupleText(p), v),
                    "an injective map",
                    "",
                    {}};
    }
    return std::shared_ptr<const Inverse>(inv);
  }
  std::optional<std::vector<i64>> find(i64 x) const override {
    const auto it = where_.find(x);
    if (it == where_.end()) return std::nullopt;
    return delinearize(it->second, extents_, LinearOrder::Colex);
  }
  std::string method() const override { return "table"; }

 private:
  std::vector<i64> extents_;
  std::unordered_map<i64, i64> where_;
};

}  // namespace

Result<std::shared_ptr<const Inverse>> inverse(const Map& map, i64 tableLimit) {
  if (map.axes().size() != 1 || !map.fanDigits().empty() || !map.guards().empty() || !map.params().empty())
    return Diag{"an inverse wants one axis, no replicas, guards or symbolic sizes", "a plain layout", "", {}};
  if (const auto strided = asStrided(map); strided.ok())
    if (auto inv = StridedInverse::of(map, *strided)) return inv;
  if (const auto form = asF2(map); form.ok()) {
    if (auto back = inverse(form->matrix))
      return std::shared_ptr<const Inverse>(std::make_shared<F2Inverse>(map, *form, *std::move(back)));
  }
  const auto count = map.pointCount();
  if (!count || *count > tableLimit)
    return Diag{"it has neither nested strides nor an invertible bit matrix, and is too large for a table",
                fmt::format("at most {} points for a table", tableLimit),
                "",
                {}};
  return TableInverse::of(map, *count);
}

}  // namespace tessera
