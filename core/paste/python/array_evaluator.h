// Statements of numpy and torch, evaluated to the layouts of their arrays.
//
//     x = torch.empty(2, 3, 4)
//     y = x.permute(2, 0, 1)         x = (2, 3, 4):(12, 4, 1), y = (4, 2, 3):(1, 12, 4)
#pragma once

#include <string_view>

#include "core/paste/paste.h"

namespace tessera::paste::python {

// An array that the text does not define is asked for; --let x=(2,3,4) gives its shape.
[[nodiscard]] Result<Reading> evaluateArrays(std::string_view text, const Given& given);
// permute, view, as_strided ...: a method that changes the layout.
[[nodiscard]] bool isArrayView(std::string_view name);

}  // namespace tessera::paste::python
