// A function of a tile language, lambda i, j: [i // 4, j % 8], as a map of the worksheet.
//
//     lambda i, j: i * 72 + j   over (64, 64)     (i, j) -> (i * 72 + j), domain: i in [0, 63], j in [0, 63]
//
// `//` and `%` round down, as in TVM. A name that is no parameter is a constant: `constant` gives its item.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/code/tree.h"
#include "core/paste/python/item.h"

namespace tessera::paste::python {

using ConstantOf = std::function<Result<Item>(const code::Tree&)>;

// The map of a Lambda, or of a Function whose statements are assignments and a return. A Diag at the first expression
// that an index map cannot have.
// Of several functions of the same parameters: (i, j) -> (thread: f, local: g); `names` may be empty.
[[nodiscard]] Result<Item> indexMap(const std::vector<const code::Tree*>& functions,
                                    const std::vector<std::string>& names, const std::vector<i64>& extents,
                                    const ConstantOf& constant);

// Any function of index code as a block of the worksheet: python { ... } over (i = 64, j = 64) with (n = 4).
[[nodiscard]] Result<Item> indexCode(const code::Tree& function, const std::vector<i64>& extents,
                                     const ConstantOf& constant);

}  // namespace tessera::paste::python
