// NamedBlock: "WORD NAME { ... }", a worksheet statement whose content is another language.
//
//     namedBlock("hlo soft { ROOT a = ... }", "hlo")        name "soft", inside "           ROOT a = ...  "
//
// Law: inside has the statement's length and line ends, so positions
// are the same in both; the head and the closing brace are blanks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera {

struct NamedBlock {
  std::string name, inside;
  std::size_t open = 0;  // position of its brace
};

// A Diag: no braces, or no name. `example` is shown in the hint: "hlo softmax {".
[[nodiscard]] Result<NamedBlock> namedBlock(std::string_view statement, std::string_view word,
                                            std::string_view example);

}  // namespace tessera
