// The slots of a tensor (core/graphene/slots/slots.h), or why there is no table of them.
#pragma once

#include "core/graphene/slots/slots.h"

namespace tessera::graphene {

// Returns a Diag if a size or stride is not a constant, or for more than `most` slots.
[[nodiscard]] Result<FlatSlots> slotsOf(const Tensor& tensor, i64 most = i64{1} << 27);

}  // namespace tessera::graphene
