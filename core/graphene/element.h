// The element types of Graphene's tensors: those of the atlas by any of their names, thread, block and mbarrier.
//
//     %a:[8].fp16.GL      nothing is wrong
//     %a:[8].fp99.GL      'fp99' is no element type; did you mean fp64?
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

// What is wrong with the type of a tensor that was read from `text` at `span`.
[[nodiscard]] std::optional<Diag> elementFault(const Tensor& tensor, std::string_view text, Span span);

}  // namespace tessera::graphene
