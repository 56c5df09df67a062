// A thread tensor as Axe writes it: #warp:[4:4].[(4,2):(1,16)].thread is S[(4,2,4):(4@tid,16@tid,1@tid)] over (4,8).
#pragma once

#include "core/notation/axe/layout.h"
#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

// (coordinates of every level) -> thread. Axe's last digit is the fastest, Graphene's first mode of a dimension. A Diag
// for data, and for sizes that are not known.
[[nodiscard]] Result<axe::Layout> toAxe(const Tensor& threads);

}  // namespace tessera::graphene
