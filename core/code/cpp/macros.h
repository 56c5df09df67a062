// Macros: the text of C++ with its #define lines applied, as the preprocessor does it: text for text.
//
//     #define AT(r, c) r * 64 + c
//     int x = 2 * AT(row + 1, col);        int x = 2 * row + 1 * 64 + col;
//
// Laws: a macro is applied after its definition, until #undef, and not inside itself; in strings and comments never.
// Lines stay as they are; original() gives the place of a piece in the text before.
// Words of OpenCL and Metal become those of CUDA: __local float t[8] is __shared__ float t[8].
// Not here: #if, # and ## (a macro that uses them is not applied).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera::code {

struct Expanded {
  std::string text;
  struct Piece {
    std::size_t at = 0;    // in text
    std::size_t from = 0;  // in the original
    bool copied = true;    // byte for byte; else all of it is the macro's use at `from`
    std::size_t size = 0;  // of that use
  };
  std::vector<Piece> pieces;  // empty: the text is the original

  [[nodiscard]] Span original(Span span) const;
};

// Names that `keep` accepts are not applied: the user gives them another value.
[[nodiscard]] Expanded withMacros(std::string_view text, const std::function<bool(std::string_view)>& keep);

}  // namespace tessera::code
