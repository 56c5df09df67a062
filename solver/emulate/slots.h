// FlatSlots: the elements of a tensor in logical order, as addresses and coordinates: [2,2:4,2].[1,2:_,1] has the
// addresses 0 1 2 3 4 5 6 7. The order is that of core/graphene/atoms/atom.h; flat arrays, because a kernel's operand
// has millions of elements.
#pragma once

#include <vector>

#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

struct FlatSlots {
  std::size_t count = 1;
  std::size_t dims = 0;          // declared dimensions
  std::vector<i64> addresses;    // by slot, without the tensor's offset and swizzle
  std::vector<i64> coordinates;  // `dims` per slot, without its origin
};
// Returns a Diag if a size or stride is not a constant, or for more than `most` slots.
[[nodiscard]] Result<FlatSlots> slotsOf(const Tensor& tensor, i64 most = i64{1} << 27);

}  // namespace tessera::graphene
