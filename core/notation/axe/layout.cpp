#include "core/notation/axe/layout.h"

#include <fmt/format.h>

#include <set>

#include "core/base/arith.h"
#include "core/base/mapped.h"

namespace tessera::axe {

namespace {

constexpr i64 kLargestPlace = (i64{1} << 62) - 1;

Result<void> checkIters(const std::vector<Iter>& iters, const char* part) {
  i64 count = 1;
  for (const Iter& it : iters) {
    if (it.extent < 1) return Diag{fmt::format("extent {} in {} is not positive", it.extent, part), "an extent > 0"};
    if (it.axis.empty()) return Diag{fmt::format("an iter of {} has no axis name", part)};
    if (!mulInto(count, it.extent)) return Diag{fmt::format("the product of the extents of {} exceeds 2^63-1", part)};
  }
  return {};
}

// Checks the largest |value| on each axis; a Diag names the axis.
Result<void> checkReach(const std::vector<Iter>& shard, const std::vector<Iter>& replica, const Place& offset) {
  std::map<std::string, i64> reach;
  const auto add = [&](const std::string& axis, std::optional<i64> amount) {
    return amount && addInto(reach[axis], *amount) && reach[axis] <= kLargestPlace;
  };
  const auto magnitude = [](i64 v) { return v < 0 ? checkedSub(0, v) : std::optional<i64>(v); };
  for (const auto* list : {&shard, &replica}) {
    for (const Iter& it : *list) {
      const std::optional<i64> s = magnitude(it.stride);
      if (!add(it.axis, s ? checkedMul(*s, it.extent - 1) : std::nullopt))
        return Diag{
            fmt::format("values on axis {} do not fit in 62 bits ({}:{}@{})", it.axis, it.extent, it.stride, it.axis)};
    }
  }
  for (const auto& [axis, value] : offset)
    if (!add(axis, magnitude(value)))
      return Diag{fmt::format("with the offset {}@{}, values do not fit in 62 bits", value, axis)};
  return {};
}

i64 elements(const std::vector<Iter>& iters) {
  i64 product = 1;
  for (const Iter& it : iters) product *= it.extent;
  return product;
}

std::string stride(const Iter& it) {
  return it.axis == kMemoryAxis ? fmt::format("{}", it.stride) : fmt::format("{}@{}", it.stride, it.axis);
}

std::string brackets(const std::vector<Iter>& iters) {
  if (iters.size() == 1) return fmt::format("{}:{}", iters[0].extent, stride(iters[0]));
  return fmt::format("({}):({})", fmt::join(mapped<i64>(iters, &Iter::extent), ","),
                     fmt::join(mapped<std::string>(iters, stride), ","));
}

std::string offsetTerms(const Place& offset, const char* between, bool alwaysNameAxis) {
  std::string text;
  for (const auto& [axis, value] : offset) {
    if (!text.empty()) text += between;
    text += !alwaysNameAxis && axis == kMemoryAxis ? fmt::format("{}", value) : fmt::format("{}@{}", value, axis);
  }
  return text;
}

}  // namespace

Result<Layout> Layout::create(std::vector<Iter> shard, std::vector<Iter> replica, Place offset,
                              std::vector<i64> shape) {
  if (shard.empty()) return Diag{"a layout needs at least one shard iter", "S[extents:strides]"};
  TESSERA_CHECKED(checkIters(shard, "S"));
  TESSERA_CHECKED(checkIters(replica, "R"));
  std::erase_if(offset, [](const auto& entry) { return entry.second == 0; });
  TESSERA_CHECKED(checkReach(shard, replica, offset));
  Layout layout;
  layout.shard_ = std::move(shard);
  layout.replica_ = std::move(replica);
  layout.offset_ = std::move(offset);
  if (shape.empty()) return layout;
  return layout.over(std::move(shape));
}

i64 Layout::offsetOn(const std::string& axis) const {
  const auto found = offset_.find(axis);
  return found == offset_.end() ? 0 : found->second;
}

std::vector<i64> Layout::domain() const { return shape_.empty() ? std::vector<i64>{size()} : shape_; }

Result<Layout> Layout::over(std::vector<i64> shape) const {
  std::optional<i64> total = 1;
  for (const i64 e : shape) {
    if (e < 1) return Diag{fmt::format("the extent {} of shape {} is not positive", e, printShape(shape))};
    total = total ? checkedMul(*total, e) : total;
  }
  if (!total) return Diag{fmt::format("shape {} has more than 2^63-1 elements", printShape(shape))};
  if (*total != size())
    return Diag{fmt::format("shape {} has {} elements, but the layout has {}", printShape(shape), *total, size()),
                "a shape whose product is the product of the shard extents"};
  Layout bound = *this;
  bound.shape_ = std::move(shape);
  return bound;
}

Layout Layout::withoutShape() const {
  Layout free = *this;
  free.shape_.clear();
  return free;
}

i64 Layout::size() const { return elements(shard_); }
i64 Layout::replicaCount() const { return elements(replica_); }
std::vector<std::string> Layout::axes() const {
  std::set<std::string> names;
  for (const Iter& it : shard_) names.insert(it.axis);
  for (const Iter& it : replica_) names.insert(it.axis);
  for (const auto& [axis, value] : offset_) names.insert(axis);
  return {names.begin(), names.end()};
}

std::string printShape(const std::vector<i64>& shape) { return fmt::format("({})", fmt::join(shape, ",")); }

std::string print(const Layout& layout) {
  std::string text = "S[" + brackets(layout.shard()) + "]";
  if (!layout.replica().empty()) text += " + R[" + brackets(layout.replica()) + "]";
  if (!layout.offset().empty()) text += " + " + offsetTerms(layout.offset(), " + ", false);
  if (!layout.shape().empty()) text += " over " + printShape(layout.shape());
  return text;
}

std::string printPaper(const Layout& layout) {
  const auto rows = [](const std::vector<Iter>& iters, const char* open, const char* close) {
    const auto named = [](const Iter& it) { return fmt::format("{}@{}", it.stride, it.axis); };
    return fmt::format("{} {} ; {} {}", open, fmt::join(mapped<i64>(iters, &Iter::extent), " "),
                       fmt::join(mapped<std::string>(iters, named), ", "), close);
  };
  std::string text = rows(layout.shard(), "(", ")");
  if (!layout.replica().empty()) text += " + " + rows(layout.replica(), "[", "]");
  if (!layout.offset().empty()) text += " + " + offsetTerms(layout.offset(), " + ", true);
  return text;
}

std::string printArticle(const Layout& layout) {
  const auto list = [](const std::vector<Iter>& iters) {
    std::string text;
    for (const Iter& it : iters)
      text += fmt::format("{}({}, {}@{})", text.empty() ? "" : " \u00d7 ", it.extent, it.stride, it.axis);
    return text.empty() ? std::string("\u2205") : text;
  };
  const std::string offset = offsetTerms(layout.offset(), ", ", true);
  return fmt::format("D: {} | R: {} | O: {}", list(layout.shard()), list(layout.replica()),
                     offset.empty() ? "\u2205" : offset);
}

std::string print(const Place& place) {
  std::string text = "{";
  for (const auto& [axis, value] : place) text += fmt::format("{}{}: {}", text.size() == 1 ? "" : ", ", axis, value);
  return text + "}";
}

}  // namespace tessera::axe
