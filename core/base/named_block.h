// NamedBlock: "WORD NAME { ... }", a statement of a worksheet whose inside is another language.
//
//     namedBlock("hlo soft { ROOT a = ... }", "hlo")        name "soft", inside "           ROOT a = ...  "
//
// Law: inside is as long as the statement and has its line ends, so that a place in one is that place in the other; the head and the
// closing brace are blanks in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera {

struct NamedBlock {
  std::string name, inside;
  std::size_t open = 0;  // where its brace stands
};

// A Diag: it has no braces, or no name. `example` is what the hint shows: "hlo softmax {".
[[nodiscard]] Result<NamedBlock> namedBlock(std::string_view statement, std::string_view word,
                                            std::string_view example);

}  // namespace tessera
