#include "solver/emulate/slots.h"

#include <fmt/format.h>

#include "core/base/arith.h"

namespace tessera::graphene {
namespace {

struct Digit {
  i64 size, stride, step;
  std::size_t dim;
};

// Modes from slowest to fastest: levels outermost first, then dimensions in order, and within one the first mode
// fastest.
Result<std::vector<Digit>> digitsOf(const Tensor& tensor) {
  std::vector<Digit> out;
  for (const Level& level : tensor.levels) {
    for (const Dim& dim : level.dims) {
      for (auto m = dim.rbegin(); m != dim.rend(); ++m) {
        if (!m->size.isConstant() || !m->stride.isConstant() || !m->step.isConstant())
          return Diag{
              fmt::format("a size or a stride of {} is not known", tensor.name), "sizes that are numbers", "", {}};
        out.push_back({m->size.value(), m->stride.value(), m->step.value(), static_cast<std::size_t>(m->dim)});
      }
    }
  }
  return out;
}

}  // namespace

Result<FlatSlots> slotsOf(const Tensor& tensor, i64 most) {
  TESSERA_TRY(const std::vector<Digit> digits, digitsOf(tensor));
  i64 count = 1;
  for (const Digit& d : digits) {
    const auto product = checkedMul(count, d.size);
    if (!product || *product > most || d.size < 0)
      return Diag{fmt::format("{} has too many elements", tensor.name), fmt::format("at most {}", most), "", {}};
    count = *product;
  }
  FlatSlots out;
  out.count = static_cast<std::size_t>(count);
  out.dims = tensor.extents.size();
  out.addresses.reserve(out.count);
  out.coordinates.reserve(out.count * out.dims);
  std::vector<i64> at(digits.size(), 0), coordinate(out.dims, 0);
  i64 address = 0;
  for (std::size_t s = 0; s < out.count; ++s) {
    out.addresses.push_back(address);
    out.coordinates.insert(out.coordinates.end(), coordinate.begin(), coordinate.end());
    for (std::size_t k = digits.size(); k-- > 0;) {  // odometer: the last digit is the fastest
      const Digit& d = digits[k];
      const i64 by = ++at[k] < d.size ? 1 : 1 - d.size;
      address += by * d.stride;
      coordinate[d.dim] += by * d.step;
      if (by == 1) break;
      at[k] = 0;
    }
  }
  return out;
}

}  // namespace tessera::graphene
