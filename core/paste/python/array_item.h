// An array of numpy or torch as an Item: Object "array" with its shape, strides (in elements), offset and element type.
//
//     torch.empty(2, 3).t()      array (3, 2):(1, 3)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/paste/python/evaluator.h"
#include "core/paste/python/strided.h"

namespace tessera::paste::python {

struct ArrayItem {
  Strided strided;
  std::string element;  // f32; "" if it is not known
  bool numpy = false;
};

[[nodiscard]] Item arrayItem(ArrayItem array);
[[nodiscard]] std::optional<ArrayItem> arrayOf(const Item& item);
// Of a shape and strides that a text gives; a Diag if they do not fit each other.
[[nodiscard]] Result<Strided> stridedOf(const Item& shape, const Item& stride);

// permute, transpose, view, reshape, expand ... of an array; nullopt: no such method.
// `made.arguments` are those after the array. A note is appended to `notes`.
[[nodiscard]] Result<std::optional<ArrayItem>> arrayMethod(const ArrayItem& array, const Invocation& made,
                                                           std::vector<std::string>& notes);
// torch.empty(2, 3), np.zeros((2, 3)), empty_strided(size, stride) ...; nullopt: no constructor.
[[nodiscard]] Result<std::optional<ArrayItem>> arrayConstructor(const Invocation& made, bool numpy);

// "f32[8, 64][64, 1]cuda:0", the annotation of a graph of torch.compile; nullopt: no such text. Extents that are names
// are read by `value`.
[[nodiscard]] Result<std::optional<Item>> annotatedArray(std::string_view text,
                                                         const std::function<Item(std::string_view)>& value);

}  // namespace tessera::paste::python
