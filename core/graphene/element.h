// The element types of Graphene's tensors: those of the atlas,
// under any of their names, plus thread, block and mbarrier.
//
//     %a:[8].fp16.GL      valid
//     %a:[8].fp99.GL      'fp99' is no element type; did you mean fp64?
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

// The Diag for an invalid type of a tensor that was read from `text` at `span`; nullopt: valid.
[[nodiscard]] std::optional<Diag> elementFault(const Tensor& tensor, std::string_view text, Span span);

}  // namespace tessera::graphene
