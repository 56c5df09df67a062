#include "core/notation/xla/translate.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/notation/xla/address.h"

namespace tessera {
namespace {

// Why the digits are no modes, if they are not.
Result<void> requireModes(const std::vector<XlaDigit>& digits, const XlaShape& shape) {
  for (const XlaDigit& digit : digits) {
    if (digit.dim == XlaDigit::kShared && digit.extent > 1)
      return Diag{"a tile with * merges dimensions, which no nested mode does", "tiles without *", "", {}};
    if (digit.uneven) {
      return Diag{fmt::format("a tile of {} does not divide the {} of dimension {} of {}", digit.uneven->first,
                              digit.uneven->second, digit.dim, print(shape)),
                  "sizes that are multiples of their tiles",
                  "to_map(P) has the padded function",
                  {}};
    }
  }
  return {};
}

IntTuple modeOf(const std::vector<i64>& leaves) {
  if (leaves.size() == 1) return IntTuple(leaves.front());
  return IntTuple::tuple(std::vector<IntTuple>(leaves.begin(), leaves.end()));
}

}  // namespace

Result<CuteLayout> toCute(const XlaShape& shape) {
  TESSERA_TRY(const XlaAddressing addressing, XlaAddressing::create(shape));
  if (addressing.elements() == 0) {
    return Diag{fmt::format("{} has no elements, a CuTe layout has at least one", print(shape)), "sizes >= 1", "", {}};
  }
  std::vector<XlaDigit> digits = xlaDigits(addressing.expansion(), shape.sizes());
  TESSERA_CHECKED(requireModes(digits, shape));
  std::sort(digits.begin(), digits.end(), [](const XlaDigit& a, const XlaDigit& b) { return a.weight < b.weight; });
  std::vector<IntTuple> shapes, strides;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    std::vector<i64> extents, steps;
    for (const XlaDigit& digit : digits) {
      if (digit.dim != d || digit.extent < 2) continue;
      extents.push_back(digit.extent);
      steps.push_back(digit.stride);
    }
    if (extents.empty()) extents = {1}, steps = {0};
    shapes.push_back(modeOf(extents));
    strides.push_back(modeOf(steps));
  }
  if (shapes.empty()) return CuteLayout::make(IntTuple(1), IntTuple(0));
  if (shapes.size() == 1) return CuteLayout::make(shapes.front(), strides.front());
  return CuteLayout::make(IntTuple::tuple(std::move(shapes)), IntTuple::tuple(std::move(strides)));
}

}  // namespace tessera
