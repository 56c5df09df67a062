// Shapes with strides as numpy, torch and their protocols print them.
//
//     torch.Size([2, 3, 4]) (12, 4, 1)                          (2, 3, 4):(12, 4, 1)
//     x.shape=torch.Size([2, 16]), x.stride()=(16, 1)           x, (2, 16):(16, 1)
//     {'shape': (4, 3), 'typestr': '<f4', 'strides': (16, 4)}   (4, 3):(4, 1): strides are bytes
//     (2, 3) strides (24, 8) float64                            (2, 3):(3, 1): strides are bytes
//
// `stride` counts elements; `strides` counts bytes in numpy and elements in torch and DLPack. If the text does not say
// which, or a byte stride has no type, that is asked for.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/paste/paste.h"
#include "core/paste/python/item.h"
#include "core/paste/python/strided.h"

namespace tessera::paste::python {

struct PrintedArray {
  std::string name;  // "x" of x.shape; "" if the text names none
  Strided strided;
  Span span;
  std::vector<Question> questions;
  std::vector<std::string> notes;
};

// In order; empty: the text prints none.
[[nodiscard]] Result<std::vector<PrintedArray>> printedArrays(std::string_view text, const Given& given);
// How sure it is that the text prints one: as Dialect::recognizes.
[[nodiscard]] int recognizesPrintedArray(std::string_view text);

}  // namespace tessera::paste::python
