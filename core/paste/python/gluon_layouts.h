// The constructors of Gluon's layouts, as Triton's attributes.
//
//     BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])    #ttg.blocked<{sizePerThread = [1, 4], ...}>
//     SliceLayout(dim=1, parent=L)                     #ttg.slice<{dim = 1, parent = L}>
//     NVMMASharedLayout.get_default_for([64, 64], gl.float16)
//                                                      #ttg.nvmma_shared<{swizzlingByteWidth = 128, ...}> over (64, 64)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/paste/python/evaluator.h"

namespace tessera::paste::python {

// nullopt: no constructor of a layout. AutoLayout and CoalescedLayout are refused.
[[nodiscard]] Result<std::optional<Item>> gluonLayout(const Invocation& made);
[[nodiscard]] bool isGluonLayout(std::string_view name);
// The attribute without ` over (64, 64)`.
[[nodiscard]] std::string attributeAlone(const std::string& attribute);

}  // namespace tessera::paste::python
