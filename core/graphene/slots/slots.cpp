#include "core/graphene/slots/slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/expr/walk.h"

namespace tessera::graphene {
namespace {

std::optional<i64> numberOf(const Expr& e, std::span<const i64> values) {
  return e.isConstant() ? e.value() : Formula(e).at(values);
}

// Digits, if no size is negative.
std::optional<std::vector<SlotDigit>> sizedDigits(const Tensor& tensor, std::span<const i64> values) {
  auto digits = slotDigits(tensor, values);
  if (digits && std::ranges::any_of(*digits, [](const SlotDigit& d) { return d.size < 0; })) digits.reset();
  return digits;
}

// Whether all addresses, and one step beyond them, fit in 64 bits.
bool addressable(const std::vector<SlotDigit>& digits) {
  i64 least = 0, most = 0;
  for (const SlotDigit& d : digits) {
    i64& end = d.stride < 0 ? least : most;
    const auto all = checkedMul(d.size, d.stride);
    if (!all || !checkedAdd(end, *all)) return false;
    end += *all - d.stride;
  }
  return true;
}

}  // namespace

std::vector<Mode> slotModes(const Tensor& tensor) {
  std::vector<Mode> out;
  for (const Level& level : tensor.levels)
    for (const Dim& dim : level.dims) out.insert(out.end(), dim.rbegin(), dim.rend());
  return out;
}

std::optional<std::vector<SlotDigit>> slotDigits(const Tensor& tensor, std::span<const i64> values, bool units,
                                                 bool steps) {
  std::vector<SlotDigit> out;
  for (const Mode& m : slotModes(tensor)) {
    if (!units && m.size.isConstant(1)) continue;
    const auto size = numberOf(m.size, values), stride = numberOf(m.stride, values),
               step = steps ? numberOf(m.step, values) : std::optional<i64>(0);
    if (!size || !stride || !step) return std::nullopt;
    out.push_back({*size, *stride, *step, static_cast<std::size_t>(m.dim)});
  }
  return out;
}

std::optional<i64> slotCount(const std::vector<SlotDigit>& digits, i64 most) {
  i64 count = 1;
  for (const SlotDigit& d : digits) {
    if (d.size < 0 || !mulInto(count, d.size) || count > most) return std::nullopt;
  }
  return count;
}

Expr elementCount(const Tensor& tensor) {
  Expr count = Expr::constant(1);
  for (const Level& level : tensor.levels) count = count * sizeOf(level);
  return count;
}

std::optional<i64> slotCount(const Tensor& tensor) {
  std::vector<SlotDigit> sizes;
  for (const Mode& mode : modesOf(tensor)) {
    if (!mode.size.isConstant() || mode.size.value() < 1) return std::nullopt;
    sizes.push_back({mode.size.value(), 0, 0, 0});
  }
  return slotCount(sizes, i64{1} << 31);
}

FlatSlots flatSlots(const std::vector<SlotDigit>& digits, std::size_t dims) {
  FlatSlots out;
  out.count = 1;
  for (const SlotDigit& d : digits) out.count *= static_cast<std::size_t>(d.size);
  out.dims = dims;
  out.addresses.reserve(out.count);
  out.coordinates.reserve(out.count * out.dims);
  std::vector<i64> at(digits.size(), 0), coordinate(out.dims, 0);
  i64 address = 0;
  for (std::size_t s = 0; s < out.count; ++s) {
    out.addresses.push_back(address);
    out.coordinates.insert(out.coordinates.end(), coordinate.begin(), coordinate.end());
    for (std::size_t k = digits.size(); k-- > 0;) {  // odometer: the last digit is the fastest
      const SlotDigit& d = digits[k];
      const i64 by = ++at[k] < d.size ? 1 : 1 - d.size;
      address += by * d.stride;
      if (dims > 0) coordinate[d.dim] += by * d.step;
      if (by == 1) break;
      at[k] = 0;
    }
  }
  return out;
}

FlatSlots flatSlots(const Tensor& tensor) {
  const std::vector<Mode> modes = modesOf(tensor);
  const bool steps = std::ranges::all_of(modes, [](const Mode& m) { return m.step.isConstant(); });
  return flatSlots(slotDigits(tensor, {}, /*units=*/false, steps).value(), tensor.extents.size());
}

Result<Slots> Slots::of(const Tensor& tensor, std::span<const i64> values) {
  const auto digits = sizedDigits(tensor, values);
  if (!digits) return Diag{fmt::format("a size of {} is not known here", tensor.name), "numbers"};
  const auto count = slotCount(*digits, kMost);
  if (!count) return Diag{fmt::format("{} has more than {} elements", tensor.name, kMost), "a smaller tile"};
  if (*count > 0 && !addressable(*digits)) return Diag{"an address beyond 64 bits", "smaller strides"};
  Slots out;
  out.offset_ = Formula(tensor.offset);
  for (const Expr& e : tensor.origin) out.origin_.emplace_back(e);
  out.swizzle_ = tensor.swizzle;
  out.relative_ = flatSlots(*digits, tensor.origin.size());
  return out;
}

std::vector<i64> Slots::addresses(std::span<const i64> values) const {
  std::vector<i64> out;
  const auto offset = offset_.at(values);
  if (!offset) return out;
  out.reserve(count());
  for (const i64 address : relative_.addresses) {
    const auto sum = checkedAdd(*offset, address);
    if (!sum) return {};
    out.push_back(swizzle_(*sum));
  }
  return out;
}

std::vector<Slot> Slots::at(std::span<const i64> values) const {
  const std::vector<i64> places = addresses(values);
  std::vector<Slot> out;
  out.reserve(places.size());
  std::vector<i64> origin;
  for (const Formula& f : origin_) {
    const auto value = f.at(values);
    if (!value) return {};
    origin.push_back(*value);
  }
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto relative = relative_.coordinate(k);
    Slot slot{places[k], {relative.begin(), relative.end()}};
    for (std::size_t d = 0; d < origin.size(); ++d) {
      if (!addInto(slot.coordinate[d], origin[d])) return {};
    }
    out.push_back(std::move(slot));
  }
  return out;
}

i64 addressIn(const Tensor& root, const std::vector<i64>& coordinate, std::span<const i64> values) {
  const auto offset = Formula(root.offset).at(values);
  const auto digits = sizedDigits(root, values);
  if (!offset || !digits) return -1;
  i64 sum = *offset;
  for (const SlotDigit& m : *digits) {
    const i64 digit = m.step > 0 && m.size > 0 ? coordinate[m.dim] / m.step % m.size : 0;
    const auto part = checkedMul(digit, m.stride);
    if (!part || !addInto(sum, *part)) return -1;
  }
  return root.swizzle(sum);
}

std::vector<i64> extentsOf(const Tensor& root, std::span<const i64> values) {
  std::vector<i64> out;
  for (const Expr& e : root.extents) {
    const auto value = Formula(e).at(values);
    if (!value || *value < 0) return {};
    out.push_back(*value);
  }
  return out;
}

Formula::Formula(const Expr& e) : constant_(e.isConstant()) {
  std::unordered_map<const void*, std::size_t> line;
  childrenFirst(e, [&](const Expr& node) {
    Line l{node.op(), 0, 0, 0};
    if (node.op() == Op::Constant) {
      l.value = node.value();
    } else if (isLeaf(node.op())) {
      l.a = static_cast<std::size_t>(node.index());
    } else {
      l.a = line.at(node.lhs().id());
      l.b = line.at(node.rhs().id());
    }
    line.emplace(node.id(), lines_.size());
    lines_.push_back(l);
  });
}

std::optional<i64> Formula::at(std::span<const i64> values) const {
  if (constant_) return lines_.back().value;
  std::vector<i64> known(lines_.size());
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    const Line& l = lines_[k];
    if (l.op == Op::Constant) {
      known[k] = l.value;
    } else if (isLeaf(l.op)) {
      if (l.op != Op::Param || l.a >= values.size()) return std::nullopt;
      known[k] = values[l.a];
    } else {
      const auto value = foldNumbers(l.op, known[l.a], known[l.b]);
      if (!value) return std::nullopt;
      known[k] = *value;
    }
  }
  return known.back();
}

bool Formula::mentions(int variable) const {
  return std::ranges::any_of(
      lines_, [&](const Line& l) { return l.op == Op::Param && l.a == static_cast<std::size_t>(variable); });
}

}  // namespace tessera::graphene
