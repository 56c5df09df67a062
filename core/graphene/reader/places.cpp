#include "core/graphene/reader/places.h"

#include <fmt/format.h>

#include "core/base/arith.h"

namespace tessera::graphene {
namespace {

struct KnownMode {
  i64 size = 1, stride = 0, step = 0;
  int dim = 0;
};

// The modes from the slowest to the fastest: levels and dimensions from the left, inside a dimension the last mode
// first.
Result<std::vector<KnownMode>> modesOf(const Tensor& tensor, std::span<const i64> values) {
  std::vector<KnownMode> out;
  for (const Level& level : tensor.levels) {
    for (const Dim& dim : level.dims) {
      for (std::size_t k = dim.size(); k-- > 0;) {
        const Mode& m = dim[k];
        const auto size = Formula(m.size).at(values), stride = Formula(m.stride).at(values),
                   step = Formula(m.step).at(values);
        if (!size || !stride || !step || *size < 0)
          return Diag{fmt::format("a size of {} is not known here", tensor.name), "numbers", "", {}};
        out.push_back({*size, *stride, *step, m.dim});
      }
    }
  }
  return out;
}

}  // namespace

Result<Slots> Slots::of(const Tensor& tensor, std::span<const i64> values) {
  TESSERA_TRY(const std::vector<KnownMode> modes, modesOf(tensor, values));
  Slots out;
  out.offset_ = Formula(tensor.offset);
  for (const Expr& e : tensor.origin) out.origin_.emplace_back(e);
  out.swizzle_ = tensor.swizzle;
  out.relative_ = {{0, std::vector<i64>(tensor.origin.size(), 0)}};
  for (const KnownMode& m : modes) {
    const auto next = checkedMul(static_cast<i64>(out.relative_.size()), m.size);
    if (!next || *next > kMost)
      return Diag{fmt::format("{} has more than {} elements", tensor.name, kMost), "a smaller tile", "", {}};
    std::vector<Slot> grown;
    grown.reserve(static_cast<std::size_t>(*next));
    for (const Slot& s : out.relative_) {
      Slot t = s;
      for (i64 i = 0; i < m.size; ++i) {
        grown.push_back(t);
        const auto address = checkedAdd(t.address, m.stride);
        if (!address) return Diag{"an address beyond 64 bits", "smaller strides", "", {}};
        t.address = *address;
        t.coordinate[static_cast<std::size_t>(m.dim)] += m.step;
      }
    }
    out.relative_ = std::move(grown);
  }
  return out;
}

std::vector<i64> Slots::addresses(std::span<const i64> values) const {
  std::vector<i64> out;
  const auto offset = offset_.at(values);
  if (!offset) return out;
  out.reserve(relative_.size());
  for (const Slot& s : relative_) {
    const auto sum = checkedAdd(*offset, s.address);
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
    Slot slot{places[k], relative_[k].coordinate};
    for (std::size_t d = 0; d < origin.size(); ++d) {
      const auto sum = checkedAdd(slot.coordinate[d], origin[d]);
      if (!sum) return {};
      slot.coordinate[d] = *sum;
    }
    out.push_back(std::move(slot));
  }
  return out;
}

i64 addressIn(const Tensor& root, const std::vector<i64>& coordinate, std::span<const i64> values) {
  const auto offset = Formula(root.offset).at(values);
  const auto modes = modesOf(root, values);
  if (!offset || !modes) return -1;
  i64 sum = *offset;
  for (const KnownMode& m : *modes) {
    const i64 digit = m.step > 0 && m.size > 0 ? coordinate[static_cast<std::size_t>(m.dim)] / m.step % m.size : 0;
    const auto part = checkedMul(digit, m.stride);
    const auto next = part ? checkedAdd(sum, *part) : std::nullopt;
    if (!next) return -1;
    sum = *next;
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

}  // namespace tessera::graphene
