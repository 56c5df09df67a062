#include "core/codegen/operand/place.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/graphene/slots/slots.h"

namespace tessera::codegen {

using graphene::Mode;
using graphene::Tensor;

Expr placesOf(const Tensor& tensor) {
  Expr last;
  for (const Mode& m : modesOf(tensor))
    if (!m.size.isConstant(1)) last = last + (m.size - 1) * m.stride;
  if (tensor.swizzle.isIdentity()) return last + 1;
  const i64 period = tensor.swizzle.period();
  return (floorDiv(last, period) + 1) * period;
}

Result<std::vector<Expr>> slotsOf(const Tensor& tensor) {
  constexpr i64 kMost = 4096;
  std::vector<graphene::SlotDigit> digits;  // as coordinates: strides may be symbols
  std::vector<Expr> strides;
  for (const Mode& m : graphene::slotModes(tensor)) {
    if (!m.size.isConstant() || m.size.value() < 1 || m.size.value() > kMost)
      return Diag{fmt::format("{} has no fixed number of elements: an instruction moves a constant number",
                              graphene::nameOf(tensor)),
                  "a tile of constant size"};
    digits.push_back({m.size.value(), 0, 1, digits.size()});
    strides.push_back(m.stride);
  }
  if (!graphene::slotCount(digits, kMost))
    return Diag{fmt::format("{} has too many elements for one instruction", graphene::nameOf(tensor)),
                fmt::format("at most {}", kMost)};
  const graphene::FlatSlots slots = flatSlots(digits, digits.size());
  std::vector<Expr> out(slots.count);
  for (std::size_t s = 0; s < slots.count; ++s)
    for (std::size_t k = 0; k < strides.size(); ++k) out[s] = out[s] + strides[k] * slots.coordinate(s)[k];
  return out;
}

Result<i64> threadsOf(const Tensor& threads, Span span) {
  std::vector<std::pair<i64, i64>> modes;  // stride, size
  for (const Mode& m : modesOf(threads)) {
    if (!m.size.isConstant() || (!m.size.isConstant(1) && !m.stride.isConstant()))
      return Diag{fmt::format("{} has a symbolic number of threads", graphene::nameOf(threads)),
                  "a number: a kernel is compiled for a fixed number of threads", "", span};
    if (!m.size.isConstant(1)) modes.emplace_back(m.stride.value(), m.size.value());
  }
  std::ranges::sort(modes);
  i64 n = 1;
  for (const auto& [stride, size] : modes) {
    if (stride != n)
      return Diag{
          fmt::format("{} skips numbers: a kernel is launched with threads 0 to n - 1", graphene::nameOf(threads)),
          "strides that are 1, and the product of the sizes below", "", span};
    if (size > 1024 || (n *= size) > 1024)
      return Diag{fmt::format("{} has more threads than a block can have", graphene::nameOf(threads)), "at most 1024",
                  "", span};
  }
  return n;
}

}  // namespace tessera::codegen
