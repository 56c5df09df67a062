// A thread tensor as an Axe layout: #warp:[4:4].[(4,2):(1,16)].thread is S[(4,2,4):(4@tid,16@tid,1@tid)] over (4,8).
#pragma once

#include "core/notation/axe/layout.h"
#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

// (coordinates of every level) -> thread. In Axe the last digit is fastest, in Graphene the first mode of a dimension.
// A Diag: a data tensor, or unknown sizes.
[[nodiscard]] Result<axe::Layout> toAxe(const Tensor& threads);

}  // namespace tessera::graphene
